package record

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// keyword is a kind of line. Lines of a deal come in the order of keywords.
type keyword struct {
	key    string
	rule   string // of a deal that has no place for such a line
	seated bool   // "key A:"
	repeat bool   // more than one line, of a seat too
	cards  bool   // the line has cards, and otherwise words
	opaque bool   // some cards may be unknown
	word   func(string) (string, error)
}

var keywords = []keyword{
	{key: "dealt", seated: true, cards: true},
	{key: "talon", cards: true},
	{key: "drawn", seated: true, cards: true},
	{key: "cards", seated: true, cards: true},
	{key: "bids", rule: "R-BID-9", word: parseBid},
	{key: "confirm", rule: "OPT-CONV-COMMIT", seated: true, word: oneOf("yes", "no")},
	{key: "trial", rule: "R-BID-14", seated: true, word: oneOf("yes", "no")},
	{key: "discard", rule: "R-DISC-1", seated: true, cards: true, opaque: true},
	{key: "disclosed", rule: "R-DISC-6", word: parseDisclosed},
	{key: "annul", rule: "R-ANN-1", seated: true, word: oneOf("a", "b", "c", "d", "e")},
	{key: "say", rule: "R-ANC-4", seated: true, repeat: true, word: parseStatement},
	{key: "trick", rule: "R-PLAY-1", seated: true, repeat: true, cards: true},
	{key: "claim", rule: "R-CNT-5", word: oneOf("A", "B", "C", "D")},
	{key: "fee", rule: "OPT-TALON-HONOUR-FEE", seated: true, cards: true},
	{key: "between", rule: "R-SESS-1", word: oneOf("go", "stop", "skiz")},
	{key: "result", word: parseNumber},
}

// Bounds of the items of a line; the rules know fewer.
const (
	maxWords = 20
	maxCards = 12
)

func keywordOf(key string) (keyword, int) {
	i := slices.IndexFunc(keywords, func(k keyword) bool { return k.key == key })
	if i < 0 {
		return keyword{}, i
	}
	return keywords[i], i
}

func keys() string {
	var list []string
	for _, k := range keywords {
		list = append(list, k.key)
	}
	return strings.Join(list, ", ")
}

var suitSigns = strings.NewReplacer("♥", "H", "♡", "H", "♦", "D", "♢", "D", "♣", "C", "♧", "C", "♠", "S", "♤", "S", "10", "T")

// parseCard reads R-CARD-7, and what people write: the numerals of the tarokks,
// skíz and pagát, signs for suits, 10 for the ten.
func parseCard(text string) (card.Face, error) {
	upper := strings.ToUpper(text)
	switch upper {
	case "?":
		return Unknown, nil
	case "SKÍZ":
		return deck.Skiz, nil
	case "PAGÁT", "PAGAT":
		return deck.Pagat, nil
	}
	if f, err := deck.Parse(upper); err == nil {
		return f, nil
	}
	f, err := deck.Parse(suitSigns.Replace(upper))
	if err != nil {
		return 0, fmt.Errorf("R-CARD-7: %.20q is no card of the pack", text)
	}
	return f, nil
}

func cardNames(faces []card.Face, redLow string) string {
	all, list := deck.Names(deck.RedLow(redLow)), make([]string, len(faces))
	for i, f := range faces {
		if list[i] = "?"; f != Unknown {
			list[i] = all[f]
		}
	}
	return strings.Join(list, " ")
}

func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if !slices.Contains(words, text) {
			return "", fmt.Errorf("%.20q is none of %s", text, strings.Join(words, ", "))
		}
		return text, nil
	}
}

