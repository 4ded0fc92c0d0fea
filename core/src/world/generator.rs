//! The chance of a fault: one keystream per fault id, one word per ordinal.
//!
//! Spec: "The fault draw".

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use sha2::{Digest, Sha256};

/// The draws of one fault, in the order of its route's ordinals.
///
/// Each draw depends on the world's seed, the fault's id and the ordinal alone, so neither
/// another fault nor traffic on another route ever moves it.
#[derive(Debug)]
pub(super) struct Draws {
    keystream: ChaCha20Rng,
}

impl Draws {
    /// The draws of the fault `id` in a world with this seed.
    pub(super) fn new(seed: u64, id: &str) -> Draws {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let digest = Sha256::digest(id.as_bytes());
        let mut stream = [0; 8];
        stream.copy_from_slice(&digest[..8]);
        let mut keystream = ChaCha20Rng::from_seed(key);
        keystream.set_stream(u64::from_le_bytes(stream));
        Draws { keystream }
    }

    /// The keystream word of the next ordinal.
    pub(super) fn next_word(&mut self) -> u64 {
        self.keystream.next_u64()
    }

    /// Whether a fault of this probability is due on the next ordinal.
    pub(super) fn next_due(&mut self, probability: f64) -> bool {
        const STEPS: f64 = (1u64 << 53) as f64;
        // 53 bits are exact in a double, and so is the division by a power of two.
        ((self.next_word() >> 11) as f64) / STEPS < probability
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::Draws;

    #[test]
    fn every_generator_vector_holds() {
        for (file, suite) in attest_vectors::suites("generator") {
            let cases = suite["cases"].as_array().expect("a list of cases");
            assert!(!cases.is_empty(), "{file:?} has no case");
            for case in cases {
                check(case);
            }
        }
    }

    fn check(case: &Value) {
        let description = &case["description"];
        let draws = || {
            let seed = case["seed"].as_u64().expect("a seed");
            Draws::new(seed, case["fault_id"].as_str().expect("a fault id"))
        };
        let mut words = draws();
        for expected in case["first_words_hex"].as_array().expect("a list of words") {
            let word = format!("{:016x}", words.next_word());
            assert_eq!(expected, &Value::from(word), "{description}");
        }
        for due in case["due"].as_array().expect("a list of draws") {
            let probability = due["probability"].as_str().expect("a probability");
            let probability: f64 = probability.parse().expect("a probability");
            let mut draws = draws();
            let ordinals: Vec<u64> = (1..=64).filter(|_| draws.next_due(probability)).collect();
            assert_eq!(due["ordinals"], Value::from(ordinals), "{description}, {probability}");
        }
    }
}
