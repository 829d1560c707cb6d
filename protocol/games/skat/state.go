package skat

import (
	"slices"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// Stage is what the table waits for.
type Stage string

// The stages, in the order of a deal. Not every deal goes through all of them.
const (
	DrawingSeats Stage = "shuffle for seats" // OPT-SEATS-DRAW
	ShowingSeats Stage = "show seats"
	Shuffling    Stage = "shuffle"
	Dealing      Stage = "deal"     // SK-R-11
	Bidding      Stage = "bid"      // SK-R-15
	Choosing     Stage = "choose"   // SK-R-24
	Pushing      Stage = "push"     // SK-R-72: the player on turn takes the skat or pushes
	Taking       Stage = "take"     // the tokens with which the taker sees the skat
	Receiving    Stage = "give"     // SK-R-72: the skat changes hands
	Mixing       Stage = "permute"  // RM-2
	PassingOn    Stage = "pass on"  // SK-R-72: two cards are laid aside
	Announcing   Stage = "announce" // SK-R-27
	Doubling     Stage = "kontra"   // SK-R-74
	Redoubling   Stage = "re"       // SK-R-75
	Opening      Stage = "ouvert"   // SK-R-31
	Playing      Stage = "play"     // SK-R-32
	Agreeing     Stage = "agree"    // SK-R-55, SK-R-57
	Answering    Stage = "answer"   // SK-R-59
	ShowingSkat  Stage = "show skat"
	Laying       Stage = "lay"      // E-TWELVE
	Proving      Stage = "matadors" // M-WITH, M-WITHOUT
	Over         Stage = "over"
)

// Sizes (SK-R-11), and nobody.
const (
	actives  = Players
	handSize = 10
	skatSize = 2
	tricks   = handSize
	nobody   = Nobody
)

// State is what everybody sees: a list and its present deal. Slices are never changed in place.
type State struct {
	Rules RuleSet `json:"rules"`
	Stage Stage   `json:"stage"`
	List
	Deal Deal `json:"deal"`
}

// List is what stays from deal to deal.
type List struct {
	Seats []table.Seat  `json:"seats"` // clockwise; the dealer of deal 1 first
	Deals int           `json:"deals"` // number of deals of the list
	Bock  Bock          `json:"bock"`  // number of deals to come that count double
	Tally Tally         `json:"tally"` // by seat: points, own games won and lost
	Past  []SettledDeal `json:"past"`  // the finished deals, in order
	Last  *Deal         `json:"last"`  // the previous deal as it ended; nil before the second deal
}

// Deal is the public state of one deal. Players are 0 to 2: forehand, middlehand, rearhand; -1 is
// nobody. Cards are places of the deal.
type Deal struct {
	Number   int                   `json:"number"` // from 1
	Dealer   table.Seat            `json:"dealer"`
	Seats    [actives]table.Seat   `json:"seats"` // by player
	Auction  Auction               `json:"auction"`
	Hands    [actives][]table.Card `json:"hands"`    // cards not played yet, ascending
	Skat     []table.Card          `json:"skat"`     // the two cards laid aside
	Holder   int                   `json:"holder"`   // the player who holds those two as discards
	Taker    int                   `json:"taker"`    // the player who took the skat last; in a Schieberamsch also the one who is asked
	Pushes   int                   `json:"pushes"`   // SK-R-72
	Declarer int                   `json:"declarer"` // nobody during the auction, and in a Ramsch
	Bid      int                   `json:"bid"`
	Ramsch   bool                  `json:"ramsch"`
	Contract *Contract             `json:"contract"` // nil until it is announced
	Asked    int                   `json:"asked"`    // the player asked last: to push, for Kontra, about an offer or a claim
	Kontra   int                   `json:"kontra"`   // the player who said Kontra
	Re       bool                  `json:"re"`
	OpenHand bool                  `json:"open_hand"` // the declarer's cards lie open: in ouvert, or after a claim
	Open     []ShownCard           `json:"open"`      // every card seen so far, in the order in which they were turned up
	Tricks   []Trick               `json:"tricks"`
	Void     [actives][]Class      `json:"void"`    // by player, the classes he has proved not to hold
	Offer    *Offer                `json:"offer"`   // the offer that is being answered
	Offered  [actives]int          `json:"offered"` // by player, the trick in which he last made an offer, from 1
	Ending   *Ending               `json:"ending"`  // nil until the deal has ended
}

// ShownCard is a card that everybody has seen, and the player who held it; nobody if it lay in the skat
// of a hand game.
type ShownCard struct {
	By   int        `json:"by"`
	Card table.Card `json:"card"`
	Face Face       `json:"face"`
}

// Trick is the cards played to a trick, from the leader on.
type Trick struct {
	Leader int    `json:"leader"`
	Faces  []Face `json:"faces"`
}

// Offer is an offer to concede, or a claim at a level, that others must answer.
type Offer struct {
	By    int  `json:"by"`
	Claim bool `json:"claim"`
	Level int  `json:"level"`
}

// Ending is how a deal ended.
type Ending struct {
	How   string `json:"how"`
	Level int    `json:"level"` // the level claimed
}

// The ways in which a deal ends.
const (
	PassedIn    = "passed in"    // SK-R-20
	Played      = "played"       // SK-R-36
	Conceded    = "conceded"     // by the declarer, SK-R-56
	GivenUp     = "given up"     // by the defenders, SK-R-58
	Claimed     = "claimed"      // SK-R-59
	NullOverbid = "null overbid" // OPT-NULL-OVERBID
	Ramsch      = "ramsch"       // SK-R-69
)

// SettledDeal is a finished deal.
type SettledDeal struct {
	Number   int                 `json:"number"`
	Dealer   table.Seat          `json:"dealer"`
	Seats    [actives]table.Seat `json:"seats"` // forehand, middlehand, rearhand
	How      string              `json:"how"`
	Declarer *table.Seat         `json:"declarer"` // nil if the deal was passed in, or a Ramsch
	Bid      int                 `json:"bid"`
	Contract *Contract           `json:"contract"`
	Result   *GameResult         `json:"result"`
	Cards    [actives]int        `json:"cards"`  // card points by player, with the skat where it counts, as far as they are known
	Tricks   [actives]int        `json:"tricks"` // by player
	Pushes   int                 `json:"pushes"`
	Kontra   *table.Seat         `json:"kontra"` // the seat that said Kontra
	Re       bool                `json:"re"`
	Factor   int                 `json:"factor"` // by which Kontra, Re and Bock multiply the score
	Bock     bool                `json:"bock"`   // the deal was part of a Bock round
	Events   []string            `json:"events"` // the events in it that made Bock rounds
	Points   []int               `json:"points"` // score by seat of the table, without bonuses
}

// newDeal is a deal of which only the seats are known.
func newDeal(number int, seats []table.Seat) Deal {
	d := Deal{Number: number, Auction: NewAuction(), Skat: []table.Card{}, Holder: nobody, Taker: nobody, Declarer: nobody, Asked: nobody, Kontra: nobody, Open: []ShownCard{}, Tricks: []Trick{}}
	copy(d.Seats[:], seats)
	for p := range actives {
		d.Hands[p], d.Void[p] = []table.Card{}, []Class{}
	}
	return d
}

// player is the player of the deal that a seat is, or nobody.
func (d Deal) player(seat table.Seat) int { return slices.Index(d.Seats[:], seat) }

// seat is a pointer to a copy of the seat of a player; nil for nobody.
func (d Deal) seat(p int) *table.Seat {
	if p == nobody {
		return nil
	}
	seat := d.Seats[p]
	return &seat
}

func (d Deal) seatsOf(players ...int) []table.Seat {
	seats := make([]table.Seat, len(players))
	for i, p := range players {
		seats[i] = d.Seats[p]
	}
	return seats
}

// defenders are the two other players, the one after the declarer first.
func (d Deal) defenders() [2]int {
	return [2]int{(d.Declarer + 1) % actives, (d.Declarer + 2) % actives}
}

// Game says how cards follow and beat one another; in a Ramsch they do as in grand (SK-R-69).
func (d Deal) Game() Game {
	if d.Contract == nil {
		return Grand
	}
	return d.Contract.Game
}

// SeenFaces are the faces of all open cards.
func (d Deal) SeenFaces() (s card.Set) {
	for _, shown := range d.Open {
		s = s.AddFace(card.Face(shown.Face))
	}
	return s
}

// SeenOf are the faces that a player has shown; those of nobody are the skat of a hand game, once it is
// shown.
func (d Deal) SeenOf(p int) (s card.Set) {
	for _, shown := range d.Open {
		if shown.By == p {
			s = s.AddFace(card.Face(shown.Face))
		}
	}
	return s
}

// ImpliedSkat are the two cards laid aside, skat or discards, as soon as all cards of the hands are
// open, by E-COMP. Until then it is empty.
func (d Deal) ImpliedSkat() card.Set {
	hands := 0
	for _, shown := range d.Open {
		if !slices.Contains(d.Skat, shown.Card) {
			hands++
		}
	}
	if hands < DeckSize-skatSize {
		return card.Set{}
	}
	return AllFaces.Minus(d.SeenFaces())
}
