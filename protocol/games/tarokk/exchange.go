package tarokk

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/game/shared"
	"github.com/pakli/pakli/protocol/table"
)

// Exchange is what the players have discarded.
type Exchange struct {
	Discards [actives]Discard `json:"discards"`
}

// Discard is what one player has discarded.
type Discard struct {
	Letters string   `json:"letters"`
	Said    bool     `json:"said"`    // the number of tarokks among them has been said
	Tarokks string   `json:"tarokks"` // the letters of the tarokks among them
	Faces   []string `json:"faces"`   // by index in Letters; "" if not open
}

// closedLetters are the letters of the discards that are not open.
func (d Discard) closedLetters() (letters string) {
	for i, name := range d.Faces {
		if name == "" {
			letters += d.Letters[i : i+1]
		}
	}
	return letters
}

// turnedUp is d with these letters open.
func (d Discard) turnedUp(letters string, faces []string) Discard {
	d.Faces = slices.Clone(d.Faces)
	for i, name := range faces {
		d.Faces[strings.IndexByte(d.Letters, letters[i])] = name
	}
	return d
}

func (e Exchange) tarokksDiscarded() (n [actives]int) {
	for p, d := range e.Discards {
		n[p] = len(d.Tarokks)
	}
	return n
}

// beginExchange begins the exchange once everybody has his cards from the talon. A player who drew none
// has nothing to discard.
func (s State) beginExchange() State {
	for p := range actives {
		s.Deal.Discards[p].Said = s.Deal.CountDrawn(p) == 0
	}
	if s.Stage = Permuting; s.Rules.AnnulsAt(AnnulBeforeDiscard) {
		s.Stage = AnnullingFirst
	}
	return s
}

// annulling asks every player in turn whether he throws in a bad hand (R-ANN-1 to R-ANN-5).
type annulling struct{ State }

func (a annulling) awaitedSeats() []table.Seat {
	return a.Deal.seatsOf(playersFrom(a.Deal.Outcome.Declarer)[a.Deal.Asked])
}

func (a annulling) possibleMoves(int, table.View) []Move {
	return movesFrom(strings.Split(a.Rules.AnnulHands, ""), func(m *Move, h string) { m.Annul = &h }, "")
}

func (a annulling) applyMove(p int, m Move) (State, table.Terms, error) {
	if hand := *m.Annul; hand != "" {
		claims, err := a.annulClaims(p, hand)
		if err != nil {
			return a.State, table.Terms{}, err
		}
		return ending{a.State}.throwIn(SettledDeal{How: Annulled, Annulled: hand}), a.Deal.claimTerms(p, claims), nil
	}
	if a.Deal.Asked++; a.Deal.Asked < actives {
		return a.State, table.Terms{}, nil
	}
	if a.Stage == AnnullingFirst {
		a.Stage = Permuting
		return a.State, table.Terms{}, nil
	}
	return a.beginAnnouncing(), table.Terms{}, nil
}

// annulClaims are the claims N-a to N-e.
func (a annulling) annulClaims(p int, hand string) ([]Claim, error) {
	if len(hand) != 1 || !strings.Contains(a.Rules.AnnulHands, hand) {
		return nil, fmt.Errorf("R-ANN-1: %.10q is none of the hands that may be annulled, %q", hand, a.Rules.AnnulHands)
	}
	id, group, n := "N-"+hand, LastHand, handSize
	if a.Stage == AnnullingFirst {
		group, n = ExchangedCards, len(a.Deal.Cards[p])
	}
	if hand == kingsAnnulled {
		return []Claim{Exactly(id, Kings.Len(), group, Kings)}, nil
	}
	claims, err := a.noTarokkDiscarded(p, id)
	if err != nil {
		return nil, err
	}
	tarokks := map[string][]card.Face{"b": {XXI}, "c": {Pagat}, "d": {}, "e": {XXI, Pagat}}[hand]
	for _, f := range tarokks {
		claims = append(claims, AtLeast(id, 1, group, card.SetOf(f)))
	}
	return append(claims, AtLeast(id, n-len(tarokks), group, Plain)), nil
}

// kingsAnnulled is the letter of a hand of four kings (R-ANN-1).
const kingsAnnulled = "a"

// noTarokkDiscarded is R-ANN-2: no tarokk may lie in the discard of a player who annuls.
func (a annulling) noTarokkDiscarded(p int, id string) ([]Claim, error) {
	switch d := a.Deal.Discards[p]; {
	case a.Rules.AnnulTarokk == AnnulAll || d.Letters == "":
		return nil, nil
	case !d.Said:
		return []Claim{EveryCard(id, AllDiscards, PlainDiscards)}, nil
	case d.Tarokks != "":
		return nil, fmt.Errorf("R-ANN-2: %s is not open to a player who discarded a tarokk", id)
	}
	return nil, nil
}

// discarding waits for the discards, face down and in any order of players (R-DISC-1).
type discarding struct{ State }

func (d discarding) awaitedSeats() []table.Seat {
	return d.Deal.seatsWho(func(p int) bool { return len(d.Deal.Discards[p].Letters) < d.Deal.CountDrawn(p) })
}

// discardChoices are all the choices of cards that may be discarded.
func (d discarding) discardChoices(p int, v table.View) []string {
	allowed := d.DiscardableCards()
	may := strings.Map(func(letter rune) rune {
		if allowed.Has(v.Faces[d.Deal.CardAt(p, byte(letter))]) {
			return letter
		}
		return -1
	}, d.Deal.Held[p])
	return letterChoices(may, d.Deal.CountDrawn(p))
}

