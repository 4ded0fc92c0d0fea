//! HTTP as it stands on the wire, against the real binary.

mod support;

use std::io::Write;
use std::net::{Shutdown, TcpStream};
use std::thread;

use attest_host::guest::{CALL_DEADLINE, Guest};
use attest_host::listener::{HostRule, serve_during};
use attest_host::log::{Level, Log};
use attest_host::world::World;
use attest_vectors::http::{self, read_answer};
use support::{ITEMS, PAYMENTS, Served, error_code, json, post, read_to_close, text, wait_until};

/// How many items there are, by the snapshot.
fn items(served: &Served) -> usize {
    served.state()["state"]["items"].as_array().expect("a list").len()
}

#[test]
fn a_create_answers_with_the_headers_of_an_ordinary_api() {
    let served = Served::open(ITEMS);
    let answer = served.exchange(&post("/items", r#"{"a":1}"#));
    assert_eq!((answer.status, text(&answer.body)), (201, r#"{"id":"1","a":1}"#));
    let header = |name: &str| answer.headers.get(name).map(String::as_str);
    assert_eq!(header("content-type"), Some("application/json"));
    assert_eq!(header("cache-control"), Some("no-store"));
    assert_eq!(header("content-length"), Some("16"));
    assert_eq!(header("location"), Some(format!("{}/items/1", served.base_path).as_str()));
    let location = header("location").expect("a location");
    let found = served.exchange(format!("GET {location} HTTP/1.1\r\n\r\n").as_bytes());
    assert_eq!((found.status, found.body), (200, answer.body));
}

#[test]
fn a_wrong_token_answers_as_an_unknown_path_does() {
    let served = Served::open(ITEMS);
    let unknown = served.fetch("/nothing");
    assert_eq!((unknown.status, error_code(&unknown)), (404, "not_found".to_owned()));
    let token = served.base_path[1..].to_owned();
    let targets = [
        "/".to_owned(),
        "/items".to_owned(),
        "/_attest/state".to_owned(),
        format!("/{token}"),
        format!("/{token}x/items"),
        format!("/{}/items", &token[1..]),
        format!("//{token}/items"),
        format!("/{}/items", token.to_uppercase().replace(char::is_numeric, "0")),
    ];
    for target in targets {
        let answer = served.exchange(format!("GET {target} HTTP/1.1\r\n\r\n").as_bytes());
        assert_eq!((answer.status, &answer.body), (404, &unknown.body), "{target}");
        let names = |answer: &http::Answer| answer.headers.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&answer), names(&unknown), "{target}");
    }
}

#[test]
fn head_has_the_length_of_get_and_no_body() {
    let served = Served::open(ITEMS);
    let get = served.fetch("/items");
    let mut stream = served.send(b"HEAD /TOKEN/items HTTP/1.1\r\n\r\n");
    let head = read_answer(&mut stream, true).expect("an answer");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.headers["content-length"], get.headers["content-length"]);
    assert_eq!(head.headers["content-type"], "application/json");
    // The connection is at the beginning of the next answer.
    stream.write_all(&served.with_token(b"GET /TOKEN/items HTTP/1.1\r\n\r\n")).expect("taken");
    assert_eq!(read_answer(&mut stream, false).expect("an answer").body, get.body);
}

#[test]
fn one_connection_carries_many_requests() {
    let served = Served::open(ITEMS);
    let mut stream = served.send(&post("/items", "{}"));
    for id in 1..=20 {
        let answer = read_answer(&mut stream, false).expect("an answer");
        assert_eq!(json(&answer)["id"], id.to_string());
        stream.write_all(&served.with_token(&post("/items", "{}"))).expect("it is taken");
    }
}

#[test]
fn requests_sent_at_once_are_answered_in_order() {
    let served = Served::open(ITEMS);
    let mut requests = post("/items", "{}").repeat(3);
    requests.extend_from_slice(b"GET /TOKEN/items HTTP/1.1\r\nConnection: close\r\n\r\n");
    let answers = read_to_close(&mut served.send(&requests));
    let bodies = [r#"{"id":"1"}"#, r#"{"id":"2"}"#, r#"{"id":"3"}"#];
    let mut rest = text(&answers);
    for body in
        bodies.iter().map(|body| (*body).to_owned()).chain([format!("[{}]", bodies.join(","))])
    {
        let at = rest.find(&format!("\r\n\r\n{body}")).unwrap_or_else(|| panic!("{body}: {rest}"));
        rest = &rest[at + 4 + body.len()..];
    }
    assert_eq!(rest, "");
}

#[test]
fn http_1_0_is_answered_and_closed_unless_it_asks_to_stay() {
    let served = Served::open(ITEMS);
    let answer = read_to_close(&mut served.send(b"GET /TOKEN/items HTTP/1.0\r\n\r\n"));
    assert!(text(&answer).starts_with("HTTP/1.0 200 OK\r\n"), "{}", text(&answer));
    assert!(text(&answer).ends_with("\r\n\r\n[]"), "{}", text(&answer));

    let request = b"GET /TOKEN/items HTTP/1.0\r\nConnection: keep-alive\r\n\r\n";
    let mut stream = served.send(request);
    for _ in 0..2 {
        assert_eq!(read_answer(&mut stream, false).expect("an answer").status, 200);
        stream.write_all(&served.with_token(request)).expect("it is taken");
    }
}

#[test]
fn an_upgrade_is_ignored() {
    let served = Served::open(ITEMS);
    for headers in [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAEAAEAAAAIAAAAB",
        "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ] {
        let request = format!("GET /TOKEN/items HTTP/1.1\r\n{headers}\r\n\r\n").into_bytes();
        let mut stream = served.send(&request);
        for _ in 0..2 {
            let answer = read_answer(&mut stream, false).expect("an answer");
            assert_eq!((answer.status, text(&answer.body)), (200, "[]"), "{headers}");
            stream.write_all(&served.with_token(&request)).expect("it is taken");
        }
    }
}

#[test]
fn an_absolute_target_is_that_of_its_path() {
    let served = Served::open(ITEMS);
    let address = &served.address;
    let request = format!("GET http://{address}/TOKEN/items HTTP/1.1\r\nHost: {address}\r\n\r\n");
    assert_eq!(text(&served.exchange(request.as_bytes()).body), "[]");
    let elsewhere = "GET http://example.com/TOKEN/items HTTP/1.1\r\nHost: localhost\r\n\r\n";
    assert_eq!(served.exchange(elsewhere.as_bytes()).status, 421);
}

#[test]
fn hosts_that_are_not_local_are_refused_unless_they_are_allowed() {
    let ask = |served: &Served, host: &str| {
        let host = if host.is_empty() { String::new() } else { format!("Host: {host}\r\n") };
        served.exchange(
            format!("POST /TOKEN/items HTTP/1.1\r\n{host}Content-Length: 2\r\n\r\n{{}}").as_bytes(),
        )
    };
    let served = Served::open_with(ITEMS, &["--allow-host", "a.example", "--allow-host", "b"]);
    let local = ["", "127.0.0.1", "[::1]:1", "10.0.0.1:80", "LOCALHOST:9", "x.localhost"];
    for host in local.into_iter().chain(["A.example:80", "b"]) {
        assert_eq!(ask(&served, host).status, 201, "{host}");
    }
    for host in ["example.com", "localhost.example.com:80", "c.a.example"] {
        let answer = ask(&served, host);
        assert_eq!((answer.status, error_code(&answer).as_str()), (421, "invalid_host"), "{host}");
        assert!(text(&answer.body).contains("--allow-host"), "{}", text(&answer.body));
        assert_eq!(answer.headers["content-type"], "application/json");
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
    let two = b"GET /TOKEN/items HTTP/1.1\r\nHost: localhost\r\nHost: example.com\r\n\r\n";
    assert_eq!(served.exchange(two).status, 421);
    assert_eq!(items(&served), 8);
}

#[test]
fn other_origins_get_no_permission() {
    let served = Served::open(ITEMS);
    for method in ["GET", "OPTIONS"] {
        let answer = served.exchange(
            format!(
                "{method} /TOKEN/items HTTP/1.1\r\nOrigin: http://example.com\r\n\
                 Access-Control-Request-Method: POST\r\n\r\n"
            )
            .as_bytes(),
        );
        assert_eq!(answer.status, if method == "GET" { 200 } else { 405 });
        let mut names = answer.headers.keys();
        assert!(!names.any(|name| name.starts_with("access-control")), "{:?}", answer.headers);
    }
}

#[test]
fn what_is_no_http_gets_a_bare_refusal() {
    let served = Served::open(ITEMS);
    for (request, status) in [
        ("nonsense\r\n\r\n".to_owned(), 400),
        ("GET /TOKEN/items HTTP/1.1\r\nno colon\r\n\r\n".to_owned(), 400),
        ("GET /TOKEN/items HTTP/3.0\r\n\r\n".to_owned(), 400),
        (format!("GET /TOKEN/items HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(200_000)), 431),
        (format!("GET /TOKEN/items HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(200)), 431),
        (format!("GET /TOKEN/{} HTTP/1.1\r\n\r\n", "x".repeat(100_000)), 414),
    ] {
        let answer = served.exchange(request.as_bytes());
        let shown = &request[..request.len().min(60)];
        assert_eq!((answer.status, answer.body.len()), (status, 0), "{shown}");
    }
    assert_eq!(served.fetch("/items").status, 200);
}

#[test]
fn a_held_answer_is_never_sent_and_holds_up_nobody() {
    let served = Served::open(PAYMENTS);
    let fired = || served.state()["faults_fired_count"] == 1;
    let mut held = served.send(&post("/refunds", "{}"));
    wait_until("the fault fires", fired);
    assert_eq!(served.exchange(&post("/refunds", "{}")).status, 201);
    // The client leaves: the connection is closed without a byte.
    held.shutdown(Shutdown::Write).expect("a socket");
    assert_eq!(read_to_close(&mut held), b"");
    assert_eq!(served.state()["state"]["refunds"].as_array().map(Vec::len), Some(2));
}

#[test]
fn answers_before_a_held_one_are_sent() {
    let served = Served::open(PAYMENTS);
    let get = b"GET /TOKEN/orders/O-1042 HTTP/1.1\r\n\r\n";
    let mut stream = served.send(&[get, &post("/refunds", "{}")[..]].concat());
    assert_eq!(read_answer(&mut stream, false).expect("an answer").status, 200);
    wait_until("the fault fires", || served.state()["faults_fired_count"] == 1);
    stream.shutdown(Shutdown::Write).expect("a socket");
    assert_eq!(read_to_close(&mut stream), b"");
}

#[test]
fn a_client_that_says_no_more_still_gets_its_answers() {
    let served = Served::open(ITEMS);
    for _ in 0..20 {
        let mut stream = served.send(&post("/items", "{}").repeat(2));
        stream.shutdown(Shutdown::Write).expect("a socket");
        let answers = read_to_close(&mut stream);
        assert_eq!(text(&answers).matches("HTTP/1.1 201 ").count(), 2, "{}", text(&answers));
    }
}

#[test]
fn requests_behind_a_held_answer_do_not_hide_that_the_client_left() {
    let served = Served::open(PAYMENTS);
    let get = b"GET /TOKEN/orders/O-1042 HTTP/1.1\r\n\r\n";
    let mut held = served.send(&[&post("/refunds", "{}")[..], get].concat());
    wait_until("the fault fires", || served.state()["faults_fired_count"] == 1);
    held.write_all(&served.with_token(get).repeat(100)).expect("it is taken");
    held.shutdown(Shutdown::Write).expect("a socket");
    assert_eq!(read_to_close(&mut held), b"");
}

#[test]
fn many_open_connections_and_slow_ones_hold_up_nobody() {
    let served = Served::open(ITEMS);
    // After the engine has started: it raises its own.
    attest_host::child::raise_file_limit();
    let address = &served.address;
    let connect = || TcpStream::connect(address).expect("a connection");
    let mut open: Vec<TcpStream> = (0..2_000).map(|_| connect()).collect();
    let request = served.with_token(b"GET /TOKEN/items HTTP/1.1\r\n\r\n");
    let (last, first) = request.split_last().expect("bytes");
    // Every one of them is in the middle of a request, one a byte at a time.
    for stream in &mut open {
        stream.write_all(first).expect("it is taken");
    }
    let mut slow = connect();
    slow.set_nodelay(true).expect("a socket");
    for byte in first {
        slow.write_all(&[*byte]).expect("it is taken");
        assert_eq!(served.fetch("/items").status, 200);
    }
    open.push(slow);
    for stream in &mut open {
        stream.write_all(&[*last]).expect("it is taken");
        stream.set_read_timeout(Some(http::PATIENCE)).expect("a socket");
        assert_eq!(read_answer(stream, false).expect("an answer").status, 200);
    }
}

#[cfg(unix)]
#[test]
fn having_no_file_left_to_open_ends_nothing() {
    let (folder, file) = support::folder_with(ITEMS);
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 40; exec \"$0\" world --serve --file \"$1\""]);
    command.arg(env!("CARGO_BIN_EXE_attest-engine")).arg(&file);
    command.stdin(std::process::Stdio::piped());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut served = Served::adopt(command.spawn().expect("the engine starts"), folder);
    let open: Vec<_> = (0..100).map(|_| TcpStream::connect(&served.address)).collect();
    assert!(open.iter().all(Result::is_ok), "the system takes them for the engine");
    // This one waits for its turn until the others have gone.
    let late = served.send(b"GET /TOKEN/items HTTP/1.1\r\n\r\n");
    drop(open);
    assert_eq!(read_answer(&mut { late }, false).expect("an answer").status, 200);
    drop(served.stdin.take());
    let (status, _, err) = served.ended();
    assert_eq!((status.code(), err.lines().count()), (Some(0), 1), "{err}");
}

#[test]
fn after_a_failure_of_the_core_everything_is_an_engine_fault() {
    let image = std::fs::read(format!("{}/trap_on_handle.cwasm", env!("ATTEST_FIXTURES")));
    let image = image.expect("the build made it").leak();
    // SAFETY: the build made this image with wasmtime's own compiler.
    let guest = unsafe { Guest::from_image(image, CALL_DEADLINE) }.expect("it loads");
    let world = World::open(guest, b"").expect("it opens");
    let log = Log::new(Level::Error);
    let (answers, mut world) = serve_during(world, HostRule::default(), log, async |base_url| {
        let ask = move || {
            let place = base_url.strip_prefix("http://").expect("a URL");
            let (address, token) = place.split_once('/').expect("a token");
            let targets =
                ["items", "items", "_attest/state"].map(|path| format!("/{token}/{path}"));
            let targets = targets.into_iter().chain(["/".to_owned()]);
            let request = |target| format!("GET {target} HTTP/1.1\r\n\r\n");
            let answers = targets.map(|target| {
                let mut stream = http::send(address, request(target).as_bytes())?;
                read_answer(&mut stream, false)
            });
            answers.collect::<Result<Vec<_>, _>>()
        };
        tokio::task::spawn_blocking(ask).await.expect("no panic")
    })
    .expect("it serves");
    let answers = answers.expect("answers");
    assert_eq!(answers.len(), 4);
    for answer in &answers {
        assert_eq!((answer.status, error_code(answer).as_str()), (500, "engine_fault"));
        assert_eq!(answer.headers["content-type"], "application/json");
        assert_eq!(answer.headers["cache-control"], "no-store");
    }
    assert!(world.faulted());
    assert!(world.snapshot().is_err() && world.summary().is_err());
}

#[test]
fn a_stopped_world_answers_nobody() {
    let served = Served::open(ITEMS);
    let mut idle = served.send(b"GET /TOKEN/items HTTP/1.1\r\n\r\n");
    read_answer(&mut idle, false).expect("an answer");
    let mut half = served.send(b"POST /TOKEN/items HTTP/1.1\r\nContent-Length: 2\r\n\r\n{");
    let (status, _, _) = served.stop();
    assert!(status.success());
    for stream in [&mut idle, &mut half] {
        assert_eq!(read_to_close(stream), b"");
    }
}

#[test]
fn requests_from_many_clients_are_all_carried_out_once() {
    let served = Served::open(ITEMS);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut stream = served.send(b"");
                for _ in 0..50 {
                    stream.write_all(&served.with_token(&post("/items", "{}"))).expect("taken");
                    assert_eq!(read_answer(&mut stream, false).expect("an answer").status, 201);
                }
            });
        }
    });
    let state = served.state();
    let ids = state["state"]["items"].as_array().expect("a list").iter();
    let ids: Vec<_> = ids.map(|item| item["id"].as_str().expect("an id").to_owned()).collect();
    let expected: Vec<_> = (1..=400).map(|id: u32| id.to_string()).collect();
    assert_eq!(ids, expected);
}
