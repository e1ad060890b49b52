//! A minimal bot for Planning in Rust.
//!
//! A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
//! then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

use std::io::{self, BufRead, Write};

#[derive(Default)]
struct Bot {
    strongest: Option<char>, // the value that no other beats
    players: usize,
    me: usize,
    hand: Vec<String>,  // my cards, such as "TD": the value, then the suit
    trick: Vec<String>, // the cards on the table
}

impl Bot {
    /// What stands after "=" in the reply; None refuses.
    fn obey(&mut self, words: &[&str]) -> Option<String> {
        match words {
            ["set_deck", values, _suits] => self.strongest = values.chars().last(),
            ["set_players", n, i] => {
                (self.players, self.me) = (n.parse().ok()?, i.parse().ok()?);
            }
            ["set_cards", count, cards @ ..] => {
                if count.parse() != Ok(cards.len()) {
                    return None;
                }
                self.hand = cards.iter().map(|card| card.to_string()).collect();
                self.trick.clear();
            }
            ["gen_declare"] => {
                let sure = |card: &&String| card.chars().next() == self.strongest;
                return Some(self.hand.iter().filter(sure).count().to_string());
            }
            ["gen_move"] => return self.choose(),
            ["play", i, card] => {
                let seat: usize = i.parse().ok()?;
                self.trick.push(card.to_string());
                if self.trick.len() >= self.players {
                    self.trick.clear();
                }
                if seat == self.me {
                    self.hand.retain(|mine| mine != card);
                }
            }
            ["set_game" | "time_left" | "declare" | "quit", ..] => {}
            _ => return None,
        }
        Some(String::new())
    }

    /// The first card of the suit led, else the first; None if there is none.
    fn choose(&self) -> Option<String> {
        let suit = |card: &String| card.chars().last();
        let led = self.trick.first().and_then(suit);
        let follows = |card: &&String| led.is_some() && suit(card) == led;
        let choice = self.hand.iter().find(follows).or(self.hand.first());
        choice.cloned()
    }
}

fn main() -> io::Result<()> {
    let mut bot = Bot::default();
    let mut out = io::stdout().lock();
    // Not lines(): that is an error where a line is not UTF-8.
    for line in io::stdin().lock().split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        let words: Vec<&str> = line.split_whitespace().collect();
        if words.is_empty() {
            continue; // a blank line has no reply
        }
        let reply = match bot.obey(&words) {
            Some(text) => format!("= {text}"),
            None => "? cannot do that".to_string(),
        };
        write!(out, "{}\n\n", reply.trim_end())?;
        out.flush()?; // without this the reply may wait in a buffer
        if words[0] == "quit" {
            break;
        }
    }
    Ok(())
}
