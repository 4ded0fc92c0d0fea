//! HTTP before a world: one port of 127.0.0.1, one path token, one owner.
//!
//! Everything happens on one thread. A request reaches the world by a plain call at the moment
//! its body is complete; that is the one place where order is decided. This is the only file
//! that knows hyper.
//!
//! Spec: "The listener".

mod connection;
mod framing;
mod host_rule;
mod token;

use std::cell::{Cell, RefCell};
use std::convert::Infallible;
use std::fmt;
use std::future::Future;
use std::io;
use std::net::Ipv4Addr;
use std::rc::Rc;
use std::time::Duration;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::http::request::Parts;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{LocalSet, spawn_local, yield_now};

use crate::error::Error;
use crate::frame::{ReplyFrame, RequestBody, RequestFrame};
use crate::log::Log;
use crate::world::World;

use connection::{Connection, ConnectionIo};
pub use host_rule::HostRule;
use token::Token;

/// Serves `world` for as long as the future that `work` makes from the base URL takes. Returns
/// what it came to, and the world: by then it has carried out what had come in when `work`
/// ended, no further request can reach it, and every connection is closed.
///
/// # Errors
///
/// [`Error::Listen`] when no port can be opened; `work` is not called then.
pub fn serve_during<W, F>(
    world: World,
    hosts: HostRule,
    log: Log,
    work: W,
) -> Result<(F::Output, World), Error>
where
    W: FnOnce(String) -> F,
    F: Future,
{
    try_files().map_err(Error::Listen)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(Error::Listen)?;
    let tasks = LocalSet::new();
    let site = Rc::new(Site {
        request_headers: header_names(&world),
        world: RefCell::new(world),
        token: Token::random().map_err(Error::Listen)?,
        hosts,
        log,
        progress: Cell::new(0),
    });
    let output = tasks.block_on(&runtime, async {
        let listener = listen()?;
        let port = listener.local_addr()?.port();
        log.info(format_args!("listening on 127.0.0.1:{port}"));
        spawn_local(accept(listener, Rc::clone(&site)));
        let output = work(format!("http://127.0.0.1:{port}/{}", site.token.as_str())).await;
        site.take_in_the_rest().await;
        Ok(output)
    });
    // Closes the port and every connection, held ones too.
    drop(tasks);
    let output = output.map_err(Error::Listen)?;
    let site = Rc::into_inner(site).expect("every task that shared the site has been dropped");
    Ok((output, site.world.into_inner()))
}

/// Whether the few files that everything here needs can be opened: where the runtime cannot open
/// its own it panics.
fn try_files() -> io::Result<()> {
    #[cfg(unix)]
    {
        let pairs = (0..FILE_PAIRS_NEEDED).map(|_| std::os::unix::net::UnixStream::pair());
        pairs.collect::<io::Result<Vec<_>>>()?;
    }
    Ok(())
}

/// A port of 127.0.0.1 that the system chooses. Connections are taken from now on.
fn listen() -> io::Result<TcpListener> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::LOCALHOST, 0).into())?;
    socket.listen(BACKLOG)
}

/// The headers that the world reads. A name that HTTP does not know comes with no request.
fn header_names(world: &World) -> Vec<HeaderName> {
    world.description().request_headers.iter().filter_map(|name| name.parse().ok()).collect()
}

/// What every connection shares.
struct Site {
    /// The names of the headers that the world reads.
    request_headers: Vec<HeaderName>,
    world: RefCell<World>,
    token: Token,
    hosts: HostRule,
    log: Log,
    /// Moves on whenever anything comes in: a connection, a request, a piece of a body.
    progress: Cell<u64>,
}

impl Site {
    fn came_in(&self) {
        self.progress.set(self.progress.get().wrapping_add(1));
    }

    /// Carries out what has come in by now: a client may send its last request and leave.
    async fn take_in_the_rest(&self) {
        let mut quiet_turns = 0;
        for _ in 0..LAST_TURNS_MAX {
            let before = self.progress.get();
            yield_now().await;
            quiet_turns = if self.progress.get() == before { quiet_turns + 1 } else { 0 };
            if quiet_turns == QUIET_TURNS {
                return;
            }
        }
    }
}

