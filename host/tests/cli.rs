//! The command line of the real binary: exit codes, messages, and what goes where.

mod support;

use std::process::{Command, Output};

use support::{ITEMS, PAYMENTS, engine, folder_with, text};

fn run(command: &mut Command) -> (i32, String, String) {
    let Output { status, stdout, stderr } = command.output().expect("the engine runs");
    (status.code().expect("an exit code"), text(&stdout).to_owned(), text(&stderr).to_owned())
}

#[test]
fn without_a_subcommand_one_sentence_says_what_there_is() {
    let (code, out, err) = run(&mut engine());
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(err.lines().count(), 1);
    for word in ["init", "check", "world", "schema", "completions", "man", "--help"] {
        assert!(err.contains(word), "{err}");
    }
}

#[test]
fn usage_errors_exit_with_2() {
    let (_folder, file) = folder_with(ITEMS);
    let file = file.to_str().expect("UTF-8");
    for line in [
        &["nonsense"][..],
        &["--verbose"],
        &["check"],
        &["check", "--file"],
        &["check", "--file", file, "--log-level", "loud"],
        &["world"],
        &["world", "--file", file],
        &["world", "--file", file, "--"],
        &["world", "--file", file, "true"],
        &["world", "--serve"],
        &["world", "--file", file, "--serve", "--", "true"],
        &["world", "--file", file, "--serve", "--snapshot-out", "x"],
        &["init", "world.yaml"],
        &["completions"],
        &["completions", "tcsh"],
        &["man", "nonsense"],
    ] {
        let (code, out, err) = run(engine().args(line));
        assert_eq!((code, out.as_str()), (2, ""), "{line:?}: {err}");
        assert!(!err.is_empty(), "{line:?}");
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let (code, out, err) = run(engine().arg("--help"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.contains("world") && out.contains("schema"), "{out}");
    assert!(!out.contains("guard"), "{out}");

    let short = format!("attest-engine {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(engine().arg("--version")), (0, short.clone(), String::new()));

    let (code, out, _) = run(engine().args(["--version", "--verbose"]));
    assert_eq!(code, 0);
    assert!(out.starts_with(&short), "{out}");
    let core = format!("core {}", attest_host::guest::CORE_SHA256);
    assert!(out.lines().any(|line| line == core), "{out}");
}

#[test]
fn a_log_level_is_accepted_everywhere() {
    let (_folder, file) = folder_with(ITEMS);
    let file = file.to_str().expect("UTF-8");
    for level in ["debug", "info", "warn", "error"] {
        for line in [
            &["schema"][..],
            &["check", "--file", file],
            &["world", "--file", file, "--quiet", "--", "true"],
        ] {
            let (before, _, err) = run(engine().args(["--log-level", level]).args(line));
            assert_eq!(before, 0, "{line:?}: {err}");
            let mut options = line.to_vec();
            options.splice(1..1, ["--log-level", level]);
            let (behind, _, err) = run(engine().args(&options));
            assert_eq!(behind, 0, "{options:?}: {err}");
        }
    }
}

#[test]
fn check_prints_what_the_world_serves() {
    let (_folder, file) = folder_with(PAYMENTS);
    let (code, out, err) = run(engine().args(["check", "--file"]).arg(&file));
    assert_eq!((code, err.as_str()), (0, ""));
    for part in [
        "PAYMENTS_BASE_URL",
        "GET /orders/{id}",
        "POST /refunds",
        "GET /refunds?order_id",
        "GET /refunds/{refund_id}",
        "orders: 2 records",
        "refunds: 0 records",
        "inc-1042: timeout_after_commit on refunds create, request 1",
    ] {
        assert!(out.contains(part), "{part} in {out}");
    }
}

#[test]
fn schema_prints_the_published_file() {
    let published = include_str!("../../proto/attest/v1/world-v1.schema.json");
    assert_eq!(run(engine().arg("schema")), (0, published.to_owned(), String::new()));
}

#[test]
fn faults_of_a_definition_are_lines_that_name_the_file() {
    let definition = "world_version: 1\nbase_url_env: X\nresources:\n  a:\n    path: a\n    \
                      routes: [crate]\n";
    let (_folder, file) = folder_with(definition);
    let name = file.to_str().expect("UTF-8");
    let check = ["check", "--file", name];
    let run_in = ["world", "--file", name, "--", "true"];
    let serve = ["world", "--file", name, "--serve"];
    for line in [&check[..], &run_in, &serve] {
        let (code, out, err) = run(engine().args(line));
        assert_eq!((code, out.as_str()), (2, ""), "{line:?}");
        let lines: Vec<&str> = err.lines().collect();
        assert_eq!(lines.len(), 2, "{err}");
        assert!(lines[0].starts_with(&format!("{name}:5:11: resources.a.path: ")), "{err}");
        assert!(lines[1].starts_with(&format!("{name}:6:14: resources.a.routes[0]: ")), "{err}");
        assert!(lines[1].contains("did you mean"), "{err}");
    }
}

#[test]
fn after_50_faults_the_rest_is_counted() {
    let listed = |keys: usize| {
        let keys: String = (0..keys).map(|key| format!("unknown_{key}: 1\n")).collect();
        let (_folder, file) = folder_with(&format!("{ITEMS_YAML}{keys}"));
        let (code, _, err) = run(engine().args(["check", "--file"]).arg(&file));
        assert_eq!(code, 2);
        err.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(listed(50).len(), 50);
    let one_more = listed(51);
    assert_eq!((one_more.len(), one_more[50].as_str()), (51, "… and 1 more fault"));
    let more = listed(60);
    assert_eq!((more.len(), more[50].as_str()), (51, "… and 10 more faults"));
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let (folder, _) = folder_with(ITEMS);
    for name in [folder.path().join("missing.yaml"), folder.path().to_owned()] {
        let name = name.to_str().expect("UTF-8");
        for line in [&["check", "--file", name][..], &["world", "--file", name, "--", "true"]] {
            let (code, out, err) = run(engine().args(line));
            assert_eq!((code, out.as_str()), (2, ""), "{line:?}");
            assert!(err.contains(name) && err.lines().count() == 1, "{err}");
        }
    }
}

#[test]
fn standard_error_is_silent_at_warn_and_uncoloured_in_a_pipe() {
    let (_folder, file) = folder_with(ITEMS);
    let (code, _, err) =
        run(engine().args(["world", "--quiet", "--file"]).arg(&file).args(["--", "true"]));
    assert_eq!((code, err.as_str()), (0, ""));
    let (_, _, err) = run(&mut engine());
    assert!(err.starts_with("attest: error: "), "{err}");
}

const ITEMS_YAML: &str = "world_version: 1\nbase_url_env: X\nresources:\n  items:\n    \
                          path: /items\n    routes: [list]\n";
