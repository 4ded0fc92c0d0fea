//! The version stands in the workspace's manifest, and everything else reads it there.

use crate::tree::File;

/// Where the version may stand beside the manifest: what is written for people, and what cargo
/// writes.
const ALLOWED: &[&str] = &["Cargo.toml", "Cargo.lock", "CHANGELOG.md", "README.md"];

/// The version in `[workspace.package]` of a manifest.
pub fn of_workspace(manifest: &str) -> String {
    let section = manifest.split("[workspace.package]\n").nth(1).expect("the section");
    let section = section.split("\n[").next().unwrap_or_default();
    let line = section.lines().find_map(|line| line.strip_prefix("version = \""));
    line.and_then(|rest| rest.strip_suffix('"')).expect("a version").to_owned()
}

/// The lines of a file that write `version` out.
pub fn copies(file: &File, version: &str) -> Vec<String> {
    if ALLOWED.contains(&file.path.as_str()) {
        return Vec::new();
    }
    let lines = file.text.lines().enumerate().filter(|(_, line)| holds(line, version));
    let complaint = |(index, _)| {
        let path = &file.path;
        format!("{path}:{}: {version} stands in Cargo.toml; read it from there", index + 1)
    };
    lines.map(complaint).collect()
}

/// Whether `line` holds `version` and not just a longer number with it inside.
fn holds(line: &str, version: &str) -> bool {
    let is_of_number = |character: char| character.is_ascii_digit() || character == '.';
    line.match_indices(version).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let mut behind = line[at + version.len()..].chars();
        let (next, second) = (behind.next(), behind.next());
        // A point that ends a sentence goes on with no digit.
        let goes_on = match next {
            Some('.') => second.is_some_and(|character| character.is_ascii_digit()),
            other => other.is_some_and(|character| character.is_ascii_digit()),
        };
        !before.is_some_and(is_of_number) && !goes_on
    })
}

#[test]
fn a_copy_of_the_version_is_found() {
    let manifest = "[a]\nversion = \"9\"\n[workspace.package]\nversion = \"1.2.0\"\n[b]\nc = 1\n";
    let version = of_workspace(manifest);
    assert_eq!(version, "1.2.0");
    for (path, text, complaints) in [
        ("python/pyproject.toml", "version = \"1.2.0\"\n", 1),
        ("a.md", "since 1.2.0.\nv1.2.0\n", 2),
        ("a.md", "1.2.01, 11.2.0 and 1.2.0.1\n", 0),
        ("CHANGELOG.md", "## 1.2.0\n", 0),
    ] {
        assert_eq!(copies(&File::new(path, text), &version).len(), complaints, "{text}");
    }
}
