// A minimal bot for Planning in Zig (0.14).
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.

const std = @import("std");

const most_cards = 256;
const Word = []const u8;
const Card = [8]u8; // such as "TD": the value, then the suit, then zeros

var strongest: u8 = 0; // the value that no other beats
var players: usize = 0;
var me: usize = 0;
var cards: [most_cards]Card = undefined;
var hand: []Card = cards[0..0]; // my cards
var led: Card = undefined; // the first card of the trick ...
var on_table: usize = 0; // ... while this many are on the table
var sure: [4]u8 = undefined;

fn is(word: Word, other: Word) bool {
    return std.mem.eql(u8, word, other);
}

fn textOf(card: *const Card) Word {
    return std.mem.sliceTo(card, 0);
}

fn last(word: Word) u8 {
    return word[word.len - 1];
}

fn cardOf(word: Word) !Card {
    var card = std.mem.zeroes(Card);
    if (word.len >= card.len) return error.Refused;
    @memcpy(card[0..word.len], word);
    return card;
}

fn number(word: Word) !usize {
    return std.fmt.parseInt(usize, word, 10);
}

/// What stands after "=" in the reply; an error refuses.
fn obey(words: []const Word) !Word {
    const command = words[0];
    if (is(command, "set_deck") and words.len == 3) {
        strongest = last(words[1]);
    } else if (is(command, "set_players") and words.len == 3) {
        const n = try number(words[1]);
        me = try number(words[2]);
        players = n;
    } else if (is(command, "set_cards") and words.len > 1 and try number(words[1]) == words.len - 2) {
        for (words[2..], 0..) |word, i| cards[i] = try cardOf(word);
        hand = cards[0 .. words.len - 2];
        on_table = 0;
    } else if (is(command, "gen_declare")) {
        var n: usize = 0;
        for (hand) |card| n += @intFromBool(card[0] == strongest);
        return std.fmt.bufPrint(&sure, "{d}", .{n});
    } else if (is(command, "gen_move") and hand.len > 0) {
        for (hand) |*card| {
            if (on_table > 0 and last(textOf(card)) == last(textOf(&led))) return textOf(card);
        }
        return textOf(&hand[0]);
    } else if (is(command, "play") and words.len == 3) {
        const seat = try number(words[1]);
        const played = try cardOf(words[2]);
        if (on_table == 0) led = played;
        on_table += 1;
        if (on_table >= players) on_table = 0; // the trick is complete
        for (hand, 0..) |card, i| {
            if (seat == me and std.mem.eql(u8, &card, &played)) {
                std.mem.copyForwards(Card, hand[i..], hand[i + 1 ..]);
                hand = hand[0 .. hand.len - 1];
                break;
            }
        }
    } else if (!is(command, "set_game") and !is(command, "time_left") and !is(command, "declare") and !is(command, "quit")) {
        return error.Refused;
    }
    return "";
}

pub fn main() !void {
    var buffered = std.io.bufferedReader(std.io.getStdIn().reader());
    const in = buffered.reader();
    const out = std.io.getStdOut().writer(); // it has no buffer
    var line: [4096]u8 = undefined;
    while (try in.readUntilDelimiterOrEof(&line, '\n')) |text| {
        var words: [most_cards + 2]Word = undefined;
        var count: usize = 0;
        var found = std.mem.tokenizeAny(u8, text, " \t\r");
        while (found.next()) |word| : (count += 1) {
            if (count == words.len) break;
            words[count] = word;
        }
        if (count == 0) continue; // a blank line has no reply
        if (obey(words[0..count])) |reply| {
            try out.print("={s}{s}\n\n", .{ if (reply.len > 0) " " else "", reply });
        } else |_| {
            try out.print("? cannot do that\n\n", .{});
        }
        if (is(words[0], "quit")) break;
    }
}
