package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/wire"
)

// Read implements Face.
func (f tarokkFace) Read(p Position, line string) (json.RawMessage, error) {
	t := f.see(p)
	m, err := t.read(strings.Fields(strings.ToLower(strings.ReplaceAll(line, ",", " , "))))
	if err != nil {
		return nil, err
	}
	if err := rules.Check(t.State, p.View, m); err != nil {
		return nil, t.why(m, err)
	}
	return wire.EncodeBody(m)
}

// Say implements Face.
func (f tarokkFace) Say(p Position, move json.RawMessage) string {
	var m tarokk.Move
	if err := wire.DecodeMove(move, &m); err != nil {
		return string(move)
	}
	return f.see(p).say(m)
}

// phrases are the moves of one or two words that each stage knows.
var phrases = map[string]tarokk.Move{
	"knock": {Knock: new(true)}, "cut": {Knock: new(false)},
	"confirm": {Confirm: new(true)}, "cannot": {Confirm: new(false)},
	"honour": {Trial: new(true)}, "none": {Trial: new(false)},
	"claim": {Claim: new(true)}, "leave": {Claim: new(false)},
	"go": {Wish: new("go")}, "skiz": {Wish: new("skiz")}, "stop": {Wish: new("stop")},
}

// read understands words as a move of the present stage, be it allowed or not.
func (t seen) read(words []string) (tarokk.Move, error) {
	if len(words) == 0 {
		return tarokk.Move{}, errors.New("nothing was said")
	}
	text := strings.Join(words, " ")
	switch t.Stage {
	case tarokk.Bidding:
		call := auction.Call(text)
		return tarokk.Move{Call: &call}, nil
	case tarokk.Knocking:
		if number, is := strings.CutPrefix(text, "packet "); is {
			n, err := strconv.Atoi(number)
			n--
			return tarokk.Move{Packet: &n}, err
		}
	case tarokk.Annulling, tarokk.AnnullingFirst:
		hand, annul := strings.CutPrefix(text, "annul ")
		if annul || text == "play" {
			return tarokk.Move{Annul: new(strings.TrimPrefix(hand, "play"))}, nil
		}
	case tarokk.Discarding:
		return t.readDiscard(words)
	case tarokk.Announcing:
		return t.readSpeech(words)
	case tarokk.Playing:
		return t.readPlay(words)
	}
	if m, known := phrases[text]; known {
		return m, nil
	}
	for _, m := range rules.Moves(t.State, t.at.View) {
		if t.say(m) == text {
			return m, nil
		}
	}
	return tarokk.Move{}, fmt.Errorf("%.40q is not understood: you are to %s", text, tasks[t.Stage])
}

// readCard understands a card's name.
func (t seen) readCard(word string) (card.Face, error) {
	name := strings.NewReplacer("Í", "I", "Á", "A", "10", "T").Replace(letters(word))
	if n, err := strconv.Atoi(letters(word)); err == nil {
		name = "T" + strconv.Itoa(n)
	}
	if name == "PAGAT" {
		name = "I"
	}
	if len(name) == 2 && strings.Contains("HDCS", name[1:]) {
		name = name[1:] + name[:1]
	}
	f, err := deck.Parse(name)
	if err != nil {
		return 0, fmt.Errorf("R-CARD-7: %.20q is no card: HK, S10, XIX, SKIZ", word)
	}
	return f, nil
}

// letterOf finds a card in the own hand.
func (t seen) letterOf(f card.Face) (string, error) {
	for i, letter := range t.Deal.Held[t.me()] {
		if t.face(byte(letter)) == f {
			return t.Deal.Held[t.me()][i : i+1], nil
		}
	}
	return "", fmt.Errorf("%s is not in your hand", t.faces([]card.Face{f}))
}

