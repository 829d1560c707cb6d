package record

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
)

// keyword is a kind of line. The lines of a deal come in the order of keywords.
type keyword struct {
	key    string
	also   string // other spellings, folded as foldText does
	rule   string // the rule to name if a deal has no place for such a line
	seated bool   // the line has a seat: "key A:"
	repeat bool   // there may be several lines, even of one seat
	cards  bool   // the line has cards, otherwise words
	opaque bool   // some cards may be unknown
	word   func(*parser, string) (string, error)
}

var keywords = []keyword{
	{key: "dealt", also: "kez blatt", seated: true, cards: true},
	{key: "talon", cards: true},
	{key: "drawn", also: "huzott gezogen", seated: true, cards: true},
	{key: "cards", also: "lapok karten", seated: true, cards: true},
	{key: "bids", also: "licit gebote", rule: "R-BID-9", word: seatAnd("R-BID-2", "pass", "hold", "three", "two", "one", "solo")},
	{key: "confirm", rule: "OPT-CONV-COMMIT", seated: true, word: oneOf("yes", "no")},
	{key: "trial", also: "proba probe", rule: "R-BID-14", seated: true, word: oneOf("yes", "no")},
	{key: "discard", also: "skart", rule: "R-DISC-1", seated: true, cards: true, opaque: true},
	{key: "disclosed", rule: "R-DISC-6", word: seatAnd("R-DISC-6", "0", "1", "2", "3")},
	{key: "annul", rule: "R-ANN-1", seated: true, word: oneOf("a", "b", "c", "d", "e")},
	{key: "say", also: "bemondas ansage", rule: "R-ANC-4", seated: true, repeat: true, word: parseStatement},
	{key: "trick", also: "utes stich", rule: "R-PLAY-1", seated: true, repeat: true, cards: true},
	{key: "claim", rule: "R-CNT-5", word: seatAnd("R-SEAT-3", "")},
	{key: "fee", rule: "OPT-TALON-HONOUR-FEE", seated: true, cards: true},
	{key: "between", rule: "R-SESS-1", word: oneOf("go", "stop", "skiz")},
	{key: "result", also: "eredmeny ergebnis", word: parsePayment},
}

// Bounds of the number of items in a line; the rules allow fewer.
const (
	maxWords = 20
	maxCards = 12
)

var places = func() map[string]int {
	m := map[string]int{}
	for i, k := range keywords {
		for _, word := range append(strings.Fields(k.also), k.key) {
			m[word] = i
		}
	}
	return m
}()

// keywordOrder is the place of a keyword in the order of a deal's lines, or -1.
func keywordOrder(word string) int {
	if i, known := places[word]; known {
		return i
	}
	return -1
}

func keywordOf(key string) keyword { return keywords[keywordOrder(key)] }

func keywordList() string {
	var list []string
	for _, k := range keywords {
		list = append(list, k.key)
	}
	return strings.Join(list, ", ")
}

// foldText is a text without case, accents, variation selectors, and the characters that join the parts
// of a word: "Négy-király" becomes "negykiraly".
func foldText(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) || strings.ContainsRune(" -_", r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKD.String(text))
}

// spellings are the words of a record, each with the spellings that are read as it (63.4).
var spellings = map[string]string{
	"pass": "passz passe mehet weiter tovabb", "hold": "tartom halte",
	"three": "3 harom drei", "two": "2 ketto zwei", "one": "1 egy eins", "solo": "szolo",
	"yes": "igen ja", "no": "nem nein",
	"8": "nyolc acht eight", "9": "kilenc neun nine", "count": "tarokk tarokks tarock tarocks",
	"call":  "hivom rufe",
	"trull": "tuli tuletroa", "four_kings": "kings negykiraly 4kiraly vierkonige 4konige",
	"double": "dupla duplajatek doppel doppelspiel", "volat": "valat",
	"pagat_ultimo": "ultimo ulti pagatulti", "xxi_capture": "xxi huszonegyfogas xxifogas 21fogas xxifang 21fang mondfang",
	"game": "parti spiel", "compulsory": "kotelezo", "contra": "kontra", "recontra": "rekontra",
	"subcontra": "szubkontra subkontra", "hirscontra": "hirskontra hirschkontra", "mordcontra": "mordkontra",
}

