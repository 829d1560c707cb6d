package record

import (
	"fmt"
	"strings"

	"github.com/pakli/pakli/protocol/games/skat"
)

// gameNames are the names of games.
var gameNames = map[skat.Game]string{
	skat.ClubsGame: "clubs", skat.SpadesGame: "spades", skat.HeartsGame: "hearts", skat.DiamondsGame: "diamonds",
	skat.Grand: "grand", skat.Null: "null",
}

// inWords is a move as a sentence without a full stop: "ada plays JC".
func (m Move) inWords(d *Deal) string {
	if m.Who == World {
		switch m.Verb {
		case Timeout:
			return d.name(m.Number) + " is out of time"
		case Leave:
			return d.name(m.Number) + " leaves"
		}
		return "the skat is shown"
	}
	who := d.name(m.Who)
	switch m.Verb {
	case Bid:
		return fmt.Sprintf("%s says %d", who, m.Number)
	case Announce:
		return who + " announces " + m.gameWords()
	case Play:
		return who + " plays " + faceNames(m.Cards[:1])
	case Discard:
		return who + " lays " + faceNames(m.Cards[:skatSize]) + " aside"
	case Take:
		return who + " takes the skat"
	case Show:
		return who + " lays his cards open"
	case Pass:
		return who + " passes"
	case Yes:
		return who + " holds"
	}
	return fmt.Sprintf("%s %ss", who, m.Verb)
}

// gameWords is an announcement in words: "grand hand schneider".
func (m Move) gameWords() string {
	words := []string{gameNames[m.Game]}
	for word, said := range map[string]bool{"hand": m.Hand, "ouvert": m.Ouvert} {
		if said {
			words = append(words, word)
		}
	}
	if len(words) == 3 {
		words = []string{words[0], "hand", "ouvert"}
	}
	if m.Level > 0 && !m.Ouvert {
		words = append(words, levelNames[m.Level])
	}
	return strings.Join(words, " ")
}

var levelNames = []string{"", "schneider", "schwarz"}

func faceNames(cards []skat.Face) string {
	words := make([]string, len(cards))
	for i, f := range cards {
		words[i] = f.String()
		if f == Unknown {
			words[i] = "??"
		}
	}
	return strings.Join(words, " ")
}

// contractWords is a contract in words.
func contractWords(c skat.Contract) string {
	return Move{Game: c.Game, Hand: c.Hand, Level: c.Ann, Ouvert: c.Ouvert}.gameWords()
}
