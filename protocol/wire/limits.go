package wire

// Every bound on what comes from outside, with its reason.
const (
	// MaxEntry is the largest entry of a C2SP tlog-tiles log: its length is
	// written in 16 bits.
	MaxEntry = 65_535
	// MinSeats: with one seat nobody would have anything to hide.
	MinSeats = 2
	// MaxSeats leaves room for the largest game planned (8) and for tables
	// with members who sit out a deal.
	MaxSeats = 16
	// MaxName keeps a seat's name on one line of a report.
	MaxName = 32
	// MaxOptions and MaxOption bound a genesis entry; the richest rule book
	// planned has 32 options.
	MaxOptions = 64
	MaxOption  = 64
	// MaxDeals bounds one session; chosen arbitrarily, a day of play is 200.
	MaxDeals = 1_000
	// MaxMove bounds a move's JSON; the longest planned names 12 cards.
	MaxMove = 1_024
	// MaxProofs bounds the proofs of one message: one for each condition and
	// one for the tokens; the most demanding move planned needs 9.
	MaxProofs = 32
	// MaxBinary bounds one binary value, decoded; a proof over the limit of an
	// entry could not be logged anyway.
	MaxBinary = 49_152
	// MaxList bounds a list of cards or tokens: all cards of the largest deck.
	MaxList = 256
)
