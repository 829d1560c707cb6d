package scene

var english = map[string]string{
	"card":          "{rank} of {suit}",
	"suit.hearts":   "hearts",
	"suit.diamonds": "diamonds",
	"suit.clubs":    "clubs",
	"suit.spades":   "spades",
	"french.K":      "king",
	"french.Q":      "queen",
	"french.J":      "jack",
	"french.A":      "ace",
	"peter":         "the Schwarzer Peter",
	"did.draw":      "drew card {n} from {from}",
	"did.lay.0":     "laid nothing down",
	"did.lay":       "laid down {pairs}",
	"how.peter":     "{name} was left with the odd card.",
	"rule.SP-S":     "Schwarzer Peter, rules of the article",
	"rule.SP-C":     "Schwarzer Peter, common rules",
	"pair":          "{a} + {b}",
	"dealt":         "Deal {n}: everybody has cards, {first} begins.",

	// At the table: what lies there, what is asked, and what stands against an answer.
	"deal.of":   "Deal {n} of {of}.",
	"zone.laid": "Laid down by {seat}",
	"ask.lay":   "Which pairs do you lay down?",
	"ask.draw":  "Which card do you draw from {from}? They lie face down, from left to right.",
	"pick.lay":  "lay {pairs}",
	"pick.keep": "keep",
	"pick.draw": "draw {n}",
	"task.lay":  "laying down pairs",
	"task.draw": "drawing a card",
}
