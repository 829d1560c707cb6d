package tarokk

import (
	"fmt"
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Stage is what the table waits for.
type Stage string

// The stages, in the order of a deal. Not every deal goes through all of them.
const (
	DrawingSeats   Stage = "shuffle for seats" // R-SEAT-4
	ShowingSeats   Stage = "show seats"
	Shuffling      Stage = "shuffle"
	Knocking       Stage = "knock"         // OPT-DEAL-KNOCK
	Dealing        Stage = "deal"          // R-DEAL-2
	Bidding        Stage = "bid"           // R-BID
	Confirming     Stage = "confirm"       // OPT-CONV-COMMIT
	DeclarerDraws  Stage = "draw declarer" // in a trial, R-BID-16
	Trying         Stage = "trial"         // R-BID-16
	TalonDraws     Stage = "draw"          // R-TAL-1
	AnnullingFirst Stage = "annul first"   // BGA-5
	Permuting      Stage = "permute"       // RM-4
	Discarding     Stage = "discard"       // R-DISC-1
	Disclosing     Stage = "disclose"      // R-DISC-6
	Annulling      Stage = "annul"         // R-ANN
	Announcing     Stage = "announce"      // R-ANC
	Playing        Stage = "play"          // R-PLAY
	Opening        Stage = "open"          // R-SC-1
	Claiming       Stage = "claim"         // R-CNT-5
	Paying         Stage = "fee"           // OPT-TALON-HONOUR-FEE
	Between        Stage = "between"       // R-SESS-1
	Over           Stage = "over"
)

// actives is the number of players in a deal (R-SEAT-1), handSize the number of cards of each
// (R-DEAL-2).
const (
	actives  = 4
	handSize = 9
	nobody   = -1
)

// State is what everybody sees: a session and its present deal, with a part for each phase of it.
// Slices and maps are never changed in place.
type State struct {
	Rules RuleSet `json:"rules"`
	Stage Stage   `json:"stage"`
	Session
	Deal Deal          `json:"deal"`
	Past []SettledDeal `json:"past"` // the finished deals, in order
}

// Deal is the public state of one deal. Players are 0 to 3, A to D (R-SEAT-3); the cards of a player
// are named by letters that stay the same for the whole deal.
type Deal struct {
	Number int                 `json:"number"` // from 1, counting deals that were thrown in
	Seats  [actives]table.Seat `json:"seats"`
	Cut
	Hands
	Auction Auction  `json:"auction"`
	Outcome *Outcome `json:"outcome"` // the outcome of the auction
	Asked   int      `json:"asked"`   // number of players who have answered in this stage, in turn
	Exchange
	Announce *Announcements `json:"announce"`
	Trickplay
	Settlement
}

// newDeal is a deal of which only the seats are known.
func newDeal(number int, seats []table.Seat) Deal {
	d := Deal{Number: number, Cut: Cut{Packets: []int{}}, Auction: NewAuction(), Trickplay: Trickplay{Tricks: []Trick{}}}
	copy(d.Seats[:], seats)
	for p := range actives {
		d.Cards[p], d.Proven[p], d.Fees[p] = []table.Card{}, []Suit{}, []string{}
		d.Discards[p].Faces = []string{}
	}
	return d
}

// phase is a part of the session in which the table waits for moves of one kind: whose moves, and what
// follows from them.
type phase interface {
	// awaitedSeats are the seats that may move; where players take turns, only the next one.
	awaitedSeats() []table.Seat
	// applyMove applies the move of a player.
	applyMove(p int, m Move) (State, table.Terms, error)
	// possibleMoves are moves to choose from, which may be provable from what v sees.
	possibleMoves(p int, v table.View) []Move
}

// phases are the phases of the stages that wait for moves, each with the field of [Move] that it asks
// for.
var phases = map[Stage]struct {
	field string
	of    func(State) phase
}{
	Knocking:       {"knock", func(s State) phase { return cutting{s} }},
	Bidding:        {"call", func(s State) phase { return bidding{s} }},
	Confirming:     {"confirm", func(s State) phase { return confirming{s} }},
	Trying:         {"trial", func(s State) phase { return trying{s} }},
	AnnullingFirst: {"annul", func(s State) phase { return annulling{s} }},
	Discarding:     {"discard", func(s State) phase { return discarding{s} }},
	Disclosing:     {"disclose", func(s State) phase { return disclosing{s} }},
	Annulling:      {"annul", func(s State) phase { return annulling{s} }},
	Announcing:     {"say", func(s State) phase { return announcing{s} }},
	Playing:        {"play", func(s State) phase { return playing{s} }},
	Opening:        {"open", func(s State) phase { return opening{s} }},
	Claiming:       {"claim", func(s State) phase { return claiming{s} }},
	Paying:         {"fee", func(s State) phase { return paying{s} }},
	Between:        {"wish", func(s State) phase { return betweenDeals{s} }},
}

// currentPhase is the phase of the stage, and the field of a move in it; nil if no move is due.
func (s State) currentPhase() (p phase, field string) {
	row, due := phases[s.Stage]
	if !due {
		return nil, ""
	}
	if s.Stage == Knocking && s.Deal.Knocked {
		row.field = "packet"
	}
	return row.of(s), row.field
}

// SettledDeal is a finished deal.
type SettledDeal struct {
	Number     int         `json:"number"`
	Dealer     table.Seat  `json:"dealer"`
	How        string      `json:"how"` // "played", "trial lost", "invit broken", "passed", "annulled"
	Annulled   string      `json:"annulled,omitempty"`
	Declarer   *table.Seat `json:"declarer"`
	Partner    *table.Seat `json:"partner"` // nil: alone, or not known
	Level      int         `json:"level"`
	Points     int         `json:"points"` // card points of the declarer's side
	Sheet      *Sheet      `json:"sheet"`
	Multiplier int         `json:"multiplier"`
	Payments   []int       `json:"payments"` // by seat of the table
}

// playerAt returns the player of the present deal that a seat is, or nobody.
func (d Deal) playerAt(seat table.Seat) int { return slices.Index(d.Seats[:], seat) }

// seatOf is a pointer to a copy of the seat of a player: a pointer into d would keep the whole deal in
// memory for as long as its result.
func (d Deal) seatOf(p int) *table.Seat {
	seat := d.Seats[p]
	return &seat
}

// playersFrom lists the players counter-clockwise from p.
func playersFrom(p int) []int {
	list := make([]int, actives)
	for i := range list {
		list[i] = (p + i) % actives
	}
	return list
}

func (d Deal) seatsOf(players ...int) []table.Seat {
	seats := make([]table.Seat, len(players))
	for i, p := range players {
		seats[i] = d.Seats[p]
	}
	return seats
}

// openCards are the cards that everybody has seen in this deal: played, or discarded
// face up.
func (d Deal) openCards() card.Set {
	var seen card.Set
	for p := range actives {
		seen = seen.Union(d.openOf(p))
	}
	return seen
}

func (d Deal) openOf(p int) card.Set {
	faces := slices.DeleteFunc(slices.Clone(d.Discards[p].Faces), func(name string) bool { return name == "" })
	return setOf(faces).Union(d.playedBy(p))
}

// seatsWho lists the seats of the players for whom is reports true, counter-clockwise from the
// declarer.
func (d Deal) seatsWho(is func(p int) bool) []table.Seat {
	return d.seatsOf(slices.DeleteFunc(playersFrom(d.Outcome.Declarer), func(p int) bool { return !is(p) })...)
}

// setOf is the set of cards of these names, which were accepted before.
func setOf(names []string) card.Set {
	var s card.Set
	for _, name := range names {
		f, err := ParseFace(name)
		if err != nil {
			panic(err)
		}
		s = s.AddFace(f)
	}
	return s
}

// claimTerms are the conditions for claims of player p, about the cards as they are grouped in d.
func (d Deal) claimTerms(p int, claims []Claim) table.Terms {
	var t table.Terms
	for _, c := range claims {
		cards := d.groupCards(p, c.Of)
		t.Prove = append(t.Prove, table.Condition{
			Cards: cards, Set: c.Set, Min: c.AtLeast(len(cards)), Max: min(c.Max, len(cards)),
			Dealt: c.Of == DealtHand || c.Of == DrawnCards,
			Claim: c.ID, Group: c.Of.String(),
		})
	}
	return t
}

func (d Deal) groupCards(p int, g Group) []table.Card {
	switch g {
	case DealtHand:
		return d.Cards[p][:handSize]
	case DrawnCards:
		return d.Cards[p][handSize:]
	case ExchangedCards:
		return d.Cards[p]
	case LastHand, RestOfHand:
		return d.CardsAt(p, d.Held[p])
	case AllDiscards:
		return d.CardsAt(p, d.Discards[p].Letters)
	case TarokkDiscarded:
		return d.CardsAt(p, d.Discards[p].Tarokks)
	case PlainDiscarded:
		return d.CardsAt(p, withoutLetters(d.Discards[p].Letters, d.Discards[p].Tarokks))
	}
	panic(fmt.Sprintf("tarokk: no group %d", g))
}
