//! The core's doors beyond what the world vectors reach: handles, operations, broken frames, and
//! the text door beside the raw one.

use attest_core::protocol::Session;
use attest_core::protocol::text::TextWorld;
use serde_json::{Value, json};

const DEFINITION: &str = "
world_version: 1
base_url_env: API
resources:
  notes: {path: /notes, routes: [create, list], idempotency: {header: X-Key, field: key}}
faults:
  - {id: lost, resource: notes, route: create, fault: timeout_after_commit, on_requests: [2]}
";

const OPEN: u32 = 1;
const HANDLE: u32 = 2;
const SNAPSHOT: u32 = 3;
const CLOSE: u32 = 4;
const SUMMARY: u32 = 5;

fn done(answer: Vec<u8>) -> Vec<u8> {
    assert_eq!(answer[0], 0, "{}", String::from_utf8_lossy(&answer));
    answer[1..].to_vec()
}

fn refused(answer: &[u8]) -> Value {
    assert_eq!(answer[0], 1);
    serde_json::from_slice(&answer[1..]).expect("a refusal in JSON")
}

fn open(session: &mut Session) -> u32 {
    let opened = done(session.dispatch(OPEN, 0, DEFINITION.as_bytes()));
    let opened: Value = serde_json::from_slice(&opened).expect("a description in JSON");
    opened["handle"].as_u64().expect("a handle") as u32
}

/// An input frame of a create with an empty object.
fn create_frame() -> Vec<u8> {
    let mut frame = vec![1, 0];
    for part in ["POST", "/notes", ""] {
        frame.extend_from_slice(&(part.len() as u32).to_le_bytes());
        frame.extend_from_slice(part.as_bytes());
    }
    frame.extend_from_slice(&0_u32.to_le_bytes());
    frame.extend_from_slice(&2_u32.to_le_bytes());
    frame.extend_from_slice(b"{}");
    frame
}

#[test]
fn open_describes_the_world() {
    let mut session = Session::new();
    let opened = done(session.dispatch(OPEN, 7, DEFINITION.as_bytes()));
    let opened: Value = serde_json::from_slice(&opened).expect("a description in JSON");
    let expected = json!({
        "handle": 0,
        "base_url_env": "API",
        "request_headers": ["content-type", "content-encoding", "x-key"],
        "routes": ["POST /notes", "GET /notes"],
        "resources": [{
            "name": "notes", "records": 0, "id_field": "id", "first_id": "1",
            "idempotency": {"header": "X-Key", "field": "key"},
        }],
        "faults": ["lost: timeout_after_commit on notes create, request 2"],
    });
    assert_eq!(opened, expected);
}

#[test]
fn worlds_of_one_session_share_nothing_and_handles_are_given_out_again() {
    let mut session = Session::new();
    let (first, second) = (open(&mut session), open(&mut session));
    assert_ne!(first, second);
    done(session.dispatch(HANDLE, first, &create_frame()));
    assert_eq!(done(session.dispatch(SUMMARY, first, &[])), b"1 note; 0 faults fired");
    assert_eq!(done(session.dispatch(SUMMARY, second, &[])), b"0 notes; 0 faults fired");

    done(session.dispatch(CLOSE, first, &[]));
    for op in [HANDLE, SNAPSHOT, CLOSE, SUMMARY] {
        let refusal = refused(&session.dispatch(op, first, &create_frame()));
        assert_eq!(refusal, json!({"error": "there is no such world"}));
    }
    assert_eq!(open(&mut session), first);
    assert_eq!(done(session.dispatch(SUMMARY, first, &[])), b"0 notes; 0 faults fired");
}

#[test]
fn an_unknown_operation_is_refused() {
    let mut session = Session::new();
    let handle = open(&mut session);
    for op in [0, 6, u32::MAX] {
        let refusal = refused(&session.dispatch(op, handle, &[]));
        assert_eq!(refusal, json!({"error": "there is no such operation"}));
    }
}

#[test]
fn a_broken_frame_is_refused_and_the_world_has_not_seen_it() {
    let mut session = Session::new();
    let handle = open(&mut session);
    let whole = create_frame();
    let longer = [whole.as_slice(), b"x"].concat();
    let beginnings = (0..whole.len()).map(|length| whole[..length].to_vec());
    let other_kind = [&[9], &whole[1..]].concat();
    let other_body_state = [&[1, 9], &whole[2..]].concat();
    let mut not_text = whole.clone();
    not_text[6] = 0xff;
    for frame in beginnings.chain([longer, other_kind, other_body_state, not_text]) {
        let refusal = refused(&session.dispatch(HANDLE, handle, &frame));
        assert!(refusal["error"].as_str().is_some_and(|e| e.starts_with("the input frame")));
    }
    assert_eq!(done(session.dispatch(SUMMARY, handle, &[])), b"0 notes; 0 faults fired");
}

#[test]
fn the_text_door_answers_as_the_raw_one() {
    let mut session = Session::new();
    let handle = open(&mut session);
    let mut world = TextWorld::open(DEFINITION.as_bytes()).expect("a valid definition");
    for hold_ms in [0, 30_000] {
        done(session.dispatch(HANDLE, handle, &create_frame()));
        let reply = world.handle(r#"{"method":"POST","path":"/notes"}"#, b"{}");
        let reply: Value =
            serde_json::from_str(&reply.expect("a known form")).expect("an outcome in JSON");
        assert_eq!((&reply["status"], &reply["hold_ms"]), (&json!(201), &json!(hold_ms)));
    }
    assert_eq!(done(session.dispatch(SNAPSHOT, handle, &[])), world.snapshot().into_bytes());
    assert_eq!(done(session.dispatch(SUMMARY, handle, &[])), world.summary().into_bytes());
}

#[test]
fn the_text_door_refuses_a_head_of_another_form() {
    let mut world = TextWorld::open(DEFINITION.as_bytes()).expect("a valid definition");
    let heads = [
        "",
        "[]",
        "{}",
        r#"{"method":"POST"}"#,
        r#"{"method":1,"path":"/notes"}"#,
        r#"{"method":"POST","path":"/notes","headers":{}}"#,
        r#"{"method":"POST","path":"/notes","headers":[["X-Key"]]}"#,
        r#"{"method":"POST","path":"/notes","surprise":1}"#,
    ];
    for head in heads {
        let refusal = world.handle(head, b"{}").expect_err(head);
        let refusal: Value = serde_json::from_str(&refusal).expect("a refusal in JSON");
        assert!(refusal["error"].is_string(), "{refusal}");
    }
    assert_eq!(world.summary(), "0 notes; 0 faults fired");
}

#[test]
fn a_refused_definition_says_where_and_how_many_more() {
    let mut session = Session::new();
    let refusal = refused(&session.dispatch(OPEN, 0, b"world_version: 2\n"));
    let faults = refusal["faults"].as_array().expect("a list of faults");
    let places: Vec<_> = faults.iter().map(|f| (&f["line"], &f["path"])).collect();
    assert!(places.contains(&(&json!(1), &json!("world_version"))), "{refusal}");
    assert_eq!(refusal["more"], 0);

    let many = format!("{DEFINITION}{}", "  - 1\n".repeat(60));
    let refusal = refused(&session.dispatch(OPEN, 0, many.as_bytes()));
    assert_eq!(refusal["faults"].as_array().map(Vec::len), Some(50));
    assert_eq!(refusal["more"], 10);
}