var meanings = sync.OnceValue(func() map[string]string {
	m := map[string]string{}
	for word, others := range spellings {
		for _, text := range append(strings.Fields(others), foldText(word)) {
			m[text] = word
		}
	}
	return m
})

// canonicalWord is the word of a record that a text stands for, or else the folded text.
func canonicalWord(text string) string {
	folded := foldText(text)
	if word, known := meanings()[folded]; known {
		return word
	}
	return folded
}

func oneOf(words ...string) func(*parser, string) (string, error) {
	return func(_ *parser, text string) (string, error) {
		word := canonicalWord(text)
		if !slices.Contains(words, word) {
			return "", fmt.Errorf("%.20q is none of %s", text, strings.Join(words, ", "))
		}
		return word, nil
	}
}

// The spellings of cards: of suits and ranks in the order of R-CARD-7, and of tarokks other than by
// number.
var (
	tarokkSpellings = map[card.Face]string{
		tarokk.Pagat: "pagat", tarokk.NthTarokk(4): "iiii", tarokk.NthTarokk(9): "viiii", tarokk.NthTarokk(14): "xiiii", tarokk.XIX: "xviiii", tarokk.XXI: "mond", tarokk.Skiz: "skus xxii",
	}
	suitSpellings = [...]string{"♥ ♡ h kor herz hearts", "♦ ♢ d karo diamonds", "♣ ♧ c treff kreuz clubs", "♠ ♤ s pikk pik spades"}
	rankSpellings = [...]string{"", "j b bubi botos bube jack", "r l c lovas cavall kavall reiter rider", "q d dama dame queen", "k kiraly konig king"}
	lowSpellings  = [...]string{"a 4 asz ass ace negyes vier vierer", "t 10 tiz tizes zehn zehner ten"} // red and black
	isSuit        = spellingsOf(suitSpellings[:])
	spelledCards  = sync.OnceValue(spellCards)
)

// spellCards lists the cards by all the spellings that are read (63.4).
func spellCards() map[string]card.Face {
	m := map[string]card.Face{"?": Unknown}
	for n := 1; n <= tarokk.TarokkNumber(tarokk.Skiz); n++ {
		f := tarokk.NthTarokk(n)
		names := append(strings.Fields(tarokkSpellings[f]), strconv.Itoa(n), fmt.Sprint("t", n), strings.ToLower(tarokk.RomanNumeral(f)))
		for _, name := range names {
			for _, ending := range []string{"", "es", "as", "os", "est", "ast", "ost"} { // Hungarian endings: XIX-es, and of a called card XX-ast
				m[name+ending] = f
			}
		}
	}
	for s, names := range suitSpellings {
		for i, ranks := range rankSpellings {
			if i == 0 {
				ranks = lowSpellings[s/2]
			}
			spellSuit(m, strings.Fields(names), strings.Fields(ranks), tarokk.CardsOf(tarokk.Suit(s)).Faces()[i])
		}
	}
	for suit := range isSuit {
		delete(m, suit) // "pikk" is the suit, and not "pik" with a "k"
	}
	return m
}

// spellingsOf is the set of the words in a list of spellings.
func spellingsOf(list []string) map[string]bool {
	m := map[string]bool{}
	for _, names := range list {
		for _, name := range strings.Fields(names) {
			m[name] = true
		}
	}
	return m
}

// spellSuit adds the spellings of one card: the suit before the rank, and a suit sign also after it.
func spellSuit(m map[string]card.Face, suits, ranks []string, f card.Face) {
	for _, rank := range ranks {
		for i, suit := range suits {
			if m[suit+rank] = f; i < 2 {
				m[rank+suit] = f
			}
		}
	}
}

// parseCard reads a card, by the rules of 63.4.
func parseCard(text string) (card.Face, error) {
	f, known := spelledCards()[foldText(text)]
	if !known {
		return 0, fmt.Errorf("R-CARD-7: %.20q is no card of the pack: a tarokk as T20 or XX, or a suit and a rank as HK, ♥K or kőrkirály", text)
	}
	return f, nil
}

