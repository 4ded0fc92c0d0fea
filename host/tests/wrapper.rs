//! `world -- CMD`: what the command gets, what becomes of its end, and that nothing stays.
//! It looks for processes in `/proc`.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use attest_vectors::http;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use support::{
    PAYMENTS, folder_with, kill_while_starting, read_to_close, run_script, running_in, text, wait,
    wait_until, world,
};
use tempfile::TempDir;

#[test]
fn standard_streams_and_variables_are_the_commands() {
    let (_folder, file) = folder_with(PAYMENTS);
    let mut command = world(&file);
    command.args(["--", "sh", "-c", "cat; echo \"$0 $PAYMENTS_BASE_URL $OTHER\"; echo e >&2"]);
    command.arg("an argument").env("OTHER", "as it was").stdin(Stdio::piped());
    let mut process = command.spawn().expect("the engine starts");
    process.stdin.take().expect("a pipe").write_all(b"in\n").expect("it is read");
    let output = process.wait_with_output().expect("it ends");
    let out = text(&output.stdout);
    let (first, rest) = out.split_once('\n').expect("lines");
    assert_eq!(first, "in");
    let words: Vec<&str> = rest.trim_end().splitn(4, ' ').collect();
    assert_eq!((words[0], words[1], words[3]), ("an", "argument", "as it was"));
    assert!(words[2].starts_with("http://127.0.0.1:") && !words[2].ends_with('/'), "{out}");
    assert_eq!(text(&output.stderr), "e\nattest: 2 orders, 0 refunds; 0 faults fired\n");
}

#[test]
fn loopback_is_kept_from_proxies() {
    let (_folder, file) = folder_with(PAYMENTS);
    let proxies = |set: &[(&str, &str)]| {
        let mut command = world(&file);
        command.env_remove("NO_PROXY").env_remove("no_proxy").envs(set.iter().copied());
        command.args(["--", "sh", "-c", "echo \"$NO_PROXY $no_proxy\""]);
        text(&command.output().expect("it runs").stdout).to_owned()
    };
    let local = "127.0.0.1,localhost,::1";
    assert_eq!(proxies(&[]), format!("{local} {local}\n"));
    let both = proxies(&[("NO_PROXY", "a.example"), ("no_proxy", "b.example")]);
    assert_eq!(both, format!("a.example,{local} b.example,{local}\n"));
    let one = proxies(&[("NO_PROXY", "a.example")]);
    assert_eq!(one, format!("a.example,{local} a.example,{local}\n"));
}

#[test]
fn the_exit_status_is_the_commands() {
    for (script, code) in [
        ("exit 0", 0),
        ("exit 3", 3),
        ("exit 70", 70),
        ("exit 255", 255),
        ("kill -TERM $$", 143),
        ("kill -KILL $$", 137),
        ("kill -INT $$", 130),
    ] {
        assert_eq!(run_script(&[], script).status.code(), Some(code), "{script}");
    }
}

#[test]
fn commands_that_cannot_run_have_their_own_codes() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, file) = folder_with(PAYMENTS);
    let script = folder.path().join("script");
    fs::write(&script, "#!/no/such/interpreter\n").expect("it is written");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let run = |program: &str| {
        let output = world(&file).args(["--", program]).output().expect("the engine runs");
        let err = text(&output.stderr).to_owned();
        assert!(err.starts_with("attest: error: ") && err.contains(program), "{err}");
        output.status.code()
    };
    assert_eq!(run("no-such-command-anywhere"), Some(127));
    assert_eq!(run("/no/such/command"), Some(127));
    assert_eq!(run(file.to_str().expect("UTF-8")), Some(126));
    assert_eq!(run(folder.path().to_str().expect("UTF-8")), Some(126));
    assert_eq!(run(script.to_str().expect("UTF-8")), Some(126));
}

#[test]
fn quiet_leaves_the_closing_line_out() {
    let output = run_script(&["--quiet"], "exit 1");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(1), ""));
}

