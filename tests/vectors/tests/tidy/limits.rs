//! Every limit of the core stands in the specification, in its own words.

/// How the specification says each limit. `{}` is its number, written `1234` or `1,234`.
const SAID: &[(&str, &str)] = &[
    ("DEFINITION_BYTES_MAX", "| definition file | {} bytes |"),
    ("DEFINITION_DEPTH_MAX", "more than {} levels in all, aliases counted"),
    ("DEFINITION_EXPANDED_BYTES_MAX", "({} bytes) of compact JSON"),
    ("DEFINITION_FAULTS_LISTED_MAX", "After {} lines the rest is counted"),
    ("RESOURCES_MAX", "| resources | {} |"),
    ("NAME_CHARS_MAX", "A resource, under its name (1 to {} characters of"),
    ("ID_WIDTH_CHARS_MAX", "a width of 1 to {}"),
    ("RECORDS_MAX", "| records, all resources together | {} |"),
    ("STATE_BYTES_MAX", "| state, below | {} bytes |"),
    ("FAULTS_LISTED_MAX", "| listed entries of fired faults | {} |"),
    ("RECORD_DEPTH_MAX", "| levels of a record | {} |"),
    ("INTEGER_MAX", "at the ordinal {}"),
    ("EXPONENT_MAX", "a decimal exponent within ±{}"),
    ("IDEMPOTENCY_KEY_CHARS_MAX", "| idempotency key | {} characters |"),
    ("BODY_BYTES_MAX", "| request body | {} bytes |"),
    ("HOLD_MS_MAX", "for {} ms at most"),
];

/// The limits of `source` that `specification` does not say.
pub fn unsaid(source: &str, specification: &str) -> Vec<String> {
    let mut complaints = Vec::new();
    let mut names = Vec::new();
    for line in source.lines() {
        let Some(rest) = line.strip_prefix("pub const ") else { continue };
        let name = rest.split(':').next().unwrap_or_default();
        names.push(name);
        let Some((_, words)) = SAID.iter().find(|(said, _)| *said == name) else {
            complaints.push(format!("{name}: say it in the specification, and list here how"));
            continue;
        };
        let expression = rest.split_once("= ").and_then(|(_, behind)| behind.strip_suffix(';'));
        let number = expression.and_then(value).unwrap_or_else(|| panic!("no number: {line}"));
        let forms = [number.to_string(), with_commas(number)];
        if !forms.iter().any(|form| specification.contains(&words.replace("{}", form))) {
            complaints
                .push(format!("{name} is {number}: the specification does not say {words:?}"));
        }
    }
    for (said, _) in SAID.iter().filter(|(said, _)| !names.contains(said)) {
        complaints.push(format!("{said}: is no limit any more; unlist it"));
    }
    complaints
}

/// The value of an expression as the file of limits has them: numbers, `*`, and at most one
/// `(1 << N) - 1`.
fn value(expression: &str) -> Option<u64> {
    if let Some(bits) = expression.strip_prefix("(1 << ").and_then(|e| e.strip_suffix(") - 1")) {
        return bits.parse().ok().map(|bits: u32| (1 << bits) - 1);
    }
    let factors = expression.split(" * ").map(|factor| factor.replace('_', "").parse::<u64>());
    factors.collect::<Result<Vec<u64>, _>>().ok().map(|factors| factors.iter().product())
}

fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_is_not_said_is_found() {
        let complaints = |source: &str, specification: &str| {
            let all = unsaid(source, specification);
            // One for each listed limit that the made-up source lacks is no matter here.
            all.into_iter().filter(|complaint| !complaint.contains("any more")).count()
        };
        let source = "/// Records.\npub const RECORDS_MAX: usize = 10_000;\n";
        let said = |number: &str| format!("| records, all resources together | {number} |");
        assert_eq!(complaints(source, &said("10,000")), 0);
        assert_eq!(complaints(source, &said("10000")), 0);
        assert_eq!(complaints(source, &said("1,000")), 1);
        assert_eq!(complaints(source, "10,000 of something else"), 1);
        assert_eq!(complaints("pub const NEW_MAX: usize = 1;\n", "1"), 1);
        assert!(unsaid("", "").len() == SAID.len(), "what is listed has to be there");
    }

    #[test]
    fn values_are_computed() {
        assert_eq!(value("256 * 1024"), Some(262_144));
        assert_eq!(value("10_000"), Some(10_000));
        assert_eq!(value("(1 << 53) - 1"), Some(9_007_199_254_740_991));
        assert_eq!(value("u64::MAX"), None);
        assert_eq!(with_commas(1_048_576), "1,048,576");
        assert_eq!(with_commas(999), "999");
    }
}
