package score

// Deal is what is scored: a deal that was played to its end, all of it public.
type Deal struct {
	Level      int          `json:"level"`       // of the game: 0 for three to 3 for solo
	Declarer   int          `json:"declarer"`    // a seat, 0 to 3 for A to D
	Partner    int          `json:"partner"`     // a seat, or Alone
	Points     int          `json:"points"`      // of DEC, 0 to 94 (R-SC-1)
	Tricks     int          `json:"tricks"`      // of DEC, 0 to 9
	Contra     map[Item]int `json:"contra"`      // step 0 to 5 of the game and of every announced figure; a figure that is not here was not announced
	Trull      Side         `json:"trull"`       // took all three honours, if one did
	Kings      Side         `json:"kings"`       // took all four kings, if one did
	Pagat      Side         `json:"pagat"`       // held the pagát
	NinthTrick Fate         `json:"ninth_trick"` // what became of the pagát there
	Captured   Side         `json:"captured"`    // whose skíz took the XXI of the other side, if one did
}

// Alone is the partner of a declarer who has none.
const Alone = -1

// Fate is what became of the pagát in the ninth trick.
type Fate string

// Fates. A pagát that a partner's tarokk beats is lost, too (R-FIG-4).
const (
	NotPlayed Fate = "" // it was played before
	Won       Fate = "won"
	Lost      Fate = "lost"
)

// SideOf is the side of a seat.
func (d Deal) SideOf(seat int) Side {
	if seat == d.Declarer || seat == d.Partner {
		return Dec
	}
	return Def
}

// members lists the seats of a side.
func (d Deal) members(side Side) []int {
	var seats []int
	for seat := range Active {
		if d.SideOf(seat) == side {
			seats = append(seats, seat)
		}
	}
	return seats
}

func (d Deal) announced(side Side, f Figure) bool {
	_, is := d.Contra[Item{side, f}]
	return is
}

func (d Deal) ultimoWon(side Side) bool { return side == d.Pagat && d.NinthTrick == Won }
