//! Id formats: the one place where ids of created records are written and recognised.

use super::IdFormat;
use crate::limits::ID_WIDTH_CHARS_MAX;
use crate::quoted::quoted;

impl IdFormat {
    /// Takes a format apart. `%%` is a percent sign; there must be exactly one verb, `%d`, which
    /// may have a width of 1 to 20 and a `0` before it.
    ///
    /// # Errors
    /// What is wrong with the format and the way out, in one clause.
    ///
    /// Spec: "The definition file".
    pub fn parse(format: &str) -> Result<IdFormat, String> {
        let mut prefix = String::new();
        let mut verb = None;
        let mut literal = String::new();
        let mut rest = format;
        while let Some((before, behind)) = rest.split_once('%') {
            literal.push_str(before);
            if let Some(behind) = behind.strip_prefix('%') {
                literal.push('%');
                rest = behind;
                continue;
            }
            let (spec, behind) = verb_of(behind)?;
            if verb.replace(spec).is_some() {
                return Err(String::from(
                    "the format holds more than one verb; keep one %d and write %% for a percent \
                     sign",
                ));
            }
            prefix = std::mem::take(&mut literal);
            rest = behind;
        }
        literal.push_str(rest);
        let Some((zero_padded, width)) = verb else {
            return Err(String::from(
                "the format holds no verb; put %d where the counter goes, such as R-%04d",
            ));
        };
        Ok(IdFormat { prefix, width, zero_padded, suffix: literal })
    }

    /// The id of the creation number `counter`, from 1.
    pub fn format(&self, counter: u64) -> String {
        let IdFormat { prefix, width, suffix, .. } = self;
        if self.zero_padded {
            format!("{prefix}{counter:0width$}{suffix}")
        } else {
            format!("{prefix}{counter:width$}{suffix}")
        }
    }

    /// The counter whose id is `text`, if there is one.
    pub fn counter_of(&self, text: &str) -> Option<u64> {
        let counter = text
            .strip_prefix(self.prefix.as_str())?
            .strip_suffix(self.suffix.as_str())?
            .trim_start_matches(' ')
            .parse()
            .ok()?;
        (counter > 0 && self.format(counter) == text).then_some(counter)
    }
}

/// The default of `id_format`.
impl Default for IdFormat {
    fn default() -> IdFormat {
        IdFormat { prefix: String::new(), width: 0, zero_padded: false, suffix: String::new() }
    }
}

/// Whether the verb behind a `%` is padded with zeros and its width, and what follows it.
fn verb_of(behind: &str) -> Result<((bool, usize), &str), String> {
    let not_a_verb = || {
        let shown: String = behind.chars().take(8).collect();
        format!(
            "{} is no verb of an id format; write %d, %4d or %04d, and %% for a percent sign",
            quoted(&format!("%{shown}"))
        )
    };
    let (spec, rest) = behind.split_once('d').ok_or_else(not_a_verb)?;
    if spec.is_empty() {
        return Ok(((false, 0), rest));
    }
    let digits = spec.strip_prefix('0').unwrap_or(spec);
    let is_width = digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.starts_with(|first| first != '0');
    if !is_width {
        return Err(not_a_verb());
    }
    match digits.parse::<usize>() {
        Ok(width) if width <= ID_WIDTH_CHARS_MAX => Ok(((spec.len() > digits.len(), width), rest)),
        _ => Err(format!(
            "the width of %{}d is over {ID_WIDTH_CHARS_MAX}; make it smaller",
            spec.chars().take(40).collect::<String>()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMATS: [&str; 7] = ["%d", "R-%04d", "%4d.", "%%%d%%", "0%d", "%020d", "1%03d1"];

    #[test]
    fn a_counter_is_found_in_the_id_that_it_gives() {
        for text in FORMATS {
            let format = IdFormat::parse(text).expect("a format");
            for counter in [1, 9, 10, 42, 999, 1_000, 10_000, u64::MAX] {
                let id = format.format(counter);
                assert_eq!(format.counter_of(&id), Some(counter), "{text}: {id}");
            }
        }
    }

    #[test]
    fn a_text_that_no_counter_gives_has_none() {
        for (text, id) in [
            ("%d", "0"),
            ("%d", "01"),
            ("%d", "+1"),
            ("%d", " 1"),
            ("%d", ""),
            ("%d", "18446744073709551616"),
            ("R-%04d", "R-1"),
            ("R-%04d", "R-00001"),
            ("R-%04d", "R-0000"),
            ("%4d.", "0001."),
            ("%4d.", "    1."),
            ("1%d1", "11"),
        ] {
            let format = IdFormat::parse(text).expect("a format");
            assert_eq!(format.counter_of(id), None, "{text}: {id}");
        }
    }

    #[test]
    fn ids_are_padded_as_printf_pads_them() {
        for (text, counter, id) in [
            ("%d", 7, "7"),
            ("R-%04d", 7, "R-0007"),
            ("R-%04d", 12_345, "R-12345"),
            ("%4d.", 7, "   7."),
            ("%%%d%%", 7, "%7%"),
            ("%020d", 7, "00000000000000000007"),
        ] {
            let format = IdFormat::parse(text).expect("a format");
            assert_eq!(format.format(counter), id, "{text}");
        }
    }
}
