//! Which hosts a request may name: the second lock of a world.
//!
//! A web page can make a name of its own resolve to 127.0.0.1, but it cannot make the browser
//! name another host than its own.
//!
//! Spec: "The listener".

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::error::Error;

/// The hosts that requests may name: IP addresses, `localhost`, what is below `.localhost`,
/// and further names.
#[derive(Clone, Debug, Default)]
pub struct HostRule {
    /// Without port and final dot.
    further: Vec<String>,
}

impl HostRule {
    /// A rule that also admits `names`, with any port and in any case.
    ///
    /// # Errors
    ///
    /// [`Error::NotAHost`] for the first that no request could name. Say a host name alone, as
    /// it stands in a URL between `//` and the port.
    pub fn new(names: &[String]) -> Result<HostRule, Error> {
        let mut rule = HostRule::default();
        for name in names {
            match without_port(name).map(without_final_dot) {
                Some(plain) if is_host_name(plain) || rule.admits(name.as_bytes()) => {
                    rule.further.push(plain.to_owned());
                }
                _ => return Err(Error::NotAHost { name: name.clone() }),
            }
        }
        Ok(rule)
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
        let name = without_final_dot(name);
        let is_below_localhost = || {
            let at = name.len().checked_sub(BELOW_LOCALHOST.len());
            at.filter(|at| *at > 0)
                .and_then(|at| name.get(at..))
                .is_some_and(|end| end.eq_ignore_ascii_case(BELOW_LOCALHOST))
        };
        name.parse::<Ipv4Addr>().is_ok()
            || name.eq_ignore_ascii_case("localhost")
            || is_below_localhost()
            || self.further.iter().any(|further| further.eq_ignore_ascii_case(name))
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

/// Whether a name without its final dot is made as those of hosts are. Underscores are no part
/// of them, but of the names that container tools give.
fn is_host_name(name: &str) -> bool {
    let is_label = |label: &str| {
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
        (1..=LABEL_BYTES_MAX).contains(&label.len()) && label.bytes().all(is_part)
    };
    name.len() <= NAME_BYTES_MAX && name.split('.').all(is_label)
}

fn without_final_dot(name: &str) -> &str {
    name.strip_suffix('.').unwrap_or(name)
}

const BELOW_LOCALHOST: &str = ".localhost";
const LABEL_BYTES_MAX: usize = 63;
const NAME_BYTES_MAX: usize = 253;

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
        let rule = rule_with(&["Host.Docker.Internal", "world:8080", "web_1.", "[::1]"]).unwrap();
        for host in ["host.docker.internal", "HOST.docker.internal:9", "world", "world:1", "web_1"]
        {
            assert!(rule.admits(host.as_bytes()), "{host}");
        }
        for host in ["docker.internal", "x.world", "world.example"] {
            assert!(!rule.admits(host.as_bytes()), "{host}");
        }
    }

    #[test]
    fn what_no_request_could_name_is_refused() {
        let long = "a".repeat(64);
        for name in [
            "",
            ".",
            ":80",
            "*",
            "*.example.com",
            "a,b",
            "a b",
            " a",
            "http://ex.com",
            "ex.com/",
            "ex.com:http",
            "me@ex.com",
            "a..b",
            ".a",
            "::1",
            "[a]",
            "b\u{fc}cher.example",
            &long,
        ] {
            let refused = rule_with(&["fine", name]);
            assert!(matches!(refused, Err(Error::NotAHost { name: n }) if n == name), "{name}");
        }
    }

    fn rule_with(names: &[&str]) -> Result<HostRule, Error> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        HostRule::new(&names)
    }
}
