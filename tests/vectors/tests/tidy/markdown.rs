//! Documents: their titles and their links.

use std::path::Path;

use crate::tree::File;

/// What is wrong with the titles of a document: it has exactly one `# ` line.
pub fn titles(file: &File) -> Vec<String> {
    if file.kind() != "md" {
        return Vec::new();
    }
    let titles = prose(&file.text).filter(|(_, line)| line.starts_with("# ")).count();
    match titles {
        1 => Vec::new(),
        _ => vec![format!("{}: {titles} lines begin with `# `; leave one title", file.path)],
    }
}

/// The links of a document that lead nowhere: to no file, or to no heading. Links to other
/// machines are not followed.
pub fn broken_links(file: &File, root: &Path) -> Vec<String> {
    if file.kind() != "md" {
        return Vec::new();
    }
    let mut complaints = Vec::new();
    for (number, line) in prose(&file.text) {
        for target in targets(line) {
            if let Some(why) = broken(&target, file, root) {
                complaints.push(format!("{}:{number}: {target} {why}", file.path));
            }
        }
    }
    complaints
}

fn broken(target: &str, file: &File, root: &Path) -> Option<&'static str> {
    if ["https://", "http://", "mailto:"].iter().any(|scheme| target.starts_with(scheme)) {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let text = if path.is_empty() {
        file.text.clone()
    } else {
        let here = root.join(&file.path);
        let there = here.parent().unwrap_or(root).join(path);
        if path.starts_with('/') || !there.exists() {
            return Some("leads to no file; mend the path, from this document's folder");
        }
        std::fs::read_to_string(there).unwrap_or_default()
    };
    let mut headings = prose(&text).filter(|(_, line)| line.starts_with('#'));
    let found = anchor.is_empty() || headings.any(|(_, heading)| slug(heading) == anchor);
    (!found).then_some("leads to no heading; write the heading's words in lower case with hyphens")
}

/// The name under which a heading can be linked to.
fn slug(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars();
    let kept = kept.filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect()
}

/// What the links of a line lead to: `[text](target)`, pictures too, and `[name]: target`.
fn targets(line: &str) -> Vec<String> {
    let spans = without_code(line);
    let mut targets = Vec::new();
    for rest in spans.split("](").skip(1) {
        if let Some((target, _)) = rest.split_once(')') {
            targets.push(target.split(' ').next().unwrap_or_default().to_owned());
        }
    }
    if spans.starts_with('[')
        && let Some((_, target)) = spans.split_once("]: ")
    {
        targets.push(target.split(' ').next().unwrap_or_default().to_owned());
    }
    targets
}

/// A line without what stands between backticks.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect::<Vec<_>>().join("`")
}

/// The lines of a document, numbered from 1, without its blocks of code.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut in_code = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        in_code ^= fence;
        (!in_code && !fence).then_some((index + 1, line))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_without_a_title_or_with_two_is_found() {
        for (text, complaints) in [
            ("# One\n\n## Part\n", 0),
            ("# One\n\n```\n# a comment in code\n```\n", 0),
            ("## Part\n", 1),
            ("# One\n# Two\n", 1),
            ("", 1),
        ] {
            assert_eq!(titles(&File::new("a.md", text)).len(), complaints, "{text:?}");
        }
        assert_eq!(titles(&File::new("a.rs", "")).len(), 0);
    }

    #[test]
    fn a_link_that_leads_nowhere_is_found() {
        let root = tree_root();
        for (link, is_broken) in [
            ("[a](https://example.com/nothing)", false),
            ("[a](tidy/main.rs)", false),
            ("[`a`](tidy/main.rs \"title\")", false),
            ("![a](tidy)", false),
            ("[a](#the-title)", false),
            ("`[a](missing)`", false),
            ("[a]: tidy/main.rs", false),
            ("[a](missing.md)", true),
            ("[a](tidy/main.rs), [b](missing.md)", true),
            ("[a](/tidy/main.rs)", true),
            ("[a](#another-title)", true),
            ("[a]: missing.md", true),
        ] {
            let file = File::new("a.md", &format!("# The title!\n\n{link}\n"));
            assert_eq!(broken_links(&file, &root).len() == 1, is_broken, "{link}");
        }
        let in_code = File::new("a.md", "# Title\n```\n[a](missing.md)\n```\n");
        assert_eq!(broken_links(&in_code, &root), Vec::<String>::new());
    }

    fn tree_root() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
    }
}
