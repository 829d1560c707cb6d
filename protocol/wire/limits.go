package wire

// Bounds on everything that comes from outside, each with its reason.
const (
	// MaxEntry is the largest entry of a C2SP tlog-tiles log, which writes its length in 16 bits.
	MaxEntry = 65_535
	// MaxDocument bounds signed documents that are no entry: an offer with the most options has 9
	// KiB.
	MaxDocument = 16 << 10
	// MinSeats is 2: with one seat there is no other to hide cards from.
	MinSeats = 2
	// MaxSeats leaves room for the largest planned game (8) and for members who sit out a deal.
	MaxSeats = 16
	// MaxName keeps a seat's name on one line of a report.
	MaxName = 32
	// MaxOptions and MaxOption bound a genesis entry; the richest planned rule book has 32 options.
	MaxOptions = 64
	MaxOption  = 64
	// MaxDeals bounds one session; chosen arbitrarily, a day of play is 200.
	MaxDeals = 1_000
	// MaxMove bounds a move's JSON; the longest planned move names 12 cards.
	MaxMove = 1_024
	// MaxNumber bounds a number and its negative: every reader of JSON has these exactly, even with
	// floating point.
	MaxNumber = 1<<53 - 1
	// MaxText bounds a text in bytes of UTF-8: a name with titles in any script.
	MaxText = 96
	// MaxReason bounds the text of a reason: a few sentences.
	MaxReason = 480
	// MaxArbiters and MaxKeepers exceed what the largest events have.
	MaxArbiters = 16
	MaxKeepers  = 8
	// MaxSpans bounds the duties that a claim adds up; in the longest deal one seat has about
	// eighty.
	MaxSpans = 128
	// MaxSeconds bounds the times of a clock: a year.
	MaxSeconds = 31_536_000
	// MaxTick bounds the time between two marks: an hour.
	MaxTick = 3_600
	// MaxForfeit bounds what a seat that leaves pays to each other seat.
	MaxForfeit = 1_000_000
	// MaxRound and MaxTableNumber bound the places of an event: lots take 16 bits.
	MaxRound       = 1_000
	MaxTableNumber = 65_535
	// MaxDepth bounds the nesting of objects and lists, with the entry as the first; the deepest
	// move of a game has 6.
	MaxDepth = 16
	// MaxProofs bounds the proofs of one message: one for each condition and one for the tokens;
	// the most demanding planned move needs 9.
	MaxProofs = 32
	// MaxInline is the longest proof inside an entry; a longer one is a blob. The cards of the
	// largest shuffle still fit beside it.
	MaxInline = 16_384
	// MaxCards bounds the cards inside an entry, in bytes, and leaves room for the rest of it; a
	// longer list of cards is a blob.
	MaxCards = 48_384
	// MaxAttached bounds the blobs of one message together: twice the longest
	// proof of a shuffle, cut-and-choose of 256 cards with 492,448 bytes.
	MaxAttached = 1 << 20
	// MaxResidues bounds them at tables of Schindelhauer's cards, and so everywhere: 52 cards of
	// four seats at 3072 bits have 15.9 million bytes with their proof.
	MaxResidues = 16 << 20
	// MaxMarkNote bounds the checkpoint of a mark: eight keepers with 160 bytes each, and the 4 KiB
	// of logs that also have a key of ML-DSA-44.
	MaxMarkNote = 8 << 10
	// MaxList bounds a list of cards or tokens: all cards of the largest deck.
	MaxList = 256
)
