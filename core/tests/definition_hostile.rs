//! What no vector can say: whatever the bytes, the reader answers, and its faults make sense.

use attest_core::definition::{Definition, DefinitionFault, plain_value};
use attest_core::limits::{DEFINITION_BYTES_MAX, DEFINITION_FAULTS_LISTED_MAX};
use attest_vectors::{Text, suites};

#[test]
fn mutated_vectors_are_answered() {
    let texts = vector_texts();
    let mut random = Random(0x0a77_e57d);
    for round in 0..6_000 {
        let mut bytes = texts[random.below(texts.len())].clone();
        for _ in 0..=random.below(4) {
            mutate(&mut bytes, &mut random);
        }
        check_answer(&bytes, &format!("round {round}"));
    }
}

#[test]
fn every_beginning_of_a_definition_is_answered() {
    let text = include_bytes!("../../examples/payments/world.yaml");
    for end in 0..text.len() {
        check_answer(&text[..end], &format!("the first {end} bytes"));
    }
}

/// Nothing is wrong with what stands before the end, so nothing but the end is a fault.
#[test]
fn every_beginning_of_a_definition_in_json_has_one_fault() {
    let text = include_bytes!("../../examples/payments/world.yaml");
    let json = plain_value(text).expect("a readable text").to_compact();
    for end in 1..json.len() {
        let whole = json.as_bytes()[..end].to_vec();
        for (words, bytes) in
            [("not valid", whole.clone()), ("UTF-8", [whole, vec![0xff]].concat())]
        {
            let faults = Definition::parse(&bytes).expect_err("it breaks off").listed;
            assert_eq!(faults.len(), 1, "the first {end} bytes: {faults:?}");
            assert!(faults[0].reason.contains(words), "the first {end} bytes: {faults:?}");
        }
    }
}

#[test]
fn accepted_texts_mean_the_same_as_their_plain_json() {
    let accepted = vector_texts().into_iter().filter(|text| Definition::parse(text).is_ok());
    for text in accepted {
        let plain = plain_value(&text).expect("an accepted text is readable");
        let json = plain.to_compact();
        if json.len() > DEFINITION_BYTES_MAX {
            continue;
        }
        let again = plain_value(json.as_bytes()).expect("its JSON is readable");
        assert_eq!(plain, again, "{json}");
        let [yaml, json] = [text.as_slice(), json.as_bytes()]
            .map(|bytes| Definition::parse(bytes).map(|definition| definition.resources));
        assert_eq!(format!("{yaml:?}"), format!("{json:?}"));
    }
}

/// What a text is filled with to exhaust its reader.
#[rustfmt::skip]
const UNITS: [&str; 48] = [
    "- ", "-\n", "? ", ": ", ":", "[", "{", "{a: ", "[a: b,", "{? a", "[]: 1\n", "*a ", "&a ",
    "!a ", "%a\n", "|\n", "'", "\"", "#", " ", "\t", "\n", "\r", ",", "a\n ", "a: ", "a:\n ",
    "\u{0}", "\u{feff}", "---\n", "...\n", "<<: ", "~", "1e9,", "\\", "é", "\"a\",", "'a': [",
    "[\"a\",", "{'a':[],", "a\n", "a: b\n", "- a b\n", "{\"a\":", "{\"a\":1,\"a\":", "\"a\":[],",
    "a: [5]\n", "&a a: *a\n",
];

#[test]
fn texts_made_to_exhaust_the_reader_are_answered() {
    // A few bytes are left for what stands before it.
    let fill = |unit: &str| unit.repeat((DEFINITION_BYTES_MAX - 8) / unit.len());
    for unit in UNITS {
        check_answer(fill(unit).as_bytes(), unit);
        check_answer(format!("a: [{}", fill(unit)).as_bytes(), unit);
        check_answer(format!("[[{}", fill(unit)).as_bytes(), unit);
        check_answer(format!("{{\"b\":{}", fill(unit)).as_bytes(), unit);
        check_answer(&[b"{\"a\":", fill(unit).as_bytes(), b"\xff"].concat(), unit);
    }
}

