//! Where functions begin and end, by the indentation that formatters give them.

use crate::tree::File;

/// A function, and how many lines it has from its name to its end.
#[derive(Debug, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    pub lines: usize,
}

/// The functions of a file, nested ones and tests included; none for a kind that is not known.
pub fn functions_of(file: &File) -> Vec<Function> {
    let lines: Vec<&str> = file.text.lines().collect();
    match file.kind() {
        "rs" => find(&lines, rust_name, brace_end),
        "ts" | "mjs" => find(&lines, script_name, brace_end),
        "py" => find(&lines, python_name, python_end),
        _ => Vec::new(),
    }
}

/// Finds every line that `name_of` takes for the head of a function, and counts up to the line
/// that `end_of` gives for it.
fn find(
    lines: &[&str],
    name_of: impl Fn(&str) -> Option<&str>,
    end_of: impl Fn(&[&str], usize) -> usize,
) -> Vec<Function> {
    let heads = lines.iter().enumerate();
    let heads = heads.filter_map(|(at, line)| Some((at, name_of(line.trim_start())?)));
    let function = |(at, name): (usize, &str)| {
        let lines = end_of(&lines[at..], indentation(lines[at])) + 1;
        Function { name: name.to_owned(), lines }
    };
    heads.map(function).collect()
}

fn indentation(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The name in the head of a Rust function.
fn rust_name(line: &str) -> Option<&str> {
    let mut rest = line;
    // Visibility, as in `pub(crate) `, comes first.
    if let Some(behind) = rest.strip_prefix("pub") {
        rest = behind.trim_start();
        if rest.starts_with('(') {
            rest = rest.split_once(") ")?.1;
        }
    }
    for word in ["const ", "async ", "unsafe ", "extern \"C\" "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    word_before(rest.strip_prefix("fn ")?, &['(', '<'])
}

/// The name in the head of a JavaScript or TypeScript function whose body follows on lines of
/// its own.
fn script_name(line: &str) -> Option<&str> {
    if !line.ends_with('{') && !line.ends_with('(') {
        return None;
    }
    let mut rest = line;
    for word in ["export ", "default ", "async ", "static ", "private "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    if let Some(behind) = rest.strip_prefix("function ") {
        return word_before(behind.trim_start_matches('*').trim_start(), &['(', '<']);
    }
    if let Some(behind) = rest.strip_prefix("const ").or(rest.strip_prefix("let ")) {
        return if line.contains("=>") || line.contains("function") {
            word_before(behind, &[' ', ':', '='])
        } else {
            None
        };
    }
    let name = word_before(rest, &['(', '<'])?;
    let is_keyword = ["if", "for", "while", "switch", "catch", "return"].contains(&name);
    (line.ends_with(") {") && !is_keyword).then_some(name)
}

/// The name in the head of a Python function.
fn python_name(line: &str) -> Option<&str> {
    word_before(line.strip_prefix("async ").unwrap_or(line).strip_prefix("def ")?, &['('])
}

/// The word that stands before one of `ends`, which comes directly behind it.
fn word_before<'a>(text: &'a str, ends: &[char]) -> Option<&'a str> {
    let is_of_word = |character: char| character.is_alphanumeric() || character == '_';
    let end = text.find(|character| !is_of_word(character))?;
    let (word, behind) = text.split_at(end);
    (!word.is_empty() && behind.starts_with(ends)).then_some(word)
}

/// The line with the brace that ends the function of the first line: the first that is indented
/// as that one is and begins with a brace. A head without a body ends where it stops.
fn brace_end(lines: &[&str], indent: usize) -> usize {
    let mut body = false;
    for (at, line) in lines.iter().enumerate() {
        let own = indentation(line) == indent;
        let ends_head = line.ends_with(';') || line.ends_with('}');
        if !body && own && ends_head || at > 0 && own && line.trim_start().starts_with('}') {
            return at;
        }
        body |= own && line.ends_with('{');
    }
    lines.len() - 1
}

/// The last line that is indented further than the first, or closes its parameters.
fn python_end(lines: &[&str], indent: usize) -> usize {
    let mut end = 0;
    for (at, line) in lines.iter().enumerate().skip(1) {
        if line.trim().is_empty() {
            continue;
        }
        if indentation(line) <= indent && !line.trim_start().starts_with(')') {
            break;
        }
        end = at;
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(path: &str, text: &str) -> Vec<(String, usize)> {
        let functions = functions_of(&File::new(path, text)).into_iter();
        functions.map(|function| (function.name, function.lines)).collect()
    }

    fn named(list: &[(&str, usize)]) -> Vec<(String, usize)> {
        list.iter().map(|(name, lines)| ((*name).to_owned(), *lines)).collect()
    }

    #[test]
    fn rust_functions_are_counted_from_head_to_brace() {
        let text = "\
            fn one() {}\n\
            pub(crate) async fn two<'a>(\n    a: &'a str,\n) -> u8 {\n    if a {\n    }\n}\n\
            trait T {\n    fn three(&self);\n    fn four(\n        &self,\n    ) -> u8;\n\
            \x20   const fn five() -> u8 {\n        5\n    }\n}\n\
            // fn no_function() {\n\
            let fnord = 1;\n";
        let expected = [("one", 1), ("two", 6), ("three", 1), ("four", 3), ("five", 3)];
        assert_eq!(seen("a.rs", text), named(&expected));
    }

    #[test]
    fn a_function_as_long_as_its_lines_say_is_found() {
        let text = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(69));
        assert_eq!(seen("a.rs", &text), named(&[("long", 71)]));
        let text = format!("def long():\n{}\nafter = 1\n", "    step()\n\n".repeat(35));
        assert_eq!(seen("a.py", &text), named(&[("long", 70)]));
    }

    #[test]
    fn python_functions_end_with_their_last_indented_line() {
        let text = "\
            class C:\n    def one(\n        self,\n    ):\n        return 1\n\n\
            \x20   async def two(self):\n        def three():\n            pass\n\n        return 2\n\n\
            define = 1\n";
        assert_eq!(seen("a.py", text), named(&[("one", 4), ("two", 5), ("three", 2)]));
    }

    #[test]
    fn script_functions_are_found_in_every_spelling() {
        let text = "\
            export async function one(a) {\n  if (a) {\n  }\n}\n\
            const two = async () => {\n  return 1;\n};\n\
            class C {\n  static three(a) {\n    for (;;) {\n    }\n  }\n}\n\
            const list = [];\n";
        for path in ["a.ts", "a.mjs"] {
            assert_eq!(seen(path, text), named(&[("one", 4), ("two", 3), ("three", 4)]));
        }
    }
}
