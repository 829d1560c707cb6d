package wire

// Every bound on what comes from outside, with its reason.
const (
	// MaxEntry is the largest entry of a C2SP tlog-tiles log: its length is
	// written in 16 bits.
	MaxEntry = 65_535
	// MaxDocument bounds what is signed and no entry: an offer with the most
	// options has 9 KiB.
	MaxDocument = 16 << 10
	// MinSeats: with one seat there is no other to hide cards from.
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
	// MaxNumber bounds a number and its negative: every reader of JSON has these
	// exactly, those with floating point too.
	MaxNumber = 1<<53 - 1
	// MaxText bounds a text in bytes of UTF-8: a name with titles in any script.
	MaxText = 96
	// MaxReason bounds the text of a reason: some sentences.
	MaxReason = 480
	// MaxArbiters and MaxKeepers are more than the largest events have.
	MaxArbiters = 16
	MaxKeepers  = 8
	// MaxSpans bounds the duties that a claim adds up; the longest deal has some
	// eighty of one seat.
	MaxSpans = 128
	// MaxSeconds bounds the times of a clock: a year.
	MaxSeconds = 31_536_000
	// MaxTick is an hour.
	MaxTick = 3_600
	// MaxForfeit bounds what a seat that leaves pays to each other.
	MaxForfeit = 1_000_000
	// MaxRound and MaxTableNumber bound the places of an event: lots take 16 bits.
	MaxRound       = 1_000
	MaxTableNumber = 65_535
	// MaxDepth bounds objects and lists one in another, that of the entry being the
	// first; the deepest move of a game has 6.
	MaxDepth = 16
	// MaxProofs bounds the proofs of one message: one for each condition and
	// one for the tokens; the most demanding move planned needs 9.
	MaxProofs = 32
	// MaxInline is the longest proof that an entry itself has; a longer one is a
	// blob. With it, the cards of the largest shuffle still fit.
	MaxInline = 16_384
	// MaxCards is the most bytes of cards that an entry itself has, which leaves room for
	// all else in it; longer lists of cards are a blob.
	MaxCards = 48_384
	// MaxAttached bounds the blobs of one message together: twice the longest
	// proof of a shuffle, cut-and-choose of 256 cards with 492,448 bytes.
	MaxAttached = 1 << 20
	// MaxResidues bounds them at tables of Schindelhauer's cards, and so everywhere: 52
	// cards of four seats at 3072 bits have 15.9 million bytes with their proof.
	MaxResidues = 16 << 20
	// MaxMarkNote bounds the checkpoint of a mark: eight keepers with 160 bytes each, and
	// logs with a key of ML-DSA-44 besides, with 4 KiB.
	MaxMarkNote = 8 << 10
	// MaxList bounds a list of cards or tokens: all cards of the largest deck.
	MaxList = 256
)
