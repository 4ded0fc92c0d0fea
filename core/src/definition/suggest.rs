//! "Did you mean": the nearest of the names that would have been right.

/// The candidate nearest to `text`, if one is near enough to be meant: up to a third of its
/// characters may differ, and letter case does not count.
pub(super) fn suggestion<'c>(
    text: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    // Nobody means a short name by a long text, and the distance costs the product of both.
    const TEXT_CHARS_MAX: usize = 80;
    if text.chars().nth(TEXT_CHARS_MAX).is_some() {
        return None;
    }
    let text = text.to_lowercase();
    candidates
        .filter_map(|candidate| {
            let distance_max = (candidate.chars().count() / 3).max(1);
            if candidate.len().abs_diff(text.len()) > 4 * distance_max {
                return None;
            }
            let distance = strsim::osa_distance(&text, &candidate.to_lowercase());
            (distance <= distance_max).then_some((distance, candidate))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// `one of create, list, get`; without "one of" where there is one.
pub(super) fn one_of(names: &[&str]) -> String {
    match names {
        [only] => String::from(*only),
        _ => format!("one of {}", names.join(", ")),
    }
}
