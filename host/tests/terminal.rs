//! `world -- CMD` in a terminal: who is in the foreground, and when.
#![cfg(target_os = "linux")]

mod support;

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use rustix::process::{ioctl_tiocsctty, setsid};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use support::{PAYMENTS, folder_with, running_in, wait, wait_until};
use tempfile::TempDir;

#[test]
fn the_command_reads_from_the_terminal_and_gives_it_back() {
    let mut terminal = Terminal::run(
        "$WORLD -- sh -c 'echo ready; read line; echo \"got $line\"'; \
         read line; echo \"back $line\"",
    );
    terminal.wait_for("ready");
    terminal.type_in("one\n");
    terminal.wait_for("got one");
    terminal.wait_for("attest: 2 orders");
    terminal.type_in("two\n");
    terminal.wait_for("back two");
    assert_eq!(terminal.ended(), Some(0));
}

#[test]
fn a_command_that_cannot_be_started_gives_the_terminal_back() {
    let mut terminal = Terminal::run("$WORLD -- /no/such/command; read line; echo \"back $line\"");
    terminal.wait_for("not found");
    terminal.type_in("one\n");
    terminal.wait_for("back one");
}

#[test]
fn ctrl_c_reaches_the_command_once_and_not_the_engine() {
    let mut terminal = Terminal::run(
        "$WORLD -- sh -c 'n=0; trap \"n=\\$((n + 1)); echo heard \\$n\" INT; echo ready; \
         while [ ! -e go ]; do sleep 0.05; done; echo \"in all $n\"; exit 7'",
    );
    terminal.wait_for("ready");
    terminal.type_in("\x03");
    terminal.wait_for("heard 1");
    std::fs::write(terminal.folder.path().join("go"), "").expect("it is written");
    terminal.wait_for("in all 1");
    terminal.wait_for("attest: 2 orders");
    assert_eq!(terminal.ended(), Some(7));
}

#[test]
fn a_command_that_makes_a_group_for_itself_hears_keys_and_reads() {
    // As in a shell, where `timeout` leads its group already.
    let mut terminal = Terminal::run(
        "$WORLD -- timeout 1000 sh -c 'trap \"echo heard; exit 9\" INT; echo ready; \
         read line; echo \"got $line\"; while :; do sleep 0.05; done'; \
         echo \"ended $?\"; read line; echo \"back $line\"",
    );
    terminal.wait_for("ready");
    terminal.type_in("one\n");
    terminal.wait_for("got one");
    terminal.type_in("\x03");
    terminal.wait_for("heard");
    terminal.wait_for("ended");
    terminal.type_in("two\n");
    terminal.wait_for("back two");
}

#[test]
fn nothing_outlives_an_engine_that_is_killed_in_a_terminal() {
    let terminal = Terminal::run(
        "$WORLD -- sh -c 'env -i sleep 1000 & setsid sh -c \"echo ready; sleep 1000\" & wait' & \
         while [ ! -e go ]; do sleep 0.05; done; kill -KILL $!; wait $!; echo \"ended $?\"",
    );
    terminal.wait_for("ready");
    std::fs::write(terminal.folder.path().join("go"), "").expect("it is written");
    terminal.wait_for("ended 137");
    wait_until("all is gone", || running_in(terminal.folder.path()).is_empty());
}

#[test]
fn ctrl_z_stops_the_job_and_the_shell_continues_it() {
    let mut terminal = Terminal::run(
        "set -m; $WORLD -- sh -c 'echo ready; read line; echo \"got $line\"; exit 3'; \
         echo \"stopped $?\"; fg > /dev/null; echo \"ended $?\"",
    );
    terminal.wait_for("ready");
    terminal.type_in("\x1a");
    terminal.wait_for("stopped 148");
    terminal.type_in("one\n");
    terminal.wait_for("got one");
    terminal.wait_for("ended 3");
}

#[test]
fn a_background_job_that_reads_stops_until_it_is_brought_forward() {
    let mut terminal = Terminal::run(
        "set -m; $WORLD -- sh -c 'read line < /dev/tty; echo \"got $line\"' & \
         while ! jobs | grep -q Stopped; do sleep 0.05; done; echo stopped; \
         fg > /dev/null; echo \"ended $?\"",
    );
    terminal.wait_for("stopped");
    terminal.type_in("one\n");
    terminal.wait_for("got one");
    terminal.wait_for("ended 0");
}

