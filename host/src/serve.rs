//! `attest-engine world --serve`: a world for a test helper in another process.
//!
//! One line on standard output says where the world is, one on standard input or its end stops
//! it, and one more line on standard output holds the final snapshot.
//!
//! Spec: "The command line".

use std::io::{self, Read};
use std::path::PathBuf;
use std::thread;

use tokio::sync::oneshot;

use crate::error::Error;
use crate::listener::{HostRule, serve_during};
use crate::log::Log;
use crate::{check, child, cli, exit};

/// What to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The definition file.
    pub file: PathBuf,
    /// Names that `Host` headers may carry too.
    pub allow_hosts: Vec<String>,
}

/// Serves until it is told to stop, and returns the exit code. Where the core has failed, that
/// is the engine's own, and the last line is not written.
///
/// # Errors
///
/// [`Error::BeforeServing`] when the first line was not written. Otherwise the core failed over
/// the snapshot, or standard output took no more; the last line was not written then.
pub fn serve(options: Options, log: Log) -> Result<u8, Error> {
    let before = |error| Error::BeforeServing(Box::new(error));
    let hosts = HostRule::new(&options.allow_hosts).map_err(before)?;
    let world = check::open(&options.file).map_err(before)?;
    child::raise_file_limit();
    let variable = world.description().base_url_env.clone();
    let (stopped, mut world) = serve_during(world, hosts, log, async |base_url| {
        // Signals count from the first line on.
        let signals = Signals::listen().map_err(Error::Listen)?;
        let first = serde_json::json!({"env": {variable: base_url}});
        cli::print(format!("{first}\n").as_bytes())?;
        Ok(tokio::select! {
            () = told_to_stop(log) => exit::SUCCESS,
            signal = signals.next() => exit::SIGNAL_BASE + signal,
        })
    })
    .map_err(before)?;
    let code = stopped.map_err(before)?;
    // It was told when it happened.
    if world.faulted() {
        return Ok(exit::ENGINE);
    }
    let snapshot = world.snapshot()?;
    cli::print(&[b"{\"world\":", &snapshot[..], b"}\n"].concat())?;
    Ok(code)
}

/// Returns when a line `stop` or the end of standard input has come.
async fn told_to_stop(log: Log) {
    let (stop, stopped) = oneshot::channel();
    // Reading may take for ever; the thread ends with the process.
    thread::spawn(move || {
        read_to_stop(io::stdin().lock(), |line| {
            log.warn(format_args!("unknown line on standard input: {line:?}; it takes: stop"));
        });
        let _ = stop.send(());
    });
    // Without a thread there is nobody to stop it but signals.
    let _ = stopped.await;
}

/// Reads up to a line `stop` or the end. Every other line goes to `other`, cut when long.
fn read_to_stop(mut input: impl Read, mut other: impl FnMut(&str)) {
    let mut line = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let read = match input.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            // Whoever could have stopped it is gone.
            Err(_) => break,
        };
        for byte in &piece[..read] {
            if *byte != b'\n' {
                if line.len() < LINE_BYTES_KEPT_MAX {
                    line.push(*byte);
                }
                continue;
            }
            let text = String::from_utf8_lossy(&line);
            let text = text.trim_matches([' ', '\r', '\t']);
            if text == "stop" {
                return;
            }
            other(text);
            line.clear();
        }
    }
}

/// The signals that end serving in an orderly way.
struct Signals {
    #[cfg(unix)]
    streams: [(tokio::signal::unix::Signal, u8); 2],
}

#[cfg(unix)]
impl Signals {
    fn listen() -> io::Result<Signals> {
        use tokio::signal::unix::{SignalKind, signal};
        let streams = [SignalKind::terminate(), SignalKind::interrupt()]
            .map(|kind| signal(kind).map(|stream| (stream, kind.as_raw_value() as u8)));
        let [terminate, interrupt] = streams;
        Ok(Signals { streams: [terminate?, interrupt?] })
    }

    /// The number of the first signal that comes.
    async fn next(self) -> u8 {
        let [(mut terminate, fifteen), (mut interrupt, two)] = self.streams;
        tokio::select! {
            _ = terminate.recv() => fifteen,
            _ = interrupt.recv() => two,
        }
    }
}

#[cfg(windows)]
impl Signals {
    fn listen() -> io::Result<Signals> {
        Ok(Signals {})
    }

    /// The number of the first signal that comes.
    async fn next(self) -> u8 {
        const INTERRUPT: u8 = 2;
        match tokio::signal::ctrl_c().await {
            Ok(()) => INTERRUPT,
            Err(_) => std::future::pending().await,
        }
    }
}

/// What is kept of a line. No line that means something is as long.
const LINE_BYTES_KEPT_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;

    fn others(input: &str) -> (Vec<String>, usize) {
        let mut others = Vec::new();
        let mut rest = input.as_bytes();
        read_to_stop(&mut rest, |line| others.push(line.to_owned()));
        (others, rest.len())
    }

    #[test]
    fn a_line_stop_ends_it_whatever_surrounds_it() {
        for input in ["stop\n", " stop \r\n", "\tstop\r\n"] {
            assert_eq!(others(input), (Vec::new(), 0), "{input:?}");
        }
    }

    #[test]
    fn other_lines_are_told_and_passed_over() {
        let (told, _) = others("stop it\n\nSTOP\nstop\nnever read\n");
        assert_eq!(told, ["stop it", "", "STOP"]);
    }

    #[test]
    fn a_long_line_is_cut_and_the_end_needs_no_line() {
        let (told, _) = others(&format!("{}\nstop", "x".repeat(10_000)));
        assert_eq!(told, ["x".repeat(LINE_BYTES_KEPT_MAX)]);
    }
}
