//! Clients that send far too much, read nothing or leave, and engines side by side.

mod support;

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};

use attest_vectors::http::read_answer;
use support::{ITEMS, Served, json, post, read_to_close, text};

/// How many items there are, by the snapshot.
fn items(served: &Served) -> usize {
    served.state()["state"]["items"].as_array().expect("a list").len()
}

/// A world with about a megabyte in one record.
fn with_much_to_list() -> Served {
    let served = Served::open(ITEMS);
    let filler = "x".repeat(1_000_000);
    let answer = served.exchange(&post("/items", &format!("{{\"filler\":\"{filler}\"}}")));
    assert_eq!(answer.status, 201);
    served
}

#[test]
fn a_head_of_ten_megabytes_is_refused_and_never_reaches_the_world() {
    let served = Served::open(ITEMS);
    let much = "x".repeat(10 << 20);
    let lines = "X-Some-Header: some value\r\n".repeat((10 << 20) / 27);
    for (head, status) in [
        (format!("POST /TOKEN/items HTTP/1.1\r\nContent-Length: 2\r\nX: {much}"), "431"),
        (format!("POST /TOKEN/items HTTP/1.1\r\nContent-Length: 2\r\n{lines}"), "431"),
        (format!("POST /TOKEN/items HTTP/1.1\r\n{much}: 1\r\nContent-Length: 2"), "431"),
        (format!("POST /TOKEN/{much} HTTP/1.1\r\nContent-Length: 2"), "4"),
        (format!("{much} /TOKEN/items HTTP/1.1\r\nContent-Length: 2"), "4"),
    ] {
        let mut stream = served.send(format!("{}\r\n\r\n{{}}", head.trim_end()).as_bytes());
        // A reset may overtake the answer, since much of the head was never read.
        let answer = read_to_close(&mut stream);
        let expected = format!("HTTP/1.1 {status}");
        let answer = text(&answer);
        assert!(answer.is_empty() || answer.starts_with(&expected), "{}: {answer}", &head[..50]);
    }
    assert_eq!(items(&served), 0);
    assert_eq!(json(&served.exchange(&post("/items", "{}")))["id"], "1");
}

#[test]
fn a_client_that_leaves_in_the_middle_of_its_answer_disturbs_nobody() {
    let served = with_much_to_list();
    for turn in 0..50 {
        let mut stream = served.send(b"GET /TOKEN/items HTTP/1.1\r\n\r\n");
        let mut first = [0; 12];
        stream.read_exact(&mut first).expect("the answer begins");
        assert_eq!(text(&first), "HTTP/1.1 200");
        if turn % 2 == 0 {
            stream.shutdown(Shutdown::Both).expect("a socket");
        }
        // What is unread makes this a reset.
        drop(stream);
        assert_eq!(served.fetch("/items/1").status, 200);
    }
    assert_eq!(items(&served), 1);
}

#[test]
fn a_client_that_reads_nothing_holds_up_nobody() {
    let served = with_much_to_list();
    let list = served.with_token(b"GET /TOKEN/items HTTP/1.1\r\n\r\n");
    // More than any buffer between the two holds.
    let mut lazy: Vec<TcpStream> = (0..4).map(|_| served.send(&list.repeat(16))).collect();
    for _ in 0..20 {
        assert_eq!(served.exchange(&post("/items", "{}")).status, 201);
    }
    // Each gets all of it in the end.
    for stream in &mut lazy {
        stream.shutdown(Shutdown::Write).expect("a socket");
        let answers = read_to_close(stream);
        assert_eq!(text(&answers).matches("HTTP/1.1 200 OK\r\n").count(), 16);
        assert!(answers.len() > 16_000_000);
    }
}

#[test]
fn a_client_that_never_ends_its_body_holds_up_nobody() {
    let served = Served::open(ITEMS);
    let head = b"POST /TOKEN/items HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n";
    let mut slow = served.send(head);
    for ordinal in 1..=20 {
        assert_eq!(json(&served.exchange(&post("/items", "{}")))["id"], ordinal.to_string());
        slow.write_all(b"1\r\n \r\n").expect("it is taken");
    }
    slow.write_all(b"1\r\n}\r\n0\r\n\r\n").expect("it is taken");
    assert_eq!(json(&read_answer(&mut slow, false).expect("an answer"))["id"], "21");
}

#[test]
fn engines_side_by_side_know_nothing_of_each_other() {
    let (one, other) = (Served::open(ITEMS), Served::open(ITEMS));
    assert_ne!(one.address, other.address);
    assert_ne!(one.base_path, other.base_path);
    for _ in 0..3 {
        assert_eq!(one.exchange(&post("/items", "{}")).status, 201);
    }
    assert_eq!(json(&other.exchange(&post("/items", "{}")))["id"], "1");
    assert_eq!((items(&one), items(&other)), (3, 1));

    // The token of one opens nothing at the other.
    let path = format!("GET {}/items HTTP/1.1\r\n\r\n", one.base_path);
    assert_eq!(one.exchange(path.as_bytes()).status, 200);
    assert_eq!(other.exchange(path.as_bytes()).status, 404);

    let (status, _, _) = one.stop();
    assert!(status.success());
    assert_eq!((other.fetch("/items").status, items(&other)), (200, 1));
}