/// Takes connections until it is dropped. No error ends it: one that stays, such as having no
/// file left to open, is waited out.
async fn accept(listener: TcpListener, site: Rc<Site>) -> Infallible {
    let mut warned = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                site.came_in();
                spawn_local(carry(stream, Rc::clone(&site)));
            }
            Err(error) => {
                if !warned {
                    site.log.warn(format_args!("cannot take a connection: {error}"));
                    warned = true;
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

/// Carries one connection to its end.
async fn carry(stream: TcpStream, site: Rc<Site>) {
    // Without it small replies may wait for the client's acknowledgement; not having it is
    // no reason to refuse the connection.
    let _ = stream.set_nodelay(true);
    let log = site.log;
    let connection = Rc::new(Connection::new(stream));
    let io = TokioIo::new(ConnectionIo(Rc::clone(&connection)));
    let service =
        service_fn(move |request| answer(Rc::clone(&site), Rc::clone(&connection), request));
    let mut http = http1::Builder::new();
    // A client may stay connected without asking anything, and may be as slow as it likes. One
    // that has said all that it will ever say may still wait for its answers.
    http.header_read_timeout(None).half_close(true).max_buf_size(HEAD_BYTES_MAX);
    if let Err(error) = http.serve_connection(io, service).await {
        log.debug(format_args!("a connection ended: {error}"));
    }
}

/// Answers one request, or says why its connection is closed without an answer.
async fn answer(
    site: Rc<Site>,
    connection: Rc<Connection>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Unanswered> {
    let (head, body) = request.into_parts();
    if connection.next_head_is_ambiguous() {
        return Ok(bare_bad_request());
    }
    site.came_in();
    let body = match read_body(body, &site).await {
        Err(Unanswered::BrokenBody) => return Ok(bare_bad_request()),
        body => body?,
    };
    let reply = match refused_host(&site.hosts, &head) {
        Some(host) => invalid_host(&host),
        None => reach_world(&site, &head, &body),
    };
    let held = if reply.hold_ms == 0 { "" } else { ", held" };
    let shown = site.token.behind(head.uri.path()).unwrap_or("(no token)");
    site.log.debug(format_args!("{} {shown}: {}{held}", head.method, reply.status));
    if reply.hold_ms != 0 {
        connection.hold(Duration::from_millis(u64::from(reply.hold_ms))).await;
        return Err(Unanswered::Held);
    }
    Ok(response(&site.token, reply))
}

/// Reads a body to its end. What is over the limit is dropped, so that the client gets to the
/// point of reading its refusal.
async fn read_body(mut body: Incoming, site: &Site) -> Result<ReadBody, Unanswered> {
    let mut kept = Vec::new();
    let mut bytes_read = 0;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| unreadable(&error))?.into_data() else {
            continue;
        };
        site.came_in();
        bytes_read += data.len();
        if bytes_read > BODY_BYTES_READ_MAX {
            return Err(Unanswered::EndlessBody);
        }
        if bytes_read <= BODY_BYTES_MAX {
            kept.extend_from_slice(&data);
        } else {
            kept = Vec::new();
        }
    }
    Ok(if bytes_read > BODY_BYTES_MAX { ReadBody::TooLarge } else { ReadBody::Complete(kept) })
}

/// Why a body could not be read: it ended early, or its chunks are none.
fn unreadable(error: &hyper::Error) -> Unanswered {
    let source = std::error::Error::source(error).and_then(|s| s.downcast_ref::<io::Error>());
    match source.map(io::Error::kind) {
        Some(io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData) => Unanswered::BrokenBody,
        _ => Unanswered::CutOff,
    }
}

enum ReadBody {
    Complete(Vec<u8>),
    TooLarge,
}

/// The first host that the request names and that is not served here.
fn refused_host(hosts: &HostRule, head: &Parts) -> Option<String> {
    let target = head.uri.authority().map(|authority| authority.as_str().as_bytes());
    let named = head.headers.get_all(header::HOST).iter().map(HeaderValue::as_bytes);
    let refused = target.into_iter().chain(named).find(|host| !hosts.admits(host))?;
    Some(String::from_utf8_lossy(refused).into_owned())
}

fn invalid_host(host: &str) -> ReplyFrame {
    let message = format!(
        "The request names the host {host:?}, which is not served here; if it is meant to be, \
         start the engine with --allow-host and this name."
    );
    ReplyFrame::error(421, "invalid_host", &message)
}

/// Hands a complete request to the world. This call is its place in history.
fn reach_world(site: &Site, head: &Parts, body: &ReadBody) -> ReplyFrame {
    let mut world = site.world.borrow_mut();
    let faulted = world.faulted();
    let headers = site.request_headers.iter().flat_map(|name| {
        let values = head.headers.get_all(name).iter();
        values.map(move |value| (name.as_str(), value.as_bytes()))
    });
    let reply = world.handle(&RequestFrame {
        method: head.method.as_str(),
        path: site.token.behind(head.uri.path()).unwrap_or(""),
        query: head.uri.query().unwrap_or(""),
        headers: headers.collect(),
        body: match body {
            ReadBody::Complete(body) => RequestBody::Complete(body),
            ReadBody::TooLarge => RequestBody::TooLarge,
        },
    });
    if !faulted && let Some(failure) = world.failure() {
        site.log.error(failure);
    }
    reply
}

fn response(token: &Token, reply: ReplyFrame) -> Response<Full<Bytes>> {
    let mut response = Response::builder().status(reply.status);
    for (name, value) in reply.headers {
        let is_location = name.eq_ignore_ascii_case("location");
        let value = if is_location { format!("/{}{value}", token.as_str()) } else { value };
        response = response.header(name, value);
    }
    response = response.header(header::CONTENT_LENGTH, reply.body.len());
    // The core writes valid headers; one that does not has failed in a way of its own.
    response.body(Full::new(Bytes::from(reply.body))).unwrap_or_else(|_| {
        let mut response = Response::new(Full::default());
        *response.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
        response
    })
}

/// The answer to a request whose end cannot be known for sure. Nothing behind it on the same
/// connection is looked at.
fn bare_bad_request() -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = StatusCode::BAD_REQUEST;
    let close = (header::CONNECTION, HeaderValue::from_static("close"));
    let headers: [(HeaderName, HeaderValue); 1] = [close];
    response.headers_mut().extend(headers);
    response
}

