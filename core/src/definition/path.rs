//! Paths to a value in a definition, as faults print them.

use std::fmt;

use crate::quoted::quoted_within;

/// Characters of a key in a path; a longer one is cut, so that one hostile key cannot make every
/// line of a long list as long as itself.
const KEY_CHARS_SHOWN_MAX: usize = 64;

/// Where a value stands, from the value outwards. Cheap to extend while walking down.
#[derive(Clone, Copy, Debug)]
pub(super) enum Path<'a> {
    /// The whole definition.
    Root,
    /// The member `1` of the mapping at `0`.
    Key(&'a Path<'a>, &'a str),
    /// The item `1`, from 0, of the list at `0`.
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    pub(super) fn key<'a>(&'a self, key: &'a str) -> Path<'a> {
        Path::Key(self, key)
    }

    pub(super) fn index(&self, index: usize) -> Path<'_> {
        Path::Index(self, index)
    }

    fn write(&self, out: &mut String) {
        match self {
            Path::Root => {}
            Path::Key(parent, key) => {
                parent.write(out);
                push_key(out, key);
            }
            Path::Index(parent, index) => {
                parent.write(out);
                push_index(out, *index);
            }
        }
    }
}

/// Dotted, with indexes: `resources.refunds.routes[0]`; the whole is `(file)`.
impl fmt::Display for Path<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = String::new();
        self.write(&mut out);
        formatter.write_str(whole_if_empty(&out))
    }
}

/// Appends `key` to a dotted path: `.key`, or `["a.b"]` where it is no bare word.
pub(super) fn push_key(out: &mut String, key: &str) {
    let bare = !key.is_empty()
        && key.len() <= KEY_CHARS_SHOWN_MAX
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    if bare {
        if !out.is_empty() {
            out.push('.');
        }
        out.push_str(key);
    } else {
        out.push('[');
        out.push_str(&quoted_within(key, KEY_CHARS_SHOWN_MAX));
        out.push(']');
    }
}

/// Appends an index to a dotted path.
pub(super) fn push_index(out: &mut String, index: usize) {
    out.push_str(&format!("[{index}]"));
}

/// The path's text, `(file)` for the empty one.
pub(super) fn whole_if_empty(path: &str) -> &str {
    if path.is_empty() { "(file)" } else { path }
}
