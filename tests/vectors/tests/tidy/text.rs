//! Rules for every text, line by line.

use crate::tree::File;

/// Lines with white space behind their text, and texts that do not end with one line feed.
pub fn loose_ends(file: &File) -> Vec<String> {
    let mut complaints =
        about_lines(file, "ends with white space; remove it", |line| line.trim_end() != line);
    let ends = file.text.is_empty() || file.text.ends_with('\n') && !file.text.ends_with("\n\n");
    if !ends {
        complaints.push(format!("{}: must end with one line feed", file.path));
    }
    complaints
}

/// Lines of Rust that are indented with tabs.
pub fn tabs(file: &File) -> Vec<String> {
    if file.kind() != "rs" {
        return Vec::new();
    }
    about_lines(file, "is indented with a tab; cargo fmt uses spaces", |line| {
        line.trim_start_matches(' ').starts_with('\t')
    })
}

/// Lines that name somebody's home folder.
pub fn home_folders(file: &File) -> Vec<String> {
    let homes = [concat!("/ho", "me/"), concat!("/Us", "ers/"), concat!("/ro", "ot/")];
    about_lines(file, "names a home folder; nobody else has it", |line| {
        // On Windows with the other stroke.
        let line = line.replace('\\', "/");
        homes.iter().any(|home| line.contains(home))
    })
}

/// Lines that say that something is not as it is meant to be.
pub fn words_of_unfinished_work(file: &File) -> Vec<String> {
    // Each in halves, so that this file does not hold it.
    let marks = [concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X")];
    let slang = concat!("ha", "ck");
    about_lines(file, "says that it is unfinished; finish it, or leave it out", |line| {
        let words = || line.split(|character: char| !character.is_alphanumeric());
        words().any(|word| marks.contains(&word) || word.eq_ignore_ascii_case(slang))
    })
}

fn about_lines(file: &File, what: &str, is_wrong: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = file.text.split('\n').enumerate().filter(|(_, line)| is_wrong(line));
    lines.map(|(index, _)| format!("{}:{}: {what}", file.path, index + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rule: impl Fn(&File) -> Vec<String>, path: &str, cases: &[(&str, usize)]) {
        for (text, complaints) in cases {
            assert_eq!(rule(&File::new(path, text)).len(), *complaints, "{text:?}");
        }
    }

    #[test]
    fn loose_ends_are_found() {
        let cases =
            [("a\n\nb\n", 0), ("", 0), ("a \nb\n", 1), ("a\t\n", 1), ("a\r\nb\r\n", 2), ("a", 1)];
        check(loose_ends, "a.txt", &cases);
        check(loose_ends, "a.txt", &[("a\n\n", 1), ("a \nb ", 3)]);
    }

    #[test]
    fn tabs_are_found_in_rust_alone() {
        check(tabs, "a.rs", &[("    a\tb\n", 0), ("\ta\n", 1), ("  \ta\n\tb\n", 2)]);
        check(tabs, "Makefile", &[("\ta\n", 0)]);
    }

    #[test]
    fn home_folders_are_found() {
        let unix = format!("see /{}/someone/x\n", "home");
        let mac = format!("see /{}/someone/x\n", "Users");
        let windows = format!("see C:\\{}\\someone\n", "Users");
        let administrator = format!("see /{}/x\n", "root");
        let cases = [&unix, &mac, &windows, &administrator].map(|text| (text.as_str(), 1));
        check(home_folders, "a.md", &cases);
        check(home_folders, "a.md", &[("GET /homes, GET /roots\n", 0)]);
    }

    #[test]
    fn words_of_unfinished_work_are_found() {
        let mark = format!("// {}: later\n", ["TO", "DO"].concat());
        let slang = format!("A {} around it.\n", ["Ha", "ck"].concat());
        let cases = [(mark.as_str(), 1), (slang.as_str(), 1), ("todo!(); hackle XXXI\n", 0)];
        check(words_of_unfinished_work, "a.rs", &cases);
    }
}
