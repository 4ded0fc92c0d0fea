//! The tokens of HTTP.

/// Whether `text` is an RFC 9110 token: what a header's name and the halves of a media type are
/// made of.
///
/// Spec: "The definition file", "Create".
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}
