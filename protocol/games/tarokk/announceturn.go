package tarokk

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
)

// Limits of a turn. The longest legal one is shorter: a count, a call, six figures, and one step on the
// game and on each figure announced before.
const (
	maxStatements = 20
	mordkontra    = 5 // the last step of the ladder (R-CON-2)
)

// TakeTurn is a turn of seat: the statements of say in spoken order, none for a pass.
//
//	call:T20             the partner call
//	count:8              the tarokk count, 8 or 9
//	fig:trull            a figure, for the speaker's side
//	contra:DEC.trull     the next step on an item; the game is contra:game
//	compulsory:game      a contra that the speaker is obliged to, under forced-contra=spoken
//
// It returns the claims that the speaker must prove. A turn is valid as a whole or not at all; the
// error names the rule that it breaks.
func (s Announcements) TakeTurn(r RuleSet, seat int, say []string) (Announcements, []Claim, error) {
	t, err := s.beginTurn(r, seat, say)
	if err != nil {
		return s, nil, err
	}
	if t.Called == nil {
		return s, nil, fmt.Errorf("R-CALL-1: %c is the declarer and must call a tarokk in the first turn", seatLetter(seat))
	}
	t.proveDutiesMet()
	t.Passes++
	if len(say) > 0 {
		t.Passes = 0
	}
	t.Turns++
	return t.Announcements, t.claims, nil
}

// NextStatements lists what seat may say next, by what is public, after what it has said in this turn.
// It is empty if it is not the seat's turn.
func (s Announcements) NextStatements(r RuleSet, seat int, said ...string) []string {
	t, err := s.beginTurn(r, seat, said)
	if err != nil || len(said) == maxStatements {
		return nil
	}
	return slices.DeleteFunc(t.candidateStatements(), func(text string) bool {
		next := *t
		next.Items = slices.Clone(t.Items)
		return next.makeStatement(text) != nil
	})
}

// candidateStatements are all the statements about anything that exists.
func (t *turn) candidateStatements() []string {
	list := []string{"count:8", "count:9"}
	for _, f := range t.CallableTarokks(t.rules) {
		list = append(list, "call:"+FaceName(f))
	}
	for _, f := range Figures {
		list = append(list, "fig:"+string(f))
	}
	for _, a := range t.Items {
		list = append(list, "contra:"+a.Item.String())
	}
	return append(list, "compulsory:game")
}

// turn is a turn under way: a state of its own, and what the speaker must prove.
type turn struct {
	Announcements
	before Announcements
	rules  RuleSet
	seat   int
	said   int  // number of statements so far
	forced bool // the contra was declared compulsory
	claims []Claim
}

// beginTurn is an unfinished turn with these statements.
func (s Announcements) beginTurn(r RuleSet, seat int, say []string) (*turn, error) {
	switch speaker, over := s.Speaker(); {
	case over:
		return nil, fmt.Errorf("R-ANC-4: three have passed and the announcements are over: %c has no turn", seatLetter(seat))
	case seat != speaker:
		return nil, fmt.Errorf("R-ANC-1: it is the turn of %c, not of %c", seatLetter(speaker), seatLetter(seat))
	case len(say) > maxStatements:
		return nil, fmt.Errorf("R-ANC-2: %c makes %d statements, a turn has at most %d", seatLetter(seat), len(say), maxStatements)
	}
	t := &turn{Announcements: s, before: s, rules: r, seat: seat}
	t.Items = slices.Clone(s.Items)
	for _, text := range say {
		if err := t.makeStatement(text); err != nil {
			return nil, fmt.Errorf("%w (at %.30q, said by %c)", err, text, seatLetter(seat))
		}
	}
	return t, nil
}

func (t *turn) makeStatement(text string) error {
	kind, object, _ := strings.Cut(text, ":")
	say, known := map[string]func(string) error{
		"call": t.callTarokk, "count": t.announceCount, "fig": t.announceFigure, "contra": t.makeContra, "compulsory": t.compulsoryContra,
	}[kind]
	switch {
	case !known:
		return fmt.Errorf("R-ANC-2: %.30q is no statement: call:T20, count:8, fig:trull, contra:game or compulsory:game", text)
	case t.Called == nil && kind != "call" && kind != "count":
		return fmt.Errorf("R-CALL-1, R-ANC-2: the declarer must call before %.30q", text)
	}
	if err := say(object); err != nil {
		return err
	}
	t.said++
	return nil
}

func (t *turn) addClaims(claims ...Claim) { t.claims = append(slices.Clip(t.claims), claims...) }

func (t *turn) callTarokk(name string) error {
	f, err := ParseFace(name)
	if err != nil || FaceName(f) != name {
		return fmt.Errorf("R-CALL-1, R-CARD-7: %.10q is no name of a tarokk: T2 to T20", name)
	}
	if t.seat != t.Declarer {
		return fmt.Errorf("R-CALL-1: only the declarer calls, who is %c", seatLetter(t.Declarer))
	}
	if err := t.mayCall(t.rules, f); err != nil {
		return err
	}
	if t.mustProve(t.rules, f) {
		t.addClaims(t.belowClaims(f)...)
	}
	t.Called = &f
	if slices.Contains(t.Opened, f) {
		t.Announcements = t.revealRest()
	}
	return nil
}

