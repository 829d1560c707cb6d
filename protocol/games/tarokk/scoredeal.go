package tarokk

// These files (scoredeal.go, score.go, scorepay.go, rounds.go, pool.go) turn what happened in a deal of tarokk into items, payments
// and round multipliers (docs/spec/61-tarokk.md, R-FIG, R-SC, R-PAY, R-ROUND,
// R-SESS). It is arithmetic over public facts: it knows no hand and no message.
//
// [ScoreDeal] writes the sheet of a deal that was played: what each side made or
// failed, by which rule, and for whom it counts. [PayDeal], [CountPay], [TrialPayments],
// [TalonFee] and [LateTarokks] make payments of it, which sum to zero. [Rounds],
// [SessionEnding] and [Pool] are what lasts from deal to deal: plain values for the
// state of a table, whose methods return the value that follows.
//
// Seats are those of a deal, 0 to 3 for A to D (R-SEAT-3). The facts must be possible: the phases of
// play and announcement make sure of who took what, and that every contra is a step of the ladder.

import (
	"fmt"
	"slices"
	"strings"
)

// Side is one of the two parties of a deal.
type Side int

// The sides. A player whose side is not public has none.
const (
	UnknownSide  Side = iota
	DeclarerSide      // the declarer's side
	DefenderSide      // the opponents
)

var sideNames = [...]string{"", "DEC", "DEF"}

// String is "DEC", "DEF", or empty if there is no side.
func (s Side) String() string { return sideNames[s] }

// OtherSide is the other side; [UnknownSide] has none.
func (s Side) OtherSide() Side {
	return [...]Side{UnknownSide: UnknownSide, DeclarerSide: DefenderSide, DefenderSide: DeclarerSide}[s]
}

// MarshalText writes the side's String.
func (s Side) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads what MarshalText writes, and nothing else.
func (s *Side) UnmarshalText(text []byte) error {
	i := slices.Index(sideNames[:], string(text))
	if i < 0 {
		return fmt.Errorf("R-SC-1: %.10q is no side: DEC, DEF or nothing", text)
	}
	*s = Side(i)
	return nil
}

// Figure is one of the six figures (R-FIG-1), or the game.
type Figure string

// The figures, and the game itself, which can be contra'd like them.
const (
	GameFigure Figure = "game"
	Trull      Figure = "trull"
	FourKings  Figure = "four_kings"
	Double     Figure = "double"
	Volat      Figure = "volat"
	Ultimo     Figure = "pagat_ultimo"
	XXICapture Figure = "xxi_capture"
)

// Figures are the six figures, in the order in which they are scored.
var Figures = []Figure{Double, Volat, Trull, FourKings, Ultimo, XXICapture}

// Item is something that can be contra'd: the game, which is an item of the declarer's side, or a
// figure that a side announced (R-CON-1). Its text is "game" or "DEC.trull".
type Item struct {
	Side   Side
	Figure Figure
}

// TheGame is the item of every deal.
var TheGame = Item{DeclarerSide, GameFigure}

// String is the item's text.
func (i Item) String() string {
	if i == TheGame {
		return string(GameFigure)
	}
	return i.Side.String() + "." + string(i.Figure)
}

// ParseItem reads the text of an item, and nothing else.
func ParseItem(text string) (Item, error) {
	if text == string(GameFigure) {
		return TheGame, nil
	}
	side, figure, _ := strings.Cut(text, ".")
	var i Item
	if err := i.Side.UnmarshalText([]byte(side)); err != nil || i.Side == UnknownSide || !slices.Contains(Figures, Figure(figure)) {
		return Item{}, fmt.Errorf("R-CON-1: %.30q is no item: game, or a side and a figure as in DEC.trull", text)
	}
	i.Figure = Figure(figure)
	return i, nil
}

// MarshalText makes an item the key of a JSON object.
func (i Item) MarshalText() ([]byte, error) { return []byte(i.String()), nil }

// UnmarshalText is [ParseItem].
func (i *Item) UnmarshalText(text []byte) error {
	item, err := ParseItem(string(text))
	if err == nil {
		*i = item
	}
	return err
}

// PlayedDeal is what is scored: the public facts of a deal that was played to its end.
type PlayedDeal struct {
	Level      int          `json:"level"`       // of the game: 0 for three to 3 for solo
	Declarer   int          `json:"declarer"`    // a seat, 0 to 3 for A to D
	Partner    int          `json:"partner"`     // a seat, or NoPartner
	Points     int          `json:"points"`      // of DEC, 0 to 94 (R-SC-1)
	Tricks     int          `json:"tricks"`      // of DEC, 0 to 9
	Contra     map[Item]int `json:"contra"`      // step 0 to 5 of the game and of every announced figure; a figure that is not here was not announced
	Trull      Side         `json:"trull"`       // the side that took all three honours, if one did
	Kings      Side         `json:"kings"`       // the side that took all four kings, if one did
	Pagat      Side         `json:"pagat"`       // the side that held the pagát
	NinthTrick Fate         `json:"ninth_trick"` // what became of the pagát in the ninth trick
	Captured   Side         `json:"captured"`    // the side whose skíz took the other side's XXI, if one did
}

// NoPartner is the partner of a declarer who has none.
const NoPartner = -1

// Fate is what became of the pagát in the ninth trick.
type Fate string

// The fates. A pagát beaten by a partner's tarokk is lost too (R-FIG-4).
const (
	NotPlayed  Fate = "" // it was played before
	UltimoWon  Fate = "won"
	UltimoLost Fate = "lost"
)

// SideOf is the side of a seat.
func (d PlayedDeal) SideOf(seat int) Side {
	if seat == d.Declarer || seat == d.Partner {
		return DeclarerSide
	}
	return DefenderSide
}

// sideMembers lists the seats of a side.
func (d PlayedDeal) sideMembers(side Side) []int {
	var seats []int
	for seat := range ActivePlayers {
		if d.SideOf(seat) == side {
			seats = append(seats, seat)
		}
	}
	return seats
}

func (d PlayedDeal) isAnnounced(side Side, f Figure) bool {
	_, is := d.Contra[Item{side, f}]
	return is
}

func (d PlayedDeal) ultimoWon(side Side) bool { return side == d.Pagat && d.NinthTrick == UltimoWon }