// letterChoices are all the choices of n letters, each in order.
func letterChoices(letters string, n int) []string {
	if n == 0 {
		return []string{""}
	}
	var list []string
	for i := 0; i+n <= len(letters); i++ {
		for _, rest := range letterChoices(letters[i+1:], n-1) {
			list = append(list, letters[i:i+1]+rest)
		}
	}
	return list
}

func (d discarding) possibleMoves(p int, v table.View) []Move {
	return movesFrom(d.discardChoices(p, v), func(m *Move, letters string) { m.Discard = &letters })
}

func (d discarding) applyMove(p int, m Move) (State, table.Terms, error) {
	gone := *m.Discard
	if err := d.Deal.checkPicked("R-DISC-1", p, gone); err != nil {
		return d.State, table.Terms{}, err
	}
	if n := d.Deal.CountDrawn(p); len(gone) != n {
		return d.State, table.Terms{}, fmt.Errorf("R-DISC-1: %d cards, and as many must be discarded as were drawn, which is %d", len(gone), n)
	}
	d.Deal.Held[p] = withoutLetters(d.Deal.Held[p], gone)
	d.Deal.Discards[p] = Discard{Letters: gone, Faces: make([]string, len(gone))}
	later := d.Rules.DiscardAnnounce == AnnounceFirstTurn
	var claims []Claim
	if later {
		claims = append(claims, EveryCard("D-CLASS", AllDiscards, d.DiscardableCards()))
	}
	terms := d.Deal.claimTerms(p, claims)
	switch {
	case len(d.awaitedSeats()) > 0:
	case later:
		return disclosing{d.State}.endDisclosing(), terms, nil
	default:
		d.Stage = Disclosing
	}
	return d.State, terms, nil
}

// DiscardableCards are the cards that may be discarded in this deal (R-DISC-2): not the tarokk that
// must be called (R-DISC-3), and the XX only as OPT-DISC-XX allows.
func (s State) DiscardableCards() card.Set {
	set, indicated := Discardable, s.Deal.Outcome.MustCall
	if indicated != nil {
		set = set.Minus(card.SetOf(*indicated))
	}
	if map[DiscardXX]bool{XXForbidden: true, XXUninvited: indicated == nil}[s.Rules.DiscardXX] {
		set = set.Minus(card.SetOf(XX))
	}
	return set
}

// disclosing waits for each player in turn to say how many of his discards are tarokks (R-DISC-6).
type disclosing struct{ State }

// undisclosedSeats are the seats that have not said it yet.
func (d disclosing) undisclosedSeats() []table.Seat {
	return d.Deal.seatsWho(func(p int) bool { return !d.Deal.Discards[p].Said })
}

func (d disclosing) awaitedSeats() []table.Seat { return d.undisclosedSeats()[:1] }

// trueDisclosure is the disclosure that p can prove.
func (d disclosing) trueDisclosure(p int, v table.View) Disclosure {
	var said Disclosure
	for _, letter := range d.Deal.Discards[p].Letters {
		if IsTarokk(v.Faces[d.Deal.CardAt(p, byte(letter))]) {
			said.Tarokks += string(letter)
		}
	}
	if p == d.Deal.Outcome.Declarer && said.Tarokks != "" {
		said.Open = d.cardNames(v, d.Deal.CardsAt(p, said.Tarokks))
	}
	return said
}

func (d disclosing) possibleMoves(p int, v table.View) []Move {
	said := d.trueDisclosure(p, v)
	return []Move{{Disclose: &said}}
}

func (d disclosing) applyMove(p int, m Move) (State, table.Terms, error) {
	next, terms, err := d.applyDisclosure(p, *m.Disclose)
	if d.State = next; err != nil || len(d.undisclosedSeats()) > 0 {
		return next, terms, err
	}
	return d.endDisclosing(), terms, nil
}

// endDisclosing goes on when nothing more is to be said about the discards before the announcements.
func (d disclosing) endDisclosing() State {
	if d.Deal.Asked = 0; d.Rules.AnnulsAt(AnnulAfterDiscard) {
		d.Stage = Annulling
		return d.State
	}
	return d.beginAnnouncing()
}

// applyDisclosure is D-CLASS and D-OPEN.
func (d disclosing) applyDisclosure(p int, said Disclosure) (State, table.Terms, error) {
	discard := d.Deal.Discards[p]
	for i := range said.Tarokks {
		if !strings.Contains(discard.Letters, said.Tarokks[i:i+1]) || i > 0 && said.Tarokks[i] <= said.Tarokks[i-1] {
			return d.State, table.Terms{}, fmt.Errorf("R-DISC-6: %.20q are not different discards of %q in ascending order", said.Tarokks, discard.Letters)
		}
	}
	discard.Said, discard.Tarokks = true, said.Tarokks
	allowed := shared.CommonFaces(TarokkDiscards, d.DiscardableCards())
	var open []table.ShownCard
	claims := []Claim{EveryCard("D-CLASS", PlainDiscarded, PlainDiscards)}
	switch {
	case p == d.Deal.Outcome.Declarer:
		var err error
		if open, err = d.turnUpCards("R-DISC-6", p, said.Tarokks, said.Open); err != nil {
			return d.State, table.Terms{}, err
		}
		for i, shown := range open {
			if !allowed.Has(shown.Face) {
				return d.State, table.Terms{}, fmt.Errorf("R-DISC-2: %s may not be discarded", said.Open[i])
			}
		}
		discard = discard.turnedUp(said.Tarokks, said.Open)
	case len(said.Open) > 0:
		return d.State, table.Terms{}, fmt.Errorf("R-DISC-6: only the declarer turns discards up")
	default:
		claims = append(claims, EveryCard("D-CLASS", TarokkDiscarded, allowed))
	}
	d.Deal.Discards[p] = discard
	terms := d.Deal.claimTerms(p, claims)
	terms.Open = open
	return d.State, terms, nil
}
