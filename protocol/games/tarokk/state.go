package tarokk

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// Stage is what play waits for.
type Stage string

// Stages, in the order of a deal. Not every deal meets every stage.
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

// actives is the number of players in a deal (R-SEAT-1), handSize what each
// holds (R-DEAL-2).
const (
	actives  = 4
	handSize = 9
	nobody   = -1
)

// State is what everybody sees. Its slices and maps are never changed in place.
type State struct {
	Rules     ruleset.Rules `json:"rules"`
	Stage     Stage         `json:"stage"`
	Members   []table.Seat  `json:"members"` // around the table, each the right-hand neighbour of the one before (R-SEAT-2)
	Dealer    int           `json:"dealer"`  // a place in Members
	Deals     int           `json:"deals"`   // how many deals the session has at most
	Completed int           `json:"completed"`
	Rounds    score.Rounds  `json:"rounds"`
	Ending    score.Ending  `json:"ending"`
	Pool      score.Pool    `json:"pool"`
	Scores    []int         `json:"scores"` // by seat of the table
	Mayor     *table.Seat   `json:"mayor"`  // wears the hat (R-SEAT-7)
	Wishes    []string      `json:"wishes"` // said between deals, in the order of Members from the dealer's right
	Deal      Deal          `json:"deal"`
	Past      []Settled     `json:"past"` // the deals before, in order
}

// Deal is the public state of one deal. Players are 0 to 3, A to D (R-SEAT-3);
// cards of a player are named by letters that stay the same for the whole deal.
type Deal struct {
	Number   int                   `json:"number"` // from 1, with thrown-in deals
	Seats    [actives]table.Seat   `json:"seats"`
	Packets  []int                 `json:"packets"` // chosen after a knock, clockwise from the dealer's left
	Knocked  bool                  `json:"knocked"`
	Cards    [actives][]table.Card `json:"cards"` // by letter: those of the deal, then those of the talon
	Held     [actives]string       `json:"held"`  // letters of the cards in hand
	Auction  auction.State         `json:"auction"`
	Outcome  *auction.Outcome      `json:"outcome"` // of the auction
	Asked    int                   `json:"asked"`   // players who answered in this stage, in turn
	Discards [actives]Discard      `json:"discards"`
	Announce *announce.State       `json:"announce"`
	Tricks   []Trick               `json:"tricks"`
	Proven   [actives][]deck.Suit  `json:"proven"` // suits that a player has proved not to hold
	Claims   [actives]bool         `json:"claims"` // late counts (R-CNT-5)
	Fees     [actives][]string     `json:"fees"`   // honours from the talon
}

// Discard is what a player laid away.
type Discard struct {
	Letters string   `json:"letters"`
	Said    bool     `json:"said"`    // how many are tarokks
	Tarokks string   `json:"tarokks"` // the letters of those
	Faces   []string `json:"faces"`   // by letter in Letters, "" if not open
}

// Trick is what was played to it, from the leader on.
type Trick struct {
	Leader int      `json:"leader"`
	Faces  []string `json:"faces"`
}

// Settled is a deal that is over.
type Settled struct {
	Number     int          `json:"number"`
	Dealer     table.Seat   `json:"dealer"`
	How        string       `json:"how"` // "played", "trial lost", "invit broken", "passed", "annulled"
	Annulled   string       `json:"annulled,omitempty"`
	Declarer   *table.Seat  `json:"declarer"`
	Partner    *table.Seat  `json:"partner"` // none: alone, or not known
	Level      int          `json:"level"`
	Points     int          `json:"points"` // of the declarer's side
	Sheet      *score.Sheet `json:"sheet"`
	Multiplier int          `json:"multiplier"`
	Payments   []int        `json:"payments"` // by seat of the table
}

// player returns the player of the present deal that a seat is, or nobody.
func (d Deal) player(seat table.Seat) int { return slices.Index(d.Seats[:], seat) }

// seat is the seat of a player, apart from d: a pointer into d would keep the whole
// deal in memory for as long as its result.
func (d Deal) seat(p int) *table.Seat {
	seat := d.Seats[p]
	return &seat
}

// place is the card behind a letter of a player.
func (d Deal) place(p int, letter byte) table.Card { return d.Cards[p][letter-'a'] }

func (d Deal) places(p int, letters string) []table.Card {
	list := make([]table.Card, len(letters))
	for i := range letters {
		list[i] = d.place(p, letters[i])
	}
	return list
}

// drawn is how many cards a player drew from the talon.
func (d Deal) drawn(p int) int { return len(d.Cards[p]) - handSize }

// letters are the names of n cards.
func letters(n int) string { return "abcdefghijklmnopqrstuvwxyz"[:n] }

// without returns hand without the letters of gone.
func without(hand, gone string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(gone, r) {
			return -1
		}
		return r
	}, hand)
}

// turns lists the players counter-clockwise, beginning with p.
func turns(p int) []int {
	list := make([]int, actives)
	for i := range list {
		list[i] = (p + i) % actives
	}
	return list
}

// seatsOf are the seats of players.
func (d Deal) seatsOf(players ...int) []table.Seat {
	seats := make([]table.Seat, len(players))
	for i, p := range players {
		seats[i] = d.Seats[p]
	}
	return seats
}

// open are the cards that everybody has seen in this deal: played, or discarded
// face up.
func (d Deal) open() card.Set {
	var seen card.Set
	for p := range actives {
		seen = seen.Union(d.openOf(p))
	}
	return seen
}

// openOf are the open cards of one player.
func (d Deal) openOf(p int) card.Set {
	faces := slices.DeleteFunc(slices.Clone(d.Discards[p].Faces), func(name string) bool { return name == "" })
	return setOf(faces).Union(d.playedBy(p))
}

// playedBy are the cards that a player has played.
func (d Deal) playedBy(p int) card.Set {
	var faces []string
	for _, t := range d.Tricks {
		if i := (p - t.Leader + actives) % actives; i < len(t.Faces) {
			faces = append(faces, t.Faces[i])
		}
	}
	return setOf(faces)
}

// setOf are cards by names that were accepted before.
func setOf(names []string) card.Set {
	var s card.Set
	for _, name := range names {
		f, err := deck.Parse(name)
		if err != nil {
			panic(err)
		}
		s = s.With(f)
	}
	return s
}