#[test]
fn the_snapshot_is_written_also_when_the_command_failed() {
    for code in [0, 9] {
        let (folder, file) = folder_with(PAYMENTS);
        let out = folder.path().join("snapshot.json");
        fs::write(&out, "from an earlier run").expect("it is written");
        let state = folder.path().join("state.json");
        // What the world says of itself in the end is what is written.
        let mut engine = Running::start(
            &folder,
            &file,
            &["--snapshot-out", out.to_str().expect("UTF-8")],
            &format!("read line; exit {code}"),
        );
        let served = engine.get("/_attest/state");
        fs::write(&state, &served).expect("it is written");
        drop(engine.stdin.take());
        assert_eq!(wait(&mut engine.process).code(), Some(code));
        assert_eq!(fs::read(&out).expect("a snapshot"), served);
        let snapshot: Value = serde_json::from_slice(&served).expect("JSON");
        assert_eq!(snapshot["state"]["orders"].as_array().map(Vec::len), Some(2));
        let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(names.len(), 3, "no other file stays: {names:?}");
    }
}

#[test]
fn a_snapshot_goes_through_links_and_into_pipes() {
    let (folder, file) = folder_with(PAYMENTS);
    let real = folder.path().join("real.json");
    let link = folder.path().join("link.json");
    fs::write(&real, "").expect("it is written");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    for target in [link.to_str().expect("UTF-8"), "/dev/stdout"] {
        let mut command = world(&file);
        command.args(["--snapshot-out", target, "--", "true"]);
        let output = command.output().expect("the engine runs");
        assert!(output.status.success(), "{target}: {}", text(&output.stderr));
        let written =
            if target == "/dev/stdout" { output.stdout } else { fs::read(&real).expect("it") };
        assert!(text(&written).starts_with("{\"world_version\":1,"), "{target}");
    }
    assert!(fs::symlink_metadata(&link).expect("it is there").is_symlink());
}

#[test]
fn a_folder_that_cannot_take_the_snapshot_is_found_before_the_command_starts() {
    let (folder, file) = folder_with(PAYMENTS);
    let missing = folder.path().join("missing/snapshot.json");
    let below_a_file = file.join("snapshot.json");
    for target in [missing.as_path(), &below_a_file, folder.path()] {
        let mut command = world(&file);
        command.arg("--snapshot-out").arg(target).args(["--", "echo", "started"]);
        let output = command.output().expect("the engine runs");
        let err = text(&output.stderr);
        assert_eq!((output.status.code(), text(&output.stdout)), (Some(2), ""), "{err}");
        assert!(err.contains(target.to_str().expect("UTF-8")), "{err}");
    }
}

#[test]
fn a_snapshot_that_cannot_be_written_in_the_end_is_a_failure_of_the_engine() {
    for (code, expected) in [(0, 70), (9, 9)] {
        let (folder, file) = folder_with(PAYMENTS);
        let place = folder.path().join("place");
        fs::create_dir(&place).expect("a folder");
        let out = place.join("snapshot.json");
        let mut command = world(&file);
        command.arg("--snapshot-out").arg(&out).arg("--");
        command.args(["sh", "-c", &format!("rmdir \"$0\"; exit {code}")]).arg(&place);
        let output = command.output().expect("the engine runs");
        let err = text(&output.stderr);
        assert_eq!(output.status.code(), Some(expected), "{err}");
        assert!(err.contains(out.to_str().expect("UTF-8")), "{err}");
    }
}

#[test]
fn signals_go_on_to_the_command_and_its_children() {
    for (signal, name) in [(Signal::INT, "INT"), (Signal::TERM, "TERM"), (Signal::HUP, "HUP")] {
        let (folder, file) = folder_with(PAYMENTS);
        // The child of the shell gets it, and so does the shell, once.
        let child = format!("trap \"echo child >> heard; exit\" {name}; READY; {FOREVER}");
        let script = format!("trap 'echo parent >> heard; exit 5' {name}; sh -c '{child}'");
        let mut engine = Running::start(&folder, &file, &[], &script);
        engine.signal(signal);
        assert_eq!(wait(&mut engine.process).code(), Some(5), "{name}");
        let heard = fs::read_to_string(folder.path().join("heard")).expect("it is written");
        let mut heard: Vec<&str> = heard.lines().collect();
        heard.sort_unstable();
        assert_eq!(heard, ["child", "parent"], "{name}");
    }
}

