// Package score turns what happened in a deal of tarokk into items, payments
// and round multipliers (docs/spec/61-tarokk.md, R-FIG, R-SC, R-PAY, R-ROUND,
// R-SESS). It is arithmetic over public facts: it knows no hand and no message.
package score

// Side is one of the two parties of a deal.
type Side int

// Sides. A player whose side is not public has none.
const (
	Unknown Side = iota
	Dec          // the declarer's side
	Def          // the opponents
)

// Figure is one of the six (R-FIG-1).
type Figure string

// The figures, and the game itself, which is contra'd like one.
const (
	Game       Figure = "game"
	Trull      Figure = "trull"
	FourKings  Figure = "four_kings"
	Double     Figure = "double"
	Volat      Figure = "volat"
	Ultimo     Figure = "pagat_ultimo"
	XXICapture Figure = "xxi_capture"
)