#[test]
fn a_pager_beside_the_engine_gets_the_terminal_when_it_asks() {
    let mut terminal = Terminal::run(
        "set -m; $WORLD -- sh -c 'echo from command; while [ ! -e go ]; do sleep 0.05; done' | \
         (read text; echo \"piped $text\"; read key < /dev/tty; echo \"key $key\"; echo > go); \
         echo \"ended $?\"",
    );
    terminal.wait_for("piped from command");
    terminal.type_in("q\n");
    terminal.wait_for("key q");
    terminal.wait_for("ended 0");
}

#[test]
fn colour_is_for_terminals_that_did_not_ask_for_none() {
    let mut terminal = Terminal::run(
        "unset NO_COLOR; engine=${WORLD%% *}; $engine; echo 1; NO_COLOR=1 $engine; echo 2; \
         NO_COLOR= $engine; echo 3; $engine 2> file; cat file; echo 4; $engine --help; \
         $engine worlds; echo 5",
    );
    terminal.wait_for("5\r\n");
    let screen = terminal.screen.lock().expect("a lock").clone();
    let mut colours = Vec::new();
    let mut rest = screen.as_str();
    for mark in ["1\r\n", "2\r\n", "3\r\n", "4\r\n", "5\r\n"] {
        let (part, behind) = rest.split_once(&format!("\n{mark}")).expect("its mark");
        assert!(part.contains("error"), "{part}");
        colours.push(part.contains('\x1b'));
        rest = behind;
    }
    // An empty NO_COLOR is none; help and usage never have colours.
    assert_eq!(colours, [true, false, true, false, false], "{screen}");
    assert_eq!(terminal.ended(), Some(0));
}

/// A shell that leads a session of its own in a terminal of its own.
struct Terminal {
    keyboard: File,
    screen: Arc<Mutex<String>>,
    shell: Child,
    folder: TempDir,
}

impl Terminal {
    /// Runs `script`, in which `$WORLD` runs a command inside the payments world.
    fn run(script: &str) -> Terminal {
        let (folder, file) = folder_with(PAYMENTS);
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
        grantpt(&master).expect("a terminal");
        unlockpt(&master).expect("a terminal");
        let name = ptsname(&master, Vec::new()).expect("a name");
        let name = name.to_str().expect("UTF-8");
        let device = OpenOptions::new().read(true).write(true).open(name).expect("a terminal");
        let copy = || Stdio::from(device.try_clone().expect("a copy"));

        let engine = env!("CARGO_BIN_EXE_attest-engine");
        let mut shell = Command::new("bash");
        shell.args(["-c", script]).current_dir(folder.path());
        shell.env("WORLD", format!("{engine} world --file {}", file.display()));
        shell.stdin(copy()).stdout(copy()).stderr(copy());
        // SAFETY: both are plain system calls, which may be made between fork and exec.
        unsafe {
            shell.pre_exec(|| {
                setsid()?;
                ioctl_tiocsctty(rustix::stdio::stdin())?;
                Ok(())
            })
        };
        let shell = shell.spawn().expect("a shell");
        let keyboard = File::from(master);
        let mut output = keyboard.try_clone().expect("a copy");
        let screen = Arc::new(Mutex::new(String::new()));
        let shown = Arc::clone(&screen);
        thread::spawn(move || {
            let mut bytes = [0; 1024];
            // Reading fails once nobody has the terminal open any more.
            while let Ok(count @ 1..) = output.read(&mut bytes) {
                shown.lock().expect("a lock").push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        Terminal { keyboard, screen, shell, folder }
    }

    fn type_in(&mut self, keys: &str) {
        self.keyboard.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    fn wait_for(&self, text: &str) {
        let shown = || self.screen.lock().expect("a lock").clone();
        wait_until(&format!("{text:?} on the screen"), || shown().contains(text));
    }

    fn ended(&mut self) -> Option<i32> {
        wait(&mut self.shell).code()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if thread::panicking() {
            eprintln!("on the screen:\n{}", self.screen.lock().expect("a lock"));
        }
        // The end of its session hangs up on everybody in it.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}