// announceCount is the first statement of a turn (AMB-13). Under count-pais it may come later: a
// partner must first show his side in the same turn.
func (t *turn) announceCount(number string) error {
	switch {
	case number != "8" && number != "9":
		return fmt.Errorf("R-CNT-1: %.10q is no count: 8 or 9", number)
	case t.Counts[t.seat] != 0:
		return fmt.Errorf("R-CNT-4: %c has announced a count already", seatLetter(t.seat))
	case t.LE7[t.seat]:
		return fmt.Errorf("R-CNT-1: %c has proved to hold at most seven tarokks", seatLetter(t.seat))
	case t.said > 0 && (t.seat == t.Declarer || !t.rules.CountPais):
		return fmt.Errorf("R-ANC-2, R-ANC-3, AMB-13: a count comes first in a turn")
	}
	if err := t.countSide(); err != nil {
		return err
	}
	if number == "9" {
		t.addClaims(EveryCard("A-9", LastHand, Tarokks))
	} else {
		t.addClaims(Exactly("A-8", 8, LastHand, Tarokks))
	}
	t.Counts[t.seat], _ = strconv.Atoi(number)
	return nil
}

// countSide is what a count says about sides: nothing (R-CNT-6); under count-side=figure the same as a
// figure; under count-pais that the speaker is no hidden partner.
func (t *turn) countSide() error {
	asFigure := t.rules.CountSide == CountFigure
	hidden := t.rules.CountPais && t.Sides[t.seat] == UnknownSide
	switch {
	case asFigure && hidden && t.speakerSide() == DeclarerSide:
		return fmt.Errorf("OPT-COUNT-PAIS: with this count %c would show to be the declarer's partner, who must be known before it", seatLetter(t.seat))
	case asFigure:
		t.speakFor(t.speakerSide())
	case hidden:
		t.proveSide(DefenderSide)
	}
	return nil
}

// speakerSide is the side for which the speaker announces (R-SIDE-2, R-SIDE-5).
func (t *turn) speakerSide() Side {
	if side := t.Sides[t.seat]; side != UnknownSide {
		return side
	}
	return t.Last
}

// speakFor makes a statement on side (R-SIDE-1).
func (t *turn) speakFor(side Side) {
	t.proveSide(side)
	t.Last = side
}

// proveSide demands the proof of the speaker's side unless it is public (R-SIDE-7,
// SK-5).
func (t *turn) proveSide(side Side) {
	if t.Sides[t.seat] != UnknownSide {
		return
	}
	called := card.SetOf(*t.Called)
	if side == DeclarerSide {
		t.addClaims(AtLeast("A-PART", 1, LastHand, called))
	} else {
		t.addClaims(EveryCard("A-OPP", LastHand, AllBut(called)))
	}
	t.Announcements = t.RevealSide(t.seat, side)
}

func (t *turn) announceFigure(name string) error {
	f := Figure(name)
	if !slices.Contains(Figures, f) {
		return fmt.Errorf("R-FIG-1: %.20q is no figure", name)
	}
	item := Item{Side: t.speakerSide(), Figure: f}
	if t.findItem(item) >= 0 {
		return fmt.Errorf("R-FIG-9, AMB-12: %s has been announced, a side announces a figure once", item)
	}
	if err := t.doubleAndVolat(item); err != nil {
		return err
	}
	t.speakFor(item.Side)
	t.Items = append(t.Items, AnnouncedItem{Item: item, By: t.seat})
	return nil
}

// doubleAndVolat refuses double after volat, and volat after double, where the rules forbid both.
func (t *turn) doubleAndVolat(item Item) error {
	other, ok := map[Figure]Figure{Double: Volat, Volat: Double}[item.Figure]
	i := t.findItem(Item{Side: item.Side, Figure: other})
	switch {
	case !ok || i < 0:
		return nil
	case i >= len(t.before.Items) && !t.rules.DVSameTurn:
		return fmt.Errorf("R-FIG-7: %c announces double and volát in one turn", seatLetter(t.seat))
	case t.Items[i].By == t.seat && !t.rules.DVSamePlayer:
		return fmt.Errorf("OPT-DV-SAME-PLAYER: %c announces both double and volát", seatLetter(t.seat))
	case item.Figure == Double:
		return fmt.Errorf("R-FIG-8: %s has announced volát and cannot announce double any more", item.Side)
	}
	return nil
}

func (t *turn) makeContra(name string) error {
	item, err := ParseItem(name)
	if err != nil {
		return err
	}
	i := t.findItem(item)
	switch {
	case i < 0:
		return fmt.Errorf("R-CON-1, R-CON-5: %s was not announced and cannot be contra'd", item)
	case t.contraedNow(i):
		return fmt.Errorf("R-CON-3, AMB-28: %c contras %s twice in one turn", seatLetter(t.seat), item)
	case t.Items[i].Contra == mordkontra:
		return fmt.Errorf("R-CON-2: nothing comes after the mordkontra on %s", item)
	}
	entitled := item.Side
	if t.Items[i].Contra%2 == 0 {
		entitled = item.Side.OtherSide()
	}
	if side := t.Sides[t.seat]; side == entitled.OtherSide() {
		return fmt.Errorf("R-CON-3, R-SIDE-7: step %d on %s is for %s, and %c is of %s", t.Items[i].Contra+1, item, entitled, seatLetter(t.seat), side)
	}
	t.speakFor(entitled)
	t.Items[i].Contra++
	return nil
}

// contraedNow reports whether item i was contra'd in this turn.
func (t *turn) contraedNow(i int) bool {
	return i < len(t.before.Items) && t.Items[i].Contra != t.before.Items[i].Contra
}