// synonyms are words as Hungarian players write them.
var synonyms = map[string]string{
	"passz": "pass", "tartom": "hold", "három": "three", "kettő": "two", "egy": "one", "szóló": "solo",
	"tuli": "trull", "tulétroá": "trull", "négykirály": "four_kings", "kings": "four_kings", "duplajáték": "double", "dupla": "double",
	"volát": "volat", "pagátultimó": "pagat_ultimo", "ultimó": "pagat_ultimo", "ultimo": "pagat_ultimo", "huszonegyfogás": "xxi_capture",
	"kontra": "contra", "rekontra": "recontra", "szubkontra": "subcontra", "hirskontra": "hirscontra", "mordkontra": "mordcontra",
	"parti": "game", "mehet": "pass",
}

func plainWord(text string) string {
	lower := strings.ToLower(text)
	if word, ok := synonyms[lower]; ok {
		return word
	}
	return lower
}

func parseSeat(text string) (int, error) {
	if i := strings.Index(seatNames, text); i >= 0 && len(text) == 1 {
		return i, nil
	}
	return 0, fmt.Errorf("R-SEAT-3: %.10q is no seat: A, B, C or D", text)
}

// parseBid reads "A three".
func parseBid(text string) (string, error) {
	seat, call, _ := strings.Cut(text, " ")
	if _, err := parseSeat(seat); err != nil {
		return "", err
	}
	call = plainWord(strings.TrimSpace(call))
	if !slices.Contains([]string{"pass", "hold", "three", "two", "one", "solo"}, call) {
		return "", fmt.Errorf("R-BID-2: %.20q is no call: pass, hold, three, two, one or solo", call)
	}
	return seat + " " + call, nil
}

// parseDisclosed reads "A 2": a seat and how many tarokks it discarded.
func parseDisclosed(text string) (string, error) {
	seat, number, _ := strings.Cut(text, " ")
	if _, err := parseSeat(seat); err != nil {
		return "", err
	}
	if len(number) != 1 || number < "0" || number > "3" {
		return "", fmt.Errorf("R-DISC-6: %.10q is no number of discarded tarokks: 0 to 3", number)
	}
	return seat + " " + number, nil
}

// maxNumber bounds what the record says was paid.
const maxNumber = 1 << 40

// parseNumber reads a payment.
func parseNumber(text string) (string, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n > maxNumber || n < -maxNumber {
		return "", fmt.Errorf("R-PAY-6: %.20q is no payment", text)
	}
	return fmt.Sprintf("%+d", n), nil
}

// ladder are the words of the contra steps (R-CON-2), the first being step 1.
var ladder = []string{"contra", "recontra", "subcontra", "hirscontra", "mordcontra"}

// parseStatement reads a statement of a turn: a figure, "count 8", "call T20",
// "contra game", "recontra DEC.trull", "compulsory game". The side of an item may
// be left out.
func parseStatement(text string) (string, error) {
	word, object, _ := strings.Cut(text, " ")
	word, object = plainWord(word), strings.TrimSpace(object)
	switch {
	case object == "" && isFigure(word):
		return word, nil
	case word == "count" && (object == "8" || object == "9"), word == "compulsory" && plainWord(object) == "game":
		return word + " " + plainWord(object), nil
	case word == "call":
		f, err := parseCard(object)
		if err != nil || f == Unknown {
			return "", fmt.Errorf("R-CALL-1: %.20q is no card", object)
		}
		return word + " " + deck.Name(f), nil
	case slices.Contains(ladder, word):
		return parseContra(word, object)
	}
	return "", fmt.Errorf("R-ANC-2: %.30q is no statement", text)
}

func parseContra(word, object string) (string, error) {
	side, figure, sided := strings.Cut(object, ".")
	if !sided {
		side, figure = "", side
	}
	figure = plainWord(figure)
	switch {
	case figure == string(score.Game) && !sided:
		return word + " game", nil
	case isFigure(figure) && !sided:
		return word + " " + figure, nil
	}
	item, err := score.ParseItem(side + "." + figure)
	if err != nil {
		return "", err
	}
	return word + " " + item.String(), nil
}

func isFigure(word string) bool { return slices.Contains(score.Figures, score.Figure(word)) }