/// Why a request gets no answer. Its connection is closed.
#[derive(Clone, Copy, Debug)]
enum Unanswered {
    /// The body ended early; the request never reached the world.
    CutOff,
    /// The body is not made as HTTP has it; the request never reached the world.
    BrokenBody,
    /// The body passed what is read at all; the request never reached the world.
    EndlessBody,
    /// The answer was held, to its end.
    Held,
}

impl fmt::Display for Unanswered {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Unanswered::CutOff => "a body was cut off",
            Unanswered::BrokenBody => "a body was not made as HTTP has it",
            Unanswered::EndlessBody => "a body was longer than anything that is read",
            Unanswered::Held => "its answer was held",
        })
    }
}

impl std::error::Error for Unanswered {}

/// The longest body that is kept; a longer one is too large for every world.
const BODY_BYTES_MAX: usize = 1024 * 1024;
/// The longest body that is read to its end.
const BODY_BYTES_READ_MAX: usize = 16 * 1024 * 1024;
/// How many connections may wait to be taken; the system may allow fewer.
const BACKLOG: u32 = 4096;
/// About the longest request line and headers together.
const HEAD_BYTES_MAX: usize = 64 * 1024;
/// How many turns without anything new it takes, at the end, for all to have come in. A new
/// connection takes one turn to be taken, one to be readable and one to be read; a few more cost
/// nothing.
const QUIET_TURNS: u32 = 16;
/// How many turns at most, should a client never stop sending.
const LAST_TURNS_MAX: u32 = 4096;
/// Half of the files that the runtime, the port and a first connection need, with some to spare.
#[cfg(unix)]
const FILE_PAIRS_NEEDED: usize = 6;
/// How long to wait after a connection could not be taken.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);
