//! The path token: the first lock of a world.
//!
//! Spec: "The listener".

use std::io;

use subtle::ConstantTimeEq;

/// A random path segment.
pub(super) struct Token(String);

impl Token {
    /// A token that nobody can guess.
    ///
    /// # Errors
    ///
    /// When the system has no random bytes.
    pub(super) fn random() -> io::Result<Token> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// What follows the token in `path`, from the slash on. None when the first segment is not
    /// the token; how long it takes to find out says nothing about the token.
    pub(super) fn behind<'p>(&self, path: &'p str) -> Option<&'p str> {
        let path = path.strip_prefix('/')?;
        let (first, rest) = path.split_at(path.find('/').unwrap_or(path.len()));
        bool::from(first.as_bytes().ct_eq(self.0.as_bytes())).then_some(rest)
    }
}

/// 160 random bits.
const TOKEN_BYTES: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_the_whole_first_segment() {
        let token = Token("abc".to_owned());
        for (path, behind) in [
            ("/abc/orders/1", Some("/orders/1")),
            ("/abc/", Some("/")),
            ("/abc//", Some("//")),
            ("/abc", Some("")),
            ("/abd/orders", None),
            ("/ab/orders", None),
            ("/abcd/orders", None),
            ("/ABC/orders", None),
            ("/%61bc/orders", None),
            ("//abc/orders", None),
            ("abc/orders", None),
            ("*", None),
            ("/", None),
            ("", None),
        ] {
            assert_eq!(token.behind(path), behind, "{path}");
        }
    }

    #[test]
    fn tokens_are_long_safe_in_urls_and_never_the_same() {
        let (one, other) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.0.len(), 2 * TOKEN_BYTES);
        assert!(one.0.bytes().all(|byte| byte.is_ascii_hexdigit()));
        assert_ne!(one.0, other.0);
    }
}
