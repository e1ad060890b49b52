// A minimal bot for Planning in Go.
//
// A command comes on each line of standard input. The reply is "=" (done) or "?" (refused), perhaps with a text, and
// then an EMPTY LINE. This bot declares its cards of the strongest value and plays the first card that it may.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

var (
	strongest   byte // the value that no other beats
	players, me int
	hand        []string // my cards, such as "TD": the value, then the suit
	trick       []string // the cards on the table
)

func last(word string) byte {
	return word[len(word)-1]
}

// follows says whether a card is of the suit led.
func follows(card string) bool {
	return len(trick) > 0 && last(card) == last(trick[0])
}

// obey returns what stands after "=" in the reply; false refuses.
func obey(words []string) (string, bool) {
	switch command := words[0]; {
	case command == "set_deck" && len(words) == 3:
		strongest = last(words[1])
	case command == "set_players" && len(words) == 3:
		n, err1 := strconv.Atoi(words[1])
		i, err2 := strconv.Atoi(words[2])
		if err1 != nil || err2 != nil {
			return "", false
		}
		players, me = n, i
	case command == "set_cards" && len(words) > 1 && words[1] == strconv.Itoa(len(words)-2):
		hand, trick = words[2:], nil
	case command == "gen_declare":
		sure := 0
		for _, card := range hand {
			if card[0] == strongest {
				sure++
			}
		}
		return strconv.Itoa(sure), true
	case command == "gen_move" && len(hand) > 0:
		for _, card := range hand {
			if follows(card) {
				return card, true
			}
		}
		return hand[0], true
	case command == "play" && len(words) == 3:
		if trick = append(trick, words[2]); len(trick) >= players {
			trick = nil // the trick is complete
		}
		for i, card := range hand {
			if words[1] == strconv.Itoa(me) && card == words[2] {
				hand = append(hand[:i], hand[i+1:]...)
				break
			}
		}
	case command == "set_game", command == "time_left", command == "declare", command == "quit":
	default:
		return "", false
	}
	return "", true
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<20) // a line may be as long as this
	for in.Scan() {
		words := strings.Fields(in.Text())
		if len(words) == 0 {
			continue // a blank line has no reply
		}
		// fmt.Print has no buffer. With a bufio.Writer, call Flush after each reply.
		if text, ok := obey(words); ok {
			fmt.Print(strings.TrimSpace("= "+text), "\n\n")
		} else {
			fmt.Print("? cannot do that\n\n")
		}
		if words[0] == "quit" {
			break
		}
	}
}