#[test]
fn a_command_that_a_signal_ends_is_told_by_the_exit_code() {
    for (signal, code) in [(Signal::INT, 130), (Signal::TERM, 143), (Signal::HUP, 129)] {
        let (folder, file) = folder_with(PAYMENTS);
        let mut engine = Running::start(&folder, &file, &[], "exec sleep 1000");
        engine.signal(signal);
        assert_eq!(wait(&mut engine.process).code(), Some(code));
    }
}

#[test]
fn a_hang_up_that_was_to_be_ignored_is_ignored() {
    let (folder, file) = folder_with(PAYMENTS);
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' HUP; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_attest-engine")]);
    shell.args(["world", "--file"]).arg(&file);
    let mut engine = Running::start_by(shell, &folder, &[], "read line; exit 4");
    engine.signal(Signal::HUP);
    drop(engine.stdin.take());
    assert_eq!(wait(&mut engine.process).code(), Some(4));
}

#[test]
fn a_second_term_kills_a_command_that_ignores_it() {
    let (folder, file) = folder_with(PAYMENTS);
    let script = format!("trap 'echo > heard' TERM; READY; {FOREVER}");
    let mut engine = Running::start(&folder, &file, &[], &script);
    engine.signal(Signal::TERM);
    wait_until("the first is heard", || folder.path().join("heard").exists());
    assert!(engine.process.try_wait().expect("it can be waited for").is_none());
    engine.signal(Signal::TERM);
    assert_eq!(wait(&mut engine.process).code(), Some(137));
    engine.nothing_stays();
}

#[test]
fn a_command_that_outlives_term_is_killed() {
    let (folder, file) = folder_with(PAYMENTS);
    let script = format!("trap '' TERM; READY; {FOREVER}");
    let mut engine = Running::start(&folder, &file, &[], &script);
    engine.signal(Signal::TERM);
    assert_eq!(wait(&mut engine.process).code(), Some(137));
    engine.nothing_stays();
}

#[test]
fn nothing_outlives_a_killed_engine() {
    for script in [
        "sleep 1000",
        "sleep 1000 & sleep 1000 & wait",
        "trap '' TERM INT HUP; READY; sh -c 'sleep 1000 & wait' & wait",
        "(sleep 1000 &) ; sleep 1000",
    ] {
        let (folder, file) = folder_with(PAYMENTS);
        let mut engine = Running::start(&folder, &file, &["--snapshot-out", "out.json"], script);
        engine.signal(Signal::KILL);
        wait(&mut engine.process);
        engine.nothing_stays();
        let names: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
        assert_eq!(names.len(), 1, "no file stays: {names:?}");
    }
}

#[test]
fn nothing_outlives_an_engine_that_is_killed_while_the_command_starts() {
    let (folder, file) = folder_with(PAYMENTS);
    kill_while_starting(40, &folder, &file, &["sh", "-c", "sleep 1000 & sleep 1000"]);
    wait_until("nothing runs in the folder", || running_in(folder.path()).is_empty());
}

#[test]
fn a_held_answer_ends_with_the_engine() {
    for signal in [Signal::TERM, Signal::KILL] {
        let (folder, file) = folder_with(PAYMENTS);
        let mut engine = Running::start(&folder, &file, &[], "sleep 1000 & wait");
        let mut held = engine.send("POST", "/refunds", "{}");
        wait_until("the fault fires", || {
            let snapshot = engine.get("/_attest/state");
            let snapshot: Value = serde_json::from_slice(&snapshot).expect("JSON");
            snapshot["faults_fired_count"] == 1
        });
        engine.signal(signal);
        wait(&mut engine.process);
        assert_eq!(read_to_close(&mut held), b"");
        engine.nothing_stays();
    }
}

