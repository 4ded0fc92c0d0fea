//! Which hosts a request may name: the second lock of a world.
//!
//! A web page can make a name of its own resolve to 127.0.0.1, but it cannot make the browser
//! name another host than its own.
//!
//! Spec: "The listener".

use std::net::{Ipv4Addr, Ipv6Addr};

/// The hosts that requests may name: IP addresses, `localhost`, what is below `.localhost`,
/// and further names.
#[derive(Clone, Debug, Default)]
pub struct HostRule {
    /// In lower case, without port and final dot.
    further: Vec<String>,
}

impl HostRule {
    /// A rule that also admits `names`, with any port and in any case.
    pub fn new(names: &[String]) -> HostRule {
        let further = names.iter().map(|name| plain(without_port(name).unwrap_or(name)));
        HostRule { further: further.collect() }
    }

    /// Whether the value of a `Host` header, or the authority of a request's target, names a
    /// host that is served.
    pub fn admits(&self, host: &[u8]) -> bool {
        let Some(name) = std::str::from_utf8(host).ok().and_then(without_port) else {
            return false;
        };
        if let Some(address) = name.strip_prefix('[') {
            let address = address.strip_suffix(']').map(str::parse::<Ipv6Addr>);
            return matches!(address, Some(Ok(_)));
        }
        let name = plain(name);
        name.parse::<Ipv4Addr>().is_ok()
            || name == "localhost"
            || name.strip_suffix(".localhost").is_some_and(|label| !label.is_empty())
            || self.further.contains(&name)
    }
}

/// A host without its port; none when what follows the last colon is no port.
fn without_port(host: &str) -> Option<&str> {
    let end = host.rfind(']').map_or(0, |bracket| bracket + 1);
    match host[end..].find(':') {
        None if end == host.len() || end == 0 => Some(host),
        None => None,
        Some(colon) => {
            let (name, port) = host.split_at(end + colon);
            port[1..].bytes().all(|byte| byte.is_ascii_digit()).then_some(name)
        }
    }
}

fn plain(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_hosts_are_admitted_with_any_port_and_in_any_case() {
        let rule = HostRule::default();
        for host in [
            "127.0.0.1",
            "127.0.0.1:80",
            "192.168.0.7:65535",
            "[::1]",
            "[::1]:8080",
            "[FE80::1]:1",
            "localhost",
            "LocalHost:3000",
            "localhost.",
            "localhost:",
            "payments.localhost:80",
            "a.b.LOCALHOST",
        ] {
            assert!(rule.admits(host.as_bytes()), "{host}");
        }
    }

    #[test]
    fn other_hosts_are_not() {
        let rule = HostRule::default();
        for host in [
            "",
            ":80",
            "example.com",
            "localhost.example.com",
            "notlocalhost",
            ".localhost",
            "localhost:80:80",
            "localhost:8o",
            "me@localhost",
            "127.0.0.1.example.com",
            "127.1",
            "::1",
            "[::1",
            "[::1]x",
            "[localhost]",
            "[]",
            "localhost, example.com",
        ] {
            assert!(!rule.admits(host.as_bytes()), "{host}");
        }
        assert!(!rule.admits(b"\xff"));
    }

    #[test]
    fn further_names_are_admitted_whole() {
        let rule = HostRule::new(&["Host.Docker.Internal".to_owned(), "world:8080".to_owned()]);
        for host in ["host.docker.internal", "HOST.docker.internal:9", "world", "world:1"] {
            assert!(rule.admits(host.as_bytes()), "{host}");
        }
        for host in ["docker.internal", "x.world", "world.example"] {
            assert!(!rule.admits(host.as_bytes()), "{host}");
        }
    }
}