func (t seen) readDiscard(words []string) (tarokk.Move, error) {
	if words[0] == "discard" {
		words = words[1:]
	}
	var list []string
	for _, word := range words {
		if word == "," {
			continue
		}
		f, err := t.readCard(word)
		if err != nil {
			return tarokk.Move{}, err
		}
		letter, err := t.letterOf(f)
		if err != nil {
			return tarokk.Move{}, fmt.Errorf("R-DISC-1: %w", err)
		}
		list = append(list, letter)
	}
	slices.Sort(list)
	if twice := len(list) - len(slices.Compact(slices.Clone(list))); twice > 0 {
		return tarokk.Move{}, errors.New("R-DISC-1: a card is named twice")
	}
	return tarokk.Move{Discard: new(strings.Join(list, ""))}, nil
}

func (t seen) readPlay(words []string) (tarokk.Move, error) {
	if words[0] == "play" && len(words) > 1 {
		words = words[1:]
	}
	var play tarokk.Play
	if side := words[len(words)-1]; len(words) > 1 && (side == "dec" || side == "def") {
		play.Side, words = strings.ToUpper(side), words[:len(words)-1]
	}
	if len(words) != 1 {
		return tarokk.Move{}, fmt.Errorf("R-PLAY-1: one card is played, and not %.40q", strings.Join(words, " "))
	}
	f, err := t.readCard(words[0])
	if err != nil {
		return tarokk.Move{}, err
	}
	if play.Card, err = t.letterOf(f); err != nil {
		return tarokk.Move{}, fmt.Errorf("R-PLAY-1: %w", err)
	}
	play.Face = deck.Names(t.Rules.RedLow)[f]
	return tarokk.Move{Play: &play}, nil
}

// readSpeech understands a turn of the announcements.
func (t seen) readSpeech(words []string) (tarokk.Move, error) {
	s := tarokk.Speech{Turn: []string{}}
	for rest := words; len(rest) > 0 && !slices.Equal(words, []string{"pass"}); {
		statement, n, err := t.readStatement(rest)
		if err != nil {
			return tarokk.Move{}, err
		}
		if rest = rest[n:]; statement != "" {
			s.Turn = append(s.Turn, statement)
		}
	}
	if !t.Deal.Discards[t.me()].Said {
		s.Discards = t.disclosure()
	}
	return tarokk.Move{Say: &s}, nil
}

// disclosure is the true one. Where discards are said in the first turn of the
// announcements, it is what the stage of disclosures would have asked for.
func (t seen) disclosure() *tarokk.Disclosure {
	before := t.State
	before.Stage = tarokk.Disclosing
	for _, m := range rules.Moves(before, t.at.View) {
		return m.Disclose
	}
	return nil
}

// readStatement understands the first statement of words, and says how many of
// them it takes.
func (t seen) readStatement(words []string) (statement string, n int, err error) {
	switch word := words[0]; {
	case word == ",":
		return "", 1, nil
	case word == "compulsory":
		return "compulsory:game", 1, nil
	case word == "contra":
		item, n, err := t.readItem(words[1:])
		return "contra:" + item, 1 + n, err
	case (word == "call" || word == "count") && len(words) > 1:
		object := words[1]
		if word == "call" {
			f, err := t.readCard(object)
			if err != nil {
				return "", 0, err
			}
			object = deck.Name(f)
		}
		return word + ":" + object, 2, nil
	default:
		if f, known := figureOf(word); known {
			return "fig:" + string(f), 1, nil
		}
		return "", 0, fmt.Errorf("R-ANC-2: %.20q is no announcement; type help for the words", word)
	}
}

// readItem understands what is contra'd: the game, if nothing is said.
func (t seen) readItem(words []string) (item string, n int, err error) {
	if len(words) == 0 || words[0] == "," || words[0] == "game" {
		return score.TheGame.String(), min(len(words), 1) - commas(words), nil
	}
	var side score.Side
	if words[0] == "dec" || words[0] == "def" {
		side.UnmarshalText([]byte(strings.ToUpper(words[0])))
		words, n = words[1:], 1
	}
	if len(words) == 0 {
		return "", 0, errors.New("R-CON-1: say which figure is contra'd")
	}
	f, known := figureOf(words[0])
	if !known {
		return "", 0, fmt.Errorf("R-CON-1: %.20q is no figure: trull, kings, double, volat, ultimo, xxi", words[0])
	}
	if side == score.Unknown {
		if side, err = t.announcer(f); err != nil {
			return "", 0, err
		}
	}
	return score.Item{Side: side, Figure: f}.String(), n + 1, nil
}

