//! "Did you mean": the nearest of the names that would have been right.

/// The candidate nearest to `text`, if one is near enough to be meant: up to a third of its
/// characters may differ, or one of the two is a good part of the other. Letter case, `_` and `-`
/// do not count. Numbers are near to nothing: 503 is no misspelt 500.
pub(super) fn suggestion<'c>(
    text: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    // Nobody means a short name by a long text, and the distance costs the product of both.
    const TEXT_CHARS_MAX: usize = 80;
    if text.chars().nth(TEXT_CHARS_MAX).is_some() || is_number(text) {
        return None;
    }
    let text = bare(text);
    if text.is_empty() {
        return None;
    }
    let candidates: Vec<(&str, String)> = candidates
        .filter(|candidate| !is_number(candidate))
        .map(|candidate| (candidate, bare(candidate)))
        .collect();
    nearest(&text, &candidates).or_else(|| only_part(&text, &candidates))
}

/// The one of `names` that the key `text` is another word for.
pub(super) fn synonym(text: &str, names: &[&'static str]) -> Option<&'static str> {
    const SYNONYMS: [(&str, &str); 6] = [
        ("chance", "probability"),
        ("rate", "probability"),
        ("on", "on_requests"),
        ("status", "fault"),
        ("env", "base_url_env"),
        ("records", "seed"),
    ];
    let text = text.to_lowercase();
    let (_, name) = SYNONYMS.into_iter().find(|(word, _)| *word == text)?;
    names.iter().copied().find(|known| *known == name)
}

/// `one of create, list, get`; without "one of" where there is one.
pub(super) fn one_of(names: &[&str]) -> String {
    match names {
        [only] => String::from(*only),
        _ => format!("one of {}", names.join(", ")),
    }
}

fn nearest<'c>(text: &str, candidates: &[(&'c str, String)]) -> Option<&'c str> {
    candidates
        .iter()
        .filter_map(|(candidate, bare)| {
            let distance_max = (candidate.chars().count() / 3).max(1);
            if bare.len().abs_diff(text.len()) > 4 * distance_max {
                return None;
            }
            let distance = strsim::osa_distance(text, bare);
            // As far apart as the longer one is long, they share nothing.
            let length_max = bare.chars().count().max(text.chars().count());
            (distance <= distance_max && distance < length_max).then_some((distance, *candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The only candidate that holds `text` or that `text` holds; the shorter has at least 4
/// characters and a third of the longer.
fn only_part<'c>(text: &str, candidates: &[(&'c str, String)]) -> Option<&'c str> {
    const PART_BYTES_MIN: usize = 4;
    let mut parts = candidates.iter().filter(|(_, bare)| {
        let (short, long) = if bare.len() < text.len() { (&**bare, text) } else { (text, &**bare) };
        short.len() >= PART_BYTES_MIN && 3 * short.len() >= long.len() && long.contains(short)
    });
    let (only, _) = parts.next()?;
    parts.next().is_none().then_some(*only)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// `text` in lower case, without `_` and `-`.
fn bare(text: &str) -> String {
    text.to_lowercase().replace(['_', '-'], "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_suggested() {
        for (text, names, wanted) in [
            ("order", &["orders", "refunds"][..], Some("orders")),
            ("idFormat", &["id_field", "id_format"], Some("id_format")),
            ("BASE-URL", &["base_url_env"], Some("base_url_env")),
            ("version", &["world_version", "base_url_env"], Some("world_version")),
            ("timeout", &["timeout_after_commit", "429", "500"], Some("timeout_after_commit")),
            ("503", &["429", "500"], None),
            ("x500", &["500"], None),
            ("500", &["50x"], None),
            ("part", &["one_part", "part_two"], None),
            ("par", &["parties"], None),
            ("part", &["part_of_thirteen"], None),
            ("fields", &["id_fields_here"], Some("id_fields_here")),
            ("a_long_text_with_get", &["get"], None),
            ("", &["c"], None),
            ("b", &["a"], None),
            ("A", &["a"], Some("a")),
            ("ab", &["b"], Some("b")),
        ] {
            assert_eq!(suggestion(text, names.iter().copied()), wanted, "{text}");
        }
    }

    #[test]
    fn a_synonym_stands_only_for_a_name_that_is_there() {
        assert_eq!(synonym("Chance", &["id", "probability"]), Some("probability"));
        assert_eq!(synonym("chance", &["id"]), None);
        assert_eq!(synonym("chances", &["probability"]), None);
    }
}