#[test]
fn structures_made_to_exhaust_the_reader_are_answered() {
    let steps: String = (0..700).map(|depth| " ".repeat(depth) + "a:\n").collect();
    check_answer(steps.as_bytes(), "mappings in mappings");
    let keys: String = (0..35_000).map(|key| format!("k{key},")).collect();
    check_answer(format!("{{{keys}}}").as_bytes(), "unknown keys");
    let mut bomb = String::from("a: &a0 [x,x,x,x,x,x,x,x,x]\n");
    for level in 1..60 {
        let aliases = vec![format!("*a{}", level - 1); 9].join(",");
        bomb.push_str(&format!("k{level}: &a{level} [{aliases}]\n"));
    }
    check_answer(bomb.as_bytes(), "aliases of aliases");
    // The script is read last and stands first: its faults are found late and listed early.
    let head = "world_version: 1\nbase_url_env: 5\nfaults:\n";
    let script = "- 1\n".repeat(60);
    let seed = "1,".repeat(2_000);
    let resources = format!("resources: {{a: {{path: /a, routes: [get], seed: [{seed}]}}}}\n");
    check_answer(format!("{head}{script}{resources}").as_bytes(), "faults found late");
}

/// Both readers answer; a refusal has faults, in order, each with its place, path and reason.
fn check_answer(bytes: &[u8], name: &str) {
    let plain = plain_value(bytes);
    let Err(faults) = Definition::parse(bytes) else {
        assert!(plain.is_ok(), "{name}: accepted, and yet not readable");
        return;
    };
    let faults = faults.listed;
    assert!(!faults.is_empty(), "{name}: refused without a fault");
    assert!(faults.len() <= DEFINITION_FAULTS_LISTED_MAX, "{name}: too many are listed");
    let place = |fault: &DefinitionFault| (fault.line, fault.column);
    let before_the_last = &faults[..faults.len() - 1];
    assert!(before_the_last.is_sorted_by_key(place), "{name}: not sorted");
    for fault in &faults {
        let DefinitionFault { line, column, path, reason } = fault;
        assert!(*line > 0 && *column > 0, "{name}: {fault:?}");
        assert!(!path.is_empty() && !reason.is_empty(), "{name}: {fault:?}");
        assert!(!path.contains(char::is_control), "{name}: {fault:?}");
        assert!(!reason.contains(char::is_control), "{name}: {fault:?}");
        assert!(reason.chars().count() < 400, "{name}: {fault:?}");
        let must_help = ["must be ", "not valid YAML: ", "not valid JSON: "]
            .iter()
            .any(|words| reason.starts_with(words));
        assert!(!must_help || reason.contains("; "), "{name}: no way out: {fault:?}");
    }
}

fn vector_texts() -> Vec<Vec<u8>> {
    let mut texts = Vec::new();
    for (_, suite) in suites("definitions") {
        for case in suite["cases"].as_array().into_iter().flatten() {
            let text = Text::from_json(&case["definition"]).expect("a text");
            texts.push(text.to_bytes());
        }
    }
    texts.retain(|text| text.len() < 4_096);
    texts
}

fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    const PIECES: [&str; 20] = [
        "\n", "  ", "\t", ": ", "- ", "[", "]", "{", "}", ",", "\"", "'", "&a ", "*a", "!t ", "#",
        "\u{0}", "\u{feff}", "1e999", "<<: ",
    ];
    let at = random.below(bytes.len() + 1);
    let until = bytes.len().min(at + random.below(12));
    match random.below(4) {
        0 => drop(bytes.drain(at..until)),
        1 => {
            let copy = bytes[at..until].to_vec();
            bytes.splice(at..at, copy);
        }
        2 => drop(bytes.splice(at..at, PIECES[random.below(PIECES.len())].bytes())),
        _ => drop(bytes.splice(at..until, [random.below(256) as u8])),
    }
}

/// A small generator of its own, so that every run makes the same texts.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 33) % bound as u64) as usize
    }
}