#[test]
fn a_last_request_counts_though_nobody_waits_for_its_answer() {
    let script = "place=${PAYMENTS_BASE_URL#http://}; address=${place%%/*}; \
        exec 3<>/dev/tcp/${address%:*}/${address#*:}; \
        printf 'POST /%s/refunds HTTP/1.1\\r\\nContent-Length: 2\\r\\n\\r\\n{}' ${place#*/} >&3";
    for _ in 0..30 {
        let (_folder, file) = folder_with(PAYMENTS);
        let output = world(&file).args(["--", "bash", "-c", script]).output().expect("it runs");
        let err = text(&output.stderr);
        assert_eq!(err, "attest: 2 orders, 1 refund; 1 fault fired\n");
    }
}

#[test]
fn what_the_command_leaves_running_goes_on_after_a_normal_end() {
    let (folder, file) = folder_with(PAYMENTS);
    let script = "sh -c 'while [ ! -e go ]; do sleep 0.05; done; echo > done' > err 2>&1 & exit 6";
    let mut engine = Running::start(&folder, &file, &[], script);
    assert_eq!(wait(&mut engine.process).code(), Some(6));
    fs::write(folder.path().join("go"), "").expect("it is written");
    wait_until("it has gone on", || folder.path().join("done").exists());
    engine.nothing_stays();
}

#[test]
fn the_guard_does_nothing_for_those_who_start_it_by_hand() {
    // In a group that it does not lead, it leaves everybody alone.
    let output = support::engine().arg("__guard").stdin(Stdio::null()).output();
    assert_eq!(output.expect("it runs").status.code(), Some(2));
}

/// A script that only a signal ends.
const FOREVER: &str = "while :; do sleep 0.05; done";

/// An engine whose command has said where it is.
struct Running<'a> {
    process: Child,
    stdin: Option<std::process::ChildStdin>,
    folder: &'a Path,
    address: String,
    base_path: String,
}

impl<'a> Running<'a> {
    /// Starts `script` in `folder`, inside the world of `file`, and waits until it runs; where
    /// it holds the word `READY`, until it gets there.
    fn start(folder: &'a TempDir, file: &Path, options: &[&str], script: &str) -> Running<'a> {
        Running::start_by(world(file), folder, options, script)
    }

    fn start_by(
        mut command: Command,
        folder: &'a TempDir,
        options: &[&str],
        script: &str,
    ) -> Running<'a> {
        let script =
            if script.contains("READY") { script.to_owned() } else { format!("READY; {script}") };
        let script = script.replace("READY", "echo \"$PAYMENTS_BASE_URL\"");
        command.args(options).args(["--", "sh", "-c", &script]).current_dir(folder.path());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("the engine starts");
        let stdin = process.stdin.take();
        let mut url = String::new();
        let stdout = process.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut url).expect("the command runs");
        let place = url.trim_end().strip_prefix("http://").expect("a base URL");
        let (address, token) = place.split_once('/').expect("a token");
        let (address, base_path) = (address.to_owned(), format!("/{token}"));
        Running { process, stdin, folder: folder.path(), address, base_path }
    }

    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process), signal).expect("the engine runs");
    }

    fn send(&self, method: &str, path: &str, body: &str) -> TcpStream {
        let target = format!("{}{path}", self.base_path);
        let request = http::request_bytes(method, &target, "localhost", &[], body.as_bytes());
        http::send(&self.address, &request).expect("a connection")
    }

    fn get(&self, path: &str) -> Vec<u8> {
        let mut stream = self.send("GET", path, "");
        http::read_answer(&mut stream, false).expect("an answer").body
    }

    /// Waits until the command, what it started and the guard are gone, and the port is closed.
    fn nothing_stays(&self) {
        wait_until("nothing runs in the folder", || running_in(self.folder).is_empty());
        assert!(TcpStream::connect(&self.address).is_err(), "the port is closed");
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
