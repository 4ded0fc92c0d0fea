//! The floor that the engine is measured against: hyper alone, on one thread, that reads the
//! body of each request and answers with the same headers and as many bytes as the engine does.
//!
//! Usage: `bare GET_BODY_BYTES POST_BODY_BYTES`. Prints its address once it listens.

use std::convert::Infallible;
use std::io::Write;
use std::net::Ipv4Addr;

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;
use tokio::task::{LocalSet, spawn_local};

fn main() {
    let sizes: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    let [get, post] = sizes.as_slice() else { panic!("usage: bare GET_BYTES POST_BYTES") };
    let bodies = [get, post].map(|size| Bytes::from("x".repeat(*size)));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let tasks = LocalSet::new();
    tasks.block_on(&runtime.expect("a runtime"), async {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a port");
        println!("{}", listener.local_addr().expect("an address"));
        std::io::stdout().flush().expect("standard output");
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("a socket option");
            let [get, post] = bodies.clone();
            let service = service_fn(move |request| answer(request, get.clone(), post.clone()));
            spawn_local(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
}

async fn answer(
    request: Request<Incoming>,
    get: Bytes,
    post: Bytes,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let is_post = request.method() == Method::POST;
    let mut body = request.into_body();
    let mut read = Vec::new();
    while let Some(Ok(frame)) = body.frame().await {
        if let Some(data) = frame.data_ref() {
            read.extend_from_slice(data);
        }
    }
    std::hint::black_box(&read);
    let mut response = Response::builder()
        .status(if is_post { 201 } else { 200 })
        .header("content-type", "application/json")
        .header("cache-control", "no-store");
    if is_post {
        let location = "/0123456789abcdef0123456789abcdef01234567/refunds/R-0001";
        response = response.header("location", location);
    }
    Ok(response.body(Full::new(if is_post { post } else { get })).expect("a valid response"))
}
