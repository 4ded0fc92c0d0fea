//! Measures what the project promises, each figure beside its floor in the same run, and prints
//! one table.
//!
//! `make bench` builds both servers with the `dist` profile and runs this. Medians and ratios
//! count; absolute times are the machine's.

mod calls;
mod load;
mod server;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use comfy_table::Table;

use calls::Core;
use server::{Server, first_answer};

const CONNECTIONS: usize = 16;
const ROUNDS: usize = 9;
const GETS: usize = 40_000;
/// As many records of this size as a world's state has room for, and a few less.
const CREATES: usize = 8_000;
const STARTS: usize = 41;

const DEFINITION: &str = r#"{"world_version":1,"base_url_env":"API","resources":{
"orders":{"path":"/orders","routes":["get"],"seed":[{"id":"O-1","customer":"C-77","total_cents":4999,"status":"delivered"}]},
"refunds":{"path":"/refunds","id_field":"refund_id","id_format":"R-%d","routes":["create","list","get"],"filters":["order_id"]}}}"#;
/// 100 bytes.
const BODY: &str = r#"{"order_id":"O-1042","amount_cents":4999,"reason":"damaged","note":".............................."}"#;

fn main() {
    let folder = std::env::current_exe().expect("this program's path");
    let folder = folder.parent().expect("a folder").to_owned();
    let engine = folder.join("attest-engine");
    let bare = folder.join("bare");
    let temporary = tempfile::tempdir().expect("a folder");
    let definition = temporary.path().join("world.json");
    std::fs::write(&definition, DEFINITION).expect("the definition is written");
    assert_eq!(BODY.len(), 100, "the body is one of 100 bytes");

    let mut table = Table::new();
    table.set_header(["what", "engine", "floor", "ratio", "target"]);
    let servers = Servers { engine, bare, definition };
    starts(&servers, &mut table);
    gets(&servers, &mut table);
    creates(&servers, &mut table);
    calls_at_sizes(&mut table);
    lists(&mut table);
    let resident = Server::engine(&servers.engine, &servers.definition).resident_kb();
    let resident = format!("{:.1} MB", resident as f64 / 1000.0);
    table.add_row(["resident memory, idle world", &resident, "", "", "at most 15 MB"]);
    let compressed = format!("{:.0} KB", brotli_bytes() as f64 / 1000.0);
    table.add_row(["wasm file, brotli", &compressed, "", "", "at most 180 KB"]);
    println!("{table}");
}

struct Servers {
    engine: PathBuf,
    bare: PathBuf,
    definition: PathBuf,
}

/// Bytes of the order, and of a refund with an id of four digits.
const GET_BYTES: usize = 70;
const POST_BYTES: usize = BODY.len() + r#""refund_id":"R-1000","#.len();

fn starts(servers: &Servers, table: &mut Table) {
    let (mut engine, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..STARTS {
        let begin = Instant::now();
        let server = Server::engine(&servers.engine, &servers.definition);
        first_answer(&server, "/orders/O-1");
        engine.push(begin.elapsed());
        let begin = Instant::now();
        let server = Server::bare(&servers.bare, GET_BYTES, POST_BYTES);
        first_answer(&server, "/orders/O-1");
        bare.push(begin.elapsed());
    }
    let (engine, bare) = (median(engine), median(bare));
    let ratio = engine.as_secs_f64() / bare.as_secs_f64();
    row(table, "spawn to first answer", &ms(engine), &ms(bare), ratio, "at most 2.0, aim 1.5");
}

fn gets(servers: &Servers, table: &mut Table) {
    let engine = Server::engine(&servers.engine, &servers.definition);
    let bare = Server::bare(&servers.bare, GET_BYTES, POST_BYTES);
    let mut rates = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        rates.0.push(load::run(&engine, &get_request(&engine), CONNECTIONS, GETS));
        rates.1.push(load::run(&bare, &get_request(&bare), CONNECTIONS, GETS));
    }
    throughput(table, "GET by id, 16 connections", rates, GETS, "at least 0.9");
}

