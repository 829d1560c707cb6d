package scene

var german = map[string]string{
	"card":          "{suit}-{rank}",
	"suit.hearts":   "Herz",
	"suit.diamonds": "Karo",
	"suit.clubs":    "Treff",
	"suit.spades":   "Pik",
	"french.K":      "König",
	"french.Q":      "Dame",
	"french.J":      "Bube",
	"french.A":      "Ass",
	"peter":         "der Schwarze Peter",
	"did.draw":      "hat bei {from} die {n}.\u00a0Karte gezogen",
	"did.lay.0":     "hat nichts abgelegt",
	"did.lay":       "hat abgelegt: {pairs}",
	"how.peter":     "{name} blieb auf der einzelnen Karte sitzen.",
	"rule.SP-S":     "Schwarzer Peter, Regeln des Aufsatzes",
	"rule.SP-C":     "Schwarzer Peter, übliche Regeln",
	"pair":          "{a} + {b}",
	"dealt":         "Spiel {n}: Alle haben Karten, {first} beginnt.",

	// At the table: what lies there, what is asked, and what stands against an answer.
	"deal.of":   "Spiel {n} von {of}.",
	"zone.laid": "Abgelegt von {seat}",
	"ask.lay":   "Welche Paare legst du ab?",
	"ask.draw":  "Welche Karte ziehst du bei {from}? Sie liegen verdeckt, von links nach rechts.",
	"pick.lay":  "leg {pairs}",
	"pick.keep": "behalten",
	"pick.draw": "zieh {n}",
	"task.lay":  "Paare ablegen",
	"task.draw": "eine Karte ziehen",
}