// commas is 1 if words begin with a comma.
func commas(words []string) int {
	if len(words) > 0 && words[0] == "," {
		return 1
	}
	return 0
}

// announcer is the one side that announced a figure.
func (t seen) announcer(f score.Figure) (score.Side, error) {
	var by []score.Side
	for _, i := range t.Deal.Announce.Items {
		if i.Item.Figure == f {
			by = append(by, i.Item.Side)
		}
	}
	switch len(by) {
	case 0:
		return score.Unknown, fmt.Errorf("R-CON-1, R-CON-5: %s was not announced and cannot be contra'd", figures[f])
	case 1:
		return by[0], nil
	}
	return score.Unknown, fmt.Errorf("R-CON-1: both sides announced %s: say contra dec %s or contra def %s", figures[f], figures[f], figures[f])
}

func figureOf(word string) (score.Figure, bool) {
	for _, f := range score.Figures {
		if figures[f] == word {
			return f, true
		}
	}
	return "", false
}

// say is a move in words that read understands.
func (t seen) say(m tarokk.Move) string {
	for text, p := range phrases {
		if p.Knock != nil && m.Knock != nil && *p.Knock == *m.Knock || p.Confirm != nil && m.Confirm != nil && *p.Confirm == *m.Confirm ||
			p.Trial != nil && m.Trial != nil && *p.Trial == *m.Trial || p.Claim != nil && m.Claim != nil && *p.Claim == *m.Claim ||
			p.Wish != nil && m.Wish != nil && *p.Wish == *m.Wish {
			return text
		}
	}
	switch {
	case m.Packet != nil:
		return "packet " + strconv.Itoa(*m.Packet+1)
	case m.Call != nil:
		return string(*m.Call)
	case m.Annul != nil && *m.Annul == "":
		return "play"
	case m.Annul != nil:
		return "annul " + *m.Annul
	case m.Discard != nil:
		return "discard " + t.sayCards(*m.Discard)
	case m.Disclose != nil:
		return "disclose"
	case m.Say != nil && len(m.Say.Turn) == 0:
		return "pass"
	case m.Say != nil:
		return t.turn(m.Say.Turn)
	case m.Play != nil:
		return strings.TrimSpace("play " + t.card(m.Play.Face) + " " + strings.ToLower(m.Play.Side))
	case m.Open != nil:
		return "open"
	case m.Fee != nil:
		return "pay"
	}
	return ""
}

func (t seen) sayCards(letters string) string {
	var list []card.Face
	for _, letter := range letters {
		list = append(list, t.face(byte(letter)))
	}
	return t.faces(list)
}

// turn is a turn of the announcements in words.
func (t seen) turn(statements []string) string {
	list := make([]string, len(statements))
	for i, s := range statements {
		list[i] = t.statement(s)
	}
	return strings.Join(list, ", ")
}

func (t seen) statement(s string) string {
	kind, object, _ := strings.Cut(s, ":")
	switch kind {
	case "call":
		return "call " + t.card(object)
	case "fig":
		return figures[score.Figure(object)]
	case "compulsory":
		return kind
	case "contra":
		item, err := score.ParseItem(object)
		switch {
		case err != nil:
			return kind + " " + object
		case item == score.TheGame:
			return "contra game"
		}
		if _, err := t.announcer(item.Figure); err != nil {
			return "contra " + strings.ToLower(item.Side.String()) + " " + figures[item.Figure]
		}
		return "contra " + figures[item.Figure]
	}
	return kind + " " + object
}