fn creates(servers: &Servers, table: &mut Table) {
    let bare = Server::bare(&servers.bare, GET_BYTES, POST_BYTES);
    let mut rates = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        // A world's state is bounded, so each round has a world of its own.
        let engine = Server::engine(&servers.engine, &servers.definition);
        rates.0.push(load::run(&engine, &post_request(&engine), CONNECTIONS, CREATES));
        rates.1.push(load::run(&bare, &post_request(&bare), CONNECTIONS, CREATES));
    }
    throughput(table, "create, 16 connections", rates, CREATES, "at least 0.6, aim 0.8");
}

fn calls_at_sizes(table: &mut Table) {
    let (mut few, mut many) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let mut core = Core::open(DEFINITION);
        let body = r#"{"order_id":"O-1042","amount_cents":4999}"#;
        let took: Vec<Duration> =
            (0..9_100).map(|_| core.handle("POST", "/refunds", "", body)).collect();
        few.push(median(took[10..110].to_vec()));
        many.push(median(took[9_000..9_100].to_vec()));
    }
    let (few, many) = (median(few), median(many));
    let ratio = many.as_secs_f64() / few.as_secs_f64();
    let what = "create at 9,000 records, per call; floor: at 10";
    row(table, what, &us(many), &us(few), ratio, "at most 1.3");
}

fn lists(table: &mut Table) {
    let mut core = Core::open(DEFINITION);
    for index in 0..9_999 {
        let order = if index % 1_000 == 0 { "O-1" } else { "O-2" };
        core.handle("POST", "/refunds", "", &format!(r#"{{"order_id":"{order}"}}"#));
    }
    let filtered = (0..101).map(|_| core.handle("GET", "/refunds", "order_id=O-1", "")).collect();
    let whole = (0..101).map(|_| core.handle("GET", "/refunds", "", "")).collect();
    let (filtered, whole) = (median(filtered), median(whole));
    let ratio = filtered.as_secs_f64() / whole.as_secs_f64();
    let what = "list of 10 of 9,999, per call; floor: of all";
    row(table, what, &us(filtered), &us(whole), ratio, "at most 0.1");
}

fn brotli_bytes() -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/attest/attest.wasm");
    let module = std::fs::read(path).expect("the wasm file");
    let mut compressed = Vec::new();
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, ..Default::default() };
    brotli::BrotliCompress(&mut module.as_slice(), &mut compressed, &parameters)
        .expect("compression into memory");
    compressed.len()
}

fn get_request(server: &Server) -> Vec<u8> {
    format!("GET {}/orders/O-1 HTTP/1.1\r\nHost: {}\r\n\r\n", server.base_path, server.address)
        .into_bytes()
}

fn post_request(server: &Server) -> Vec<u8> {
    format!(
        "POST {}/refunds HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{BODY}",
        server.base_path,
        server.address,
        BODY.len()
    )
    .into_bytes()
}

fn throughput(
    table: &mut Table,
    what: &str,
    (engine, bare): (Vec<Duration>, Vec<Duration>),
    requests: usize,
    target: &str,
) {
    // Rounds alternate, so each pair met the same machine.
    let ratios = engine.iter().zip(&bare).map(|(engine, bare)| bare.div_duration_f64(*engine));
    let mut ratios: Vec<f64> = ratios.collect();
    ratios.sort_by(f64::total_cmp);
    let ratio = ratios[ratios.len() / 2];
    let rate = |took: Duration| format!("{:.0} /s", requests as f64 / took.as_secs_f64());
    row(table, what, &rate(median(engine)), &rate(median(bare)), ratio, target);
}

fn row(table: &mut Table, what: &str, engine: &str, floor: &str, ratio: f64, target: &str) {
    table.add_row([what, engine, floor, &format!("{ratio:.2}"), target]);
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn ms(time: Duration) -> String {
    format!("{:.2} ms", time.as_secs_f64() * 1e3)
}

fn us(time: Duration) -> String {
    format!("{:.2} µs", time.as_secs_f64() * 1e6)
}
