//! The definition as a whole: its top keys, and what holds between its parts.

use sha2::{Digest, Sha256};

use super::fault_listing::reserve_bytes;
use super::node::{Content, Node};
use super::path::Path;
use super::read::{self, KeySpec, fields, integer, mapping, wrong_kind};
use super::resource::{self, Draft};
use super::sink::Sink;
use super::text::Text;
use super::{Definition, Fault, Faults, names, script, text};
use crate::json::Value;
use crate::limits::{RECORDS_MAX, RESOURCES_MAX, STATE_BYTES_MAX};
use crate::state_size;

const KEYS: [KeySpec; 5] = [
    KeySpec::required("world_version", "add world_version: 1"),
    KeySpec::required("base_url_env", "name the environment variable that carries the base URL"),
    KeySpec::optional("seed"),
    KeySpec::required("resources", "declare at least one resource"),
    KeySpec::optional("faults"),
];

/// How many further values of one key are judged; every one costs another reading.
const REPEATS_READ_MAX: usize = 4;

const WAY_OUT: &str = "begin with the key world_version: 1";

/// See [`Definition::parse`].
pub(super) fn parse(bytes: &[u8]) -> Result<Definition, Faults> {
    judged(|sink| {
        let text = text::read(bytes, sink)?;
        let definition = definition(&text, bytes, sink);
        for nth in 1..=text.repeats_max.min(REPEATS_READ_MAX) {
            sink.adopt(faults_of_repeats(bytes, nth));
        }
        definition
    })
}

/// See [`super::plain_value`].
pub(super) fn plain_value(bytes: &[u8]) -> Result<Value<'static>, Faults> {
    judged(|sink| text::read(bytes, sink)).map(|text| text.root.to_value())
}

/// What is wrong with the values of keys that stand there again, the whole judged as if each such
/// key had its `nth` further value.
fn faults_of_repeats(bytes: &[u8], nth: usize) -> Sink {
    let mut sink = Sink::default();
    if let Some(text) = text::read_repeats(bytes, nth, &mut sink) {
        sink.keep_only(text.repeats.clone());
        definition(&text, bytes, &mut sink);
    }
    sink
}

/// What `read` yields, if it listed no fault. It lists one wherever it yields nothing.
fn judged<T>(read: impl FnOnce(&mut Sink) -> Option<T>) -> Result<T, Faults> {
    let mut sink = Sink::default();
    let yielded = read(&mut sink);
    match (yielded, sink.into_faults()) {
        (Some(whole), None) => Ok(whole),
        (_, Some(faults)) => Err(faults),
        (None, None) => unreachable!("a text without a fault and without a meaning"),
    }
}

/// The definition that `text` holds. It may be used only when no fault was listed; until then a
/// faulty part is left out or stands at its default.
fn definition(text: &Text, bytes: &[u8], sink: &mut Sink) -> Option<Definition> {
    let root = &text.root;
    if text.is_empty {
        text::report_empty(sink);
        return None;
    }
    if matches!(&*root.content, Content::Null) {
        let reason = format!("must be a mapping, found null; {WAY_OUT}");
        sink.report(root.place, Path::Root, reason);
        return None;
    }
    if sink.broken_off() && root.levels == 0 {
        // A lone scalar is only what came before the place where the text broke off.
        return None;
    }
    let top = fields(root, &Path::Root, &KEYS, WAY_OUT, sink)?;
    if let Some(node) = top.get("world_version") {
        version(node, &Path::Root.key("world_version"), sink);
    }
    let base_url_env = top
        .get("base_url_env")
        .and_then(|node| variable(node, &Path::Root.key("base_url_env"), sink));
    let seed = top.get("seed").and_then(|node| integer(node, &Path::Root.key("seed"), 0, sink));
    let drafts = top.get("resources").map(|node| (node, resources(node, sink)));
    let (resources_node, drafts) = drafts.unzip();
    let drafts = drafts.unwrap_or_default();
    let faults = match top.get("faults") {
        Some(node) => script::faults(node, &drafts, sink),
        None => Vec::new(),
    };
    if let Some(node) = resources_node {
        check_size(node, &drafts, &faults, sink);
    }
    Some(Definition {
        sha256: sha256(bytes),
        base_url_env: base_url_env.unwrap_or_default(),
        seed: seed.unwrap_or(0),
        resources: drafts.into_iter().map(|draft| draft.resource).collect(),
        faults,
    })
}

fn version(node: &Node, path: &Path<'_>, sink: &mut Sink) {
    match &*node.content {
        Content::Number(number) if number == "1" => {}
        Content::Number(_) | Content::String(_) => {
            sink.report(node.place, path, "the only version is the number 1; write 1");
        }
        _ => {
            wrong_kind::<()>(node, path, "the number 1", "write 1", sink);
        }
    }
}

fn variable(node: &Node, path: &Path<'_>, sink: &mut Sink) -> Option<String> {
    let name = read::text(node, path, sink)?;
    if let Err(reason) = names::check_variable(name) {
        sink.report(node.place, path, reason);
    }
    Some(String::from(name))
}

fn resources(node: &Node, sink: &mut Sink) -> Vec<Draft> {
    let path = Path::Root.key("resources");
    let way_out =
        "write the name of each resource as a key, such as orders:, and its keys below it";
    let Some(entries) = mapping(node, &path, way_out, sink) else {
        return Vec::new();
    };
    let count = entries.entries.len();
    if count > RESOURCES_MAX {
        let reason = format!("{count} resources are more than {RESOURCES_MAX}; take some out");
        sink.report(node.place, path, reason);
    }
    if count == 0 && entries.whole {
        sink.report(node.place, path, "no resource is declared; declare at least one");
    }
    let drafts: Vec<Draft> = entries
        .entries
        .iter()
        .map(|entry| {
            let path = path.key(&entry.key);
            if let Err(reason) = names::check_name(&entry.key) {
                sink.report(entry.place, path, reason);
            }
            resource::read(&entry.key, &entry.value, &path, sink)
        })
        .collect();
    resource::check_paths(&drafts, sink);
    drafts
}

/// Checks the limits that hold over all seed records. What a fault left out does not count, so
/// that only what is surely too much is listed.
fn check_size(node: &Node, drafts: &[Draft], faults: &[Fault], sink: &mut Sink) {
    let path = Path::Root.key("resources");
    let records: usize = drafts.iter().map(|draft| draft.record_count).sum();
    if records > RECORDS_MAX {
        let reason = format!(
            "{records} seed records are more than the {RECORDS_MAX} of a world; take some out"
        );
        sink.report(node.place, path, reason);
    }
    let name_of = |index: usize| Some(drafts.get(index)?.resource.name.as_str());
    let reserve = reserve_bytes(faults, name_of);
    let (state, fired) = (state_bytes(drafts), "[]".len());
    if !state_size::fits(state, fired, reserve) {
        let bytes = state + fired;
        let kept = match reserve {
            0 => String::new(),
            _ => format!(" with the {reserve} that its fired faults need"),
        };
        let reason = format!(
            "the seed records come to a state of {bytes} bytes, which{kept} is more than \
             {STATE_BYTES_MAX}; shorten them"
        );
        sink.report(node.place, path, reason);
    }
}

/// Bytes of the compact JSON of the state that a world starts with.
fn state_bytes(drafts: &[Draft]) -> usize {
    state_size::bytes(drafts.iter().map(|draft| {
        let records = &draft.resource.seed;
        let texts: usize = records.iter().map(|record| record.to_compact().len()).sum();
        (draft.resource.name.as_str(), texts + records.len().saturating_sub(1))
    }))
}

fn sha256(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