// splitCards splits a list of cards. A suit that stands alone belongs to the rank after it: "pikk" is a
// suit, and "PikK" is a card.
func splitCards(text string) []string {
	var list []string
	for _, word := range strings.Fields(strings.NewReplacer(",", " ", "PikK", "SK").Replace(text)) {
		if n := len(list); n > 0 && isSuit[foldText(list[n-1])] {
			list[n-1] += word
		} else {
			list = append(list, word)
		}
	}
	return list
}

func cardNames(faces []card.Face, redLow string) string {
	all, list := tarokk.FaceNames(tarokk.RedLow(redLow)), make([]string, len(faces))
	for i, f := range faces {
		if list[i] = "?"; f != Unknown {
			list[i] = all[f]
		}
	}
	return strings.Join(list, " ")
}

// parsePayment reads an amount that a member won or lost.
func parsePayment(_ *parser, text string) (string, error) {
	n, err := strconv.Atoi(strings.NewReplacer("−", "-", "–", "-").Replace(text))
	if err != nil || n > maxPayment || n < -maxPayment {
		return "", fmt.Errorf("R-PAY-6: %.20q is no payment: a number as +5, -5 or 0", text)
	}
	return fmt.Sprintf("%+d", n), nil
}

const maxPayment = 1 << 40

// ladder are the words for the contra steps (R-CON-2), from step 1.
var ladder = []string{"contra", "recontra", "subcontra", "hirscontra", "mordcontra"}

// illustrated finds the figures of OPT-ILLUSTRATED: pagátuhu, sasultimó,
// kismadár and so on.
var illustrated = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("uhu|madar|centrum|facan|sasult|kiralyult|konigult|kingult")
})

// parseStatement reads a statement of a turn: a figure, "count 8", "call T20", "contra game", "recontra
// DEC.trull", "compulsory game". The side of an item may be left out, and a contra may follow it.
func parseStatement(_ *parser, text string) (string, error) {
	if illustrated().MatchString(foldText(text)) {
		return "", fmt.Errorf("OPT-ILLUSTRATED: %.30q is a figure of illustrated tarokk, and not played in this version", text)
	}
	if figure := canonicalWord(text); isFigure(figure) {
		return figure, nil
	}
	words := slices.DeleteFunc(strings.Fields(text), func(word string) bool { return slices.Contains([]string{"a", "az", "den"}, word) })
	if len(words) >= 2 {
		first, last := canonicalWord(words[0]), canonicalWord(words[len(words)-1])
		object := strings.Join(words[1:], " ")
		switch {
		case first == "count" && (last == "8" || last == "9"):
			return "count " + last, nil
		case last == "count" && (first == "8" || first == "9"):
			return "count " + first, nil
		case first == "compulsory" && canonicalWord(object) == "game":
			return "compulsory game", nil
		case first == "call":
			if f, err := parseCard(object); err == nil && f != Unknown {
				return "call " + tarokk.FaceName(f), nil
			}
			return "", fmt.Errorf("R-CALL-1: %.20q is no card that is called", object)
		case slices.Contains(ladder, first):
			return parseContra(first, object)
		case slices.Contains(ladder, last):
			return parseContra(last, strings.Join(words[:len(words)-1], " "))
		}
	}
	return "", fmt.Errorf("R-ANC-2: %.30q is no statement: pass, call XX, count 8, a figure as trull, or a contra as contra game", text)
}

// sided splits texts such as "DEC.trull" or "def trull".
var sided = regexp.MustCompile(`^(?i:(DEC|DEF)[. ] *)?(.*)$`)

// parseContra reads what a contra is for.
func parseContra(step, object string) (string, error) {
	parts := sided.FindStringSubmatch(object)
	side, figure := strings.ToUpper(parts[1]), canonicalWord(parts[2])
	switch {
	case isFigure(figure) && side != "":
		return step + " " + side + "." + figure, nil
	case isFigure(figure), figure == string(tarokk.GameFigure) && side == "":
		return step + " " + figure, nil
	}
	return "", fmt.Errorf("R-CON-1: %.30q is nothing to contra: game, or a figure as trull or DEC.trull", object)
}

func isFigure(word string) bool { return slices.Contains(tarokk.Figures, tarokk.Figure(word)) }
