//! One client's connection, shared by the HTTP machinery and by whoever answers on it.
//!
//! Spec: "The listener".

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::framing::Framing;

/// A connection, and what has been seen of the requests on it.
pub(super) struct Connection {
    stream: TcpStream,
    framing: RefCell<Framing>,
    answered: Cell<u64>,
    /// Whether writing has failed. What is written from then on is dropped.
    deaf: Cell<bool>,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Connection {
        let (answered, deaf) = (Cell::new(0), Cell::new(false));
        Connection { stream, framing: RefCell::default(), answered, deaf }
    }

    /// Whether the request that is answered now, which is the next after that of the last call,
    /// says two things about the length of its body.
    pub(super) fn next_head_is_ambiguous(&self) -> bool {
        let index = self.answered.get();
        self.answered.set(index + 1);
        self.framing.borrow().ambiguous_head() == Some(index)
    }

    /// Returns when the client has left, or after `longest`. What the client still sends is
    /// dropped: nothing on this connection will be answered any more.
    pub(super) async fn hold(&self, longest: Duration) {
        // Leaving shows only behind what came before it, so everything has to be read.
        let left = async {
            let mut dropped = [0; 4096];
            while self.stream.readable().await.is_ok() {
                match self.stream.try_read(&mut dropped) {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => break,
                }
            }
        };
        let _ = tokio::time::timeout(longest, left).await;
    }
}

/// A connection as the HTTP machinery reads and writes it.
///
/// A client that has left is no error to whoever writes: the machinery would stop there, and
/// what the client had sent before would count or not depending on who was faster. Reading goes
/// on to the end of what came.
pub(super) struct ConnectionIo(pub(super) Rc<Connection>);

impl AsyncRead for ConnectionIo {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let connection = &*self.0;
        loop {
            ready!(connection.stream.poll_read_ready(context))?;
            let filled = buffer.filled().len();
            match connection.stream.try_read_buf(buffer) {
                Ok(_) => {
                    connection.framing.borrow_mut().advance(&buffer.filled()[filled..]);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for ConnectionIo {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_written(context, bytes.len(), |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length = pieces.iter().map(|piece| piece.len()).sum();
        self.poll_written(context, length, |stream| stream.try_write_vectored(pieces))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    /// Closing is dropping: the machinery asks for it when all is written.
    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

impl ConnectionIo {
    fn poll_written(
        &self,
        context: &mut Context<'_>,
        length: usize,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        let connection = &*self.0;
        while !connection.deaf.get() {
            ready!(connection.stream.poll_write_ready(context))?;
            match write(&connection.stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => connection.deaf.set(true),
                Ok(count) => return Poll::Ready(Ok(count)),
            }
        }
        Poll::Ready(Ok(length))
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;

    use super::*;

    /// The two ends of one connection: the client's and the listener's.
    async fn pair() -> (TcpStream, Connection) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        (client, Connection::new(listener.accept().await.unwrap().0))
    }

    fn block_on<T>(work: impl Future<Output = T>) -> T {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(work)
    }

    #[test]
    fn holding_ends_after_its_time_though_the_client_stays() {
        block_on(async {
            let (_client, connection) = pair().await;
            connection.hold(Duration::from_millis(20)).await;
        });
    }

    #[test]
    fn holding_ends_when_the_client_leaves_whatever_it_has_sent() {
        block_on(async {
            let (mut client, connection) = pair().await;
            client.write_all(&[b'x'; 100_000]).await.unwrap();
            drop(client);
            connection.hold(Duration::MAX).await;
        });
    }
}
