//! The repository's own rules, each a test. A rule is a function from a file, or from all of
//! them, to complaints; every complaint says where it is and what to do.

mod functions;
mod limits;
mod markdown;
mod text;
mod tree;
mod version;

use std::collections::BTreeSet;

use functions::{Function, functions_of};
use tree::{File, files};

/// Lines of a file of code.
const FILE_LINES_MAX: usize = 600;
/// Lines of a function, from its name to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;

/// Files that are longer all the same, with the lines that they have. They only get shorter.
const LONG_FILES: &[(&str, usize)] = &[];
/// Functions that are longer all the same: file, name, lines. They only get shorter.
const LONG_FUNCTIONS: &[(&str, &str, usize)] = &[];

#[test]
fn files_of_code_are_short() {
    let lines = |file: &File| (file.path.clone(), file.text.lines().count());
    let found = files().iter().filter(|file| file.is_code()).map(lines).collect();
    let listed = LONG_FILES.iter().map(|(path, lines)| ((*path).to_owned(), *lines)).collect();
    none(too_long(found, listed, FILE_LINES_MAX, "two ideas: make it two files"));
}

#[test]
fn functions_are_short() {
    let mut found = Vec::new();
    for file in files() {
        for Function { name, lines } in functions_of(&file) {
            found.push((format!("{}: {name}", file.path), lines));
        }
    }
    assert!(found.len() > 500, "only {} functions were found at all", found.len());
    let listed =
        LONG_FUNCTIONS.iter().map(|(path, name, lines)| (format!("{path}: {name}"), *lines));
    none(too_long(found, listed.collect(), FUNCTION_LINES_MAX, "take its leaves out"));
}

#[test]
fn every_document_has_one_title() {
    complaints_of(markdown::titles);
}

#[test]
fn every_link_of_a_document_leads_somewhere() {
    complaints_of(|file| markdown::broken_links(file, &tree::root()));
}

#[test]
fn every_vector_file_is_run() {
    let files = files();
    let named: BTreeSet<String> = files.iter().flat_map(tree::suites_named).collect();
    assert!(named.contains("worlds"), "no runner was found: {named:?}");
    none(files.iter().filter_map(|file| tree::not_run(&file.path, &named)).collect());
}

#[test]
fn every_line_ends_where_its_text_does() {
    complaints_of(text::loose_ends);
}

#[test]
fn rust_is_indented_with_spaces() {
    complaints_of(text::tabs);
}

#[test]
fn nothing_names_a_home_folder() {
    complaints_of(text::home_folders);
}

#[test]
fn nothing_is_left_for_later() {
    complaints_of(text::words_of_unfinished_work);
}

#[test]
fn every_limit_stands_in_the_specification() {
    let source = tree::read("core/src/limits.rs");
    let specification = tree::read("proto/attest/v1/protocol-spec.md");
    none(limits::unsaid(&source, &specification));
}

#[test]
fn the_version_is_written_in_one_place() {
    let version = version::of_workspace(&tree::read("Cargo.toml"));
    complaints_of(|file| version::copies(file, &version));
}

/// Fails with the complaints that `rule` has about each file.
fn complaints_of(rule: impl Fn(&File) -> Vec<String>) {
    none(files().iter().flat_map(rule).collect());
}

fn none(complaints: Vec<String>) {
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// What is over `max`, save what is `listed` with as much. A list that says more than there is,
/// or names what is short by now, is complained of too.
fn too_long(
    found: Vec<(String, usize)>,
    listed: Vec<(String, usize)>,
    max: usize,
    way_out: &str,
) -> Vec<String> {
    let mut complaints = Vec::new();
    for (name, lines) in &found {
        let allowed = listed.iter().find(|(listed, _)| listed == name).map(|(_, lines)| *lines);
        if *lines > allowed.unwrap_or(max) {
            complaints.push(format!("{name}: {lines} lines, over {max}; {way_out}"));
        }
    }
    for (name, lines) in &listed {
        let longest = found.iter().filter(|(found, _)| found == name).map(|(_, lines)| *lines);
        match longest.max() {
            Some(now) if now > max && now >= *lines => {}
            Some(now) if now > max => {
                complaints.push(format!("{name}: {now} lines by now; list it with that number"));
            }
            _ => complaints.push(format!("{name}: is not too long any more; unlist it")),
        }
    }
    complaints
}

#[test]
fn a_list_of_exceptions_only_gets_shorter() {
    let pair = |name: &str, lines| (name.to_owned(), lines);
    let complaints = |found: &[(String, usize)], listed: &[(String, usize)]| {
        too_long(found.to_vec(), listed.to_vec(), 10, "do so").len()
    };
    assert_eq!(complaints(&[pair("a", 10)], &[]), 0);
    assert_eq!(complaints(&[pair("a", 11)], &[]), 1, "too long");
    assert_eq!(complaints(&[pair("a", 12)], &[pair("a", 12)]), 0, "listed");
    assert_eq!(complaints(&[pair("a", 13)], &[pair("a", 12)]), 1, "it grew");
    assert_eq!(complaints(&[pair("a", 11)], &[pair("a", 12)]), 1, "it shrank");
    assert_eq!(complaints(&[pair("a", 9)], &[pair("a", 12)]), 1, "it is short");
    assert_eq!(complaints(&[], &[pair("a", 12)]), 1, "it is gone");
}
