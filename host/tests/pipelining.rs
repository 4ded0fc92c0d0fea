//! Requests that are sent without waiting for answers, by clients that never read one.

mod support;

use std::io::Write;

use serde_json::Value;
use support::{ITEMS, Served, post, read_to_close, wait_until};

/// How many items a snapshot holds.
fn items(snapshot: &Value) -> usize {
    snapshot["state"]["items"].as_array().expect("a list").len()
}

#[test]
fn all_complete_requests_of_a_client_that_leaves_are_carried_out() {
    for count in [10, 100, 1000] {
        let served = Served::open(ITEMS);
        drop(served.send(&post("/items", "{}").repeat(count)));
        wait_until("all are there", || items(&served.state()) == count);
    }
}

#[test]
fn what_came_before_the_world_stopped_counts_though_its_client_left() {
    for count in [1, 10, 100, 1000] {
        let served = Served::open(ITEMS);
        let cut_off = b"POST /TOKEN/items HTTP/1.1\r\nContent-Length: 3\r\n\r\n{}";
        let requests = [&post("/items", "{}").repeat(count)[..], cut_off].concat();
        drop(served.send(&requests));
        let (_, out, _) = served.stop();
        let last: Value = serde_json::from_str(&out).expect("a last line");
        assert_eq!(items(&last["world"]), count);
    }
}

#[test]
fn a_chunk_without_a_size_gets_a_bare_refusal() {
    let served = Served::open(ITEMS);
    let head = "POST /TOKEN/items HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
    for chunk in ["zz\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n0\r\n\r\n", "2\r\n{}x\r\n0\r\n\r\n"] {
        let answer = served.exchange(format!("{head}{chunk}").as_bytes());
        assert_eq!((answer.status, answer.body.len()), (400, 0), "{chunk:?}");
    }
    // One that ends early has nobody who could read it.
    let mut stream = served.send(head.as_bytes());
    stream.write_all(b"2\r\n{").expect("it is taken");
    stream.shutdown(std::net::Shutdown::Write).expect("it is open");
    assert_eq!(read_to_close(&mut stream), b"");
    assert_eq!(items(&served.state()), 0);
}
