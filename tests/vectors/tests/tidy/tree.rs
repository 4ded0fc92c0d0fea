//! The files of the project, and which vectors its runners name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A text file of the project.
#[derive(Debug)]
pub struct File {
    /// Its path from the project's root, with `/` between folders.
    pub path: String,
    pub text: String,
}

impl File {
    pub fn new(path: &str, text: &str) -> File {
        File { path: path.to_owned(), text: text.to_owned() }
    }

    /// What stands behind the last point of its name; for a program without one, what its first
    /// line says.
    pub fn kind(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        match name.rsplit_once('.') {
            Some((_, extension)) => extension,
            None if self.text.starts_with("#!") => {
                if self.text.lines().next().is_some_and(|line| line.contains("python")) {
                    "py"
                } else {
                    "sh"
                }
            }
            None => "",
        }
    }

    pub fn is_code(&self) -> bool {
        ["rs", "py", "ts", "mjs", "sh"].contains(&self.kind())
    }
}

/// The project's root.
pub fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the root is there")
}

/// The text of the file at `path`, from the root.
pub fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every text file that is not ignored, ordered by path.
pub fn files() -> Vec<File> {
    let mut found = Vec::new();
    collect(&root(), "", &Ignored::new(&read(".gitignore")), &mut found);
    found.sort_by(|one, other| one.path.cmp(&other.path));
    assert!(found.len() > 100, "only {} files were found at all", found.len());
    found
}

fn collect(folder: &Path, prefix: &str, ignored: &Ignored, found: &mut Vec<File>) {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let entry = entry.expect("a folder entry");
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        let path = format!("{prefix}{name}");
        let is_folder = entry.file_type().expect("a kind").is_dir();
        if name == ".git" || ignored.covers(&path, is_folder) {
            continue;
        }
        if is_folder {
            collect(&entry.path(), &format!("{path}/"), ignored, found);
        } else if let Ok(text) = fs::read_to_string(entry.path()) {
            found.push(File { path, text });
        }
    }
}

/// The patterns of a `.gitignore`, of the three forms that this project uses.
struct Ignored {
    folders_at_root: Vec<String>,
    folders: Vec<String>,
    extensions: Vec<String>,
}

impl Ignored {
    fn new(text: &str) -> Ignored {
        let (mut folders_at_root, mut folders, mut extensions) = (vec![], vec![], vec![]);
        for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
            let owned = |pattern: &str| {
                let plain = !pattern.is_empty() && !pattern.contains(['/', '*', '?', '[', '!']);
                assert!(plain, ".gitignore: this test does not know the pattern {line}");
                pattern.to_owned()
            };
            if let Some(extension) = line.strip_prefix("*.") {
                extensions.push(owned(extension));
            } else if let Some(folder) = line.strip_prefix('/') {
                folders_at_root.push(owned(folder.trim_end_matches('/')));
            } else {
                folders.push(owned(line.strip_suffix('/').unwrap_or("")));
            }
        }
        Ignored { folders_at_root, folders, extensions }
    }

    fn covers(&self, path: &str, is_folder: bool) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        if is_folder {
            let (root, any) = (&self.folders_at_root, &self.folders);
            root.iter().any(|folder| folder == path) || any.iter().any(|folder| folder == name)
        } else {
            self.extensions.iter().any(|extension| name.ends_with(&format!(".{extension}")))
        }
    }
}

/// The folders of vectors that `file` runs: `suites("NAME")` is how a runner of ours gets them.
pub fn suites_named(file: &File) -> BTreeSet<String> {
    let calls = file.text.split("suites(\"").skip(1);
    if file.kind() != "rs" || file.path.contains("/tidy/") {
        return BTreeSet::new();
    }
    calls.filter_map(|rest| rest.split_once("\")")).map(|(name, _)| name.to_owned()).collect()
}

/// Why no runner runs the vector file at `path`; none where it is no vector file.
pub fn not_run(path: &str, named: &BTreeSet<String>) -> Option<String> {
    let inside = path.strip_prefix("tests/v1/")?;
    let Some((folder, name)) = inside.split_once('/') else {
        return Some(format!("{path}: stands in no folder of a kind, so no runner reads it"));
    };
    if !name.ends_with(".json") {
        return Some(format!("{path}: runners read files whose name ends with .json alone"));
    }
    (!named.contains(folder)).then(|| {
        format!("{path}: no runner names this folder; write one that calls suites({folder:?})")
    })
}

#[test]
fn a_vector_file_that_nobody_runs_is_found() {
    let runner = File::new("core/tests/worlds.rs", "for suite in suites(\"worlds\") {}");
    let named = suites_named(&runner);
    assert_eq!(not_run("tests/v1/worlds/a.json", &named), None);
    assert_eq!(not_run("tests/v1/worlds/deeper/a.json", &named), None);
    assert_eq!(not_run("core/src/world.rs", &named), None);
    for path in ["tests/v1/words/a.json", "tests/v1/a.json", "tests/v1/worlds/a.jsn"] {
        assert!(not_run(path, &named).is_some(), "{path}");
    }
}

#[test]
fn what_is_ignored_is_not_looked_at() {
    let ignored = Ignored::new("# built\n/target/\nnode_modules/\n*.pyc\n");
    for (path, is_folder, covered) in [
        ("target", true, true),
        ("core/target", true, false),
        ("npm/node_modules", true, true),
        ("a/b.pyc", false, true),
        ("a/target", false, false),
        ("a/pyc", false, false),
    ] {
        assert_eq!(ignored.covers(path, is_folder), covered, "{path}");
    }
}

#[test]
fn a_program_without_an_extension_is_known_by_its_first_line() {
    assert_eq!(File::new("tests/run", "#!/usr/bin/env python3\n").kind(), "py");
    assert_eq!(File::new("tests/lint", "#!/usr/bin/env bash\n").kind(), "sh");
    assert_eq!(File::new("Makefile", "all:\n").kind(), "");
    assert_eq!(File::new("a.b/run.mjs", "").kind(), "mjs");
}
