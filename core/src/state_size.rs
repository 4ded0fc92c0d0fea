//! The size of a world's state, and the rule that bounds it.
//!
//! Spec: "Limits".

use crate::limits::STATE_BYTES_MAX;

/// Bytes of the compact JSON of `state`: of each resource the name, which needs no escapes, and
/// the bytes of its records' texts with the commas between them.
pub(crate) fn bytes<'r>(resources: impl Iterator<Item = (&'r str, usize)>) -> usize {
    let (mut sum, mut count) = ("{}".len(), 0_usize);
    for (name, records) in resources {
        sum += name.len() + r#""":[]"#.len() + records;
        count += 1;
    }
    sum + count.saturating_sub(1)
}

/// Whether a state of `state` bytes fits beside `fired` bytes of `faults_fired` and the `room`
/// that is kept free for further entries.
pub(crate) fn fits(state: usize, fired: usize, room: usize) -> bool {
    state + fired + room <= STATE_BYTES_MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_of_the_text() {
        for (resources, text) in [
            (vec![("a", 0)], r#"{"a":[]}"#),
            (vec![("a", 7), ("bc", 0)], r#"{"a":[{"k":1}],"bc":[]}"#),
            (vec![("a", 5), ("b", 2), ("c", 0)], r#"{"a":[{},{}],"b":[{}],"c":[]}"#),
        ] {
            assert_eq!(bytes(resources.into_iter()), text.len(), "{text}");
        }
    }

    #[test]
    fn the_limit_itself_fits() {
        assert!(fits(STATE_BYTES_MAX - 5, 2, 3));
        assert!(!fits(STATE_BYTES_MAX - 5, 2, 4));
        assert!(!fits(STATE_BYTES_MAX - 4, 2, 3));
        assert!(!fits(STATE_BYTES_MAX - 5, 3, 3));
    }
}
