//! Request bodies as they stand on the wire, against the real binary.

mod support;

use std::io::{Read, Write};
use std::net::Shutdown;

use attest_vectors::http::read_answer;
use support::{ITEMS, Served, error_code, json, post, read_to_close, text};

/// How many items there are, by the snapshot.
fn items(served: &Served) -> usize {
    served.state()["state"]["items"].as_array().expect("a list").len()
}

#[test]
fn a_body_over_the_limit_is_read_to_its_end_and_refused() {
    let served = Served::open(ITEMS);
    let filler = " ".repeat((1 << 20) - 2);
    let largest = served.exchange(&post("/items", &format!("{{{filler}}}")));
    assert_eq!((largest.status, text(&largest.body)), (201, r#"{"id":"1"}"#));

    let mut stream = served.send(&post("/items", &format!("{{{filler} }}")));
    let refused = read_answer(&mut stream, false).expect("an answer");
    assert_eq!((refused.status, error_code(&refused).as_str()), (413, "body_too_large"));
    // The connection goes on behind the body.
    stream.write_all(&served.with_token(&post("/items", "{}"))).expect("it is taken");
    assert_eq!(read_answer(&mut stream, false).expect("an answer").status, 201);

    let sixteen = "x".repeat(16 << 20);
    assert_eq!(served.exchange(&post("/items", &sixteen)).status, 413);
    assert_eq!(items(&served), 2);
}

#[test]
fn a_body_without_end_closes_the_connection_and_takes_no_ordinal() {
    let definition = with_500_on(2);
    let served = Served::open(&definition);
    let endless = "x".repeat((16 << 20) + 1);
    assert_eq!(read_to_close(&mut served.send(&post("/items", &endless))), b"");
    assert_eq!(served.exchange(&post("/items", "{}")).status, 201);
    // A body that is only too large does take one.
    let large = "x".repeat((1 << 20) + 1);
    assert_eq!(served.exchange(&post("/items", &large)).status, 500);
}

#[test]
fn a_request_that_is_cut_off_never_reached_the_world() {
    let definition = with_500_on(1);
    let served = Served::open(&definition);
    for cut in [
        &b"POST /TOKEN/items HTTP/1.1\r\nContent-Length: 3\r\n\r\n{}"[..],
        b"POST /TOKEN/items HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n",
        b"POST /TOKEN/items HTTP/1.1\r\nContent-Le",
    ] {
        let mut stream = served.send(cut);
        stream.shutdown(Shutdown::Write).expect("a socket");
        let answer = read_to_close(&mut stream);
        assert!(!text(&answer).contains("HTTP/1.1 2"), "{}", text(&answer));
    }
    assert_eq!(items(&served), 0);
    assert_eq!(served.exchange(&post("/items", "{}")).status, 500, "it is the first request");
}

#[test]
fn requests_take_effect_when_their_bodies_are_complete() {
    let served = Served::open(ITEMS);
    let mut early = served.send(b"POST /TOKEN/items HTTP/1.1\r\nContent-Length: 2\r\n\r\n{");
    assert_eq!(json(&served.exchange(&post("/items", "{}")))["id"], "1");
    early.write_all(b"}").expect("it is taken");
    assert_eq!(json(&read_answer(&mut early, false).expect("an answer"))["id"], "2");
}

#[test]
fn chunked_bodies_are_whole_bodies() {
    let served = Served::open(ITEMS);
    let answer = served.exchange(
        b"POST /TOKEN/items HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n\
          4;name=value\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\nTrailer: x\r\n\r\n",
    );
    assert_eq!((answer.status, text(&answer.body)), (201, r#"{"id":"1","a":1}"#));
}

#[test]
fn a_client_that_waits_for_100_continue_gets_it() {
    let served = Served::open(ITEMS);
    let mut stream = served
        .send(b"POST /TOKEN/items HTTP/1.1\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
    let mut interim = [0; 25];
    stream.read_exact(&mut interim).expect("an interim answer");
    assert_eq!(text(&interim), "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"{}").expect("the body is taken");
    assert_eq!(read_answer(&mut stream, false).expect("an answer").status, 201);
}

#[test]
fn two_statements_about_a_bodys_length_are_refused() {
    let served = Served::open(ITEMS);
    for headers in [
        "Content-Length: 12\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: chunked\r\nContent-Length: 12",
        "Content-Length: 2\r\nContent-Length: 3",
        "Transfer-Encoding: gzip",
    ] {
        let head = format!("POST /TOKEN/items HTTP/1.1\r\n{headers}\r\n\r\n");
        // Behind a good request on the same connection, too.
        for before in [Vec::new(), b"GET /TOKEN/items HTTP/1.1\r\n\r\n".to_vec()] {
            let expected = if before.is_empty() { 0 } else { 1 };
            let request = [&before[..], head.as_bytes(), b"2\r\n{}\r\n0\r\n\r\n"].concat();
            let answers = read_to_close(&mut served.send(&request));
            assert_eq!(text(&answers).matches("HTTP/1.1 200 ").count(), expected, "{headers}");
            assert_eq!(text(&answers).matches("HTTP/1.1 400 ").count(), 1, "{headers}");
        }
    }
    assert_eq!(items(&served), 0);
}

/// The items world, with a scripted 500 on one create.
fn with_500_on(ordinal: u32) -> String {
    let fault = format!(
        r#""faults": [{{"id": "f", "resource": "items", "route": "create", "fault": 500,
            "on_requests": [{ordinal}]}}]"#
    );
    format!("{}, {fault}}}", ITEMS.strip_suffix('}').expect("an object"))
}
