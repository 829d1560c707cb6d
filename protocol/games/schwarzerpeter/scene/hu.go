package scene

var hungarian = map[string]string{
	"card":          "{suit} {rank}",
	"suit.hearts":   "kőr",
	"suit.diamonds": "káró",
	"suit.clubs":    "treff",
	"suit.spades":   "pikk",
	"french.K":      "király",
	"french.Q":      "dáma",
	"french.J":      "bubi",
	"french.A":      "ász",
	"peter":         "a Fekete Péter",
	"did.draw":      "húzott {from} kezéből, a lap sorszáma: {n}",
	"did.lay.0":     "semmit sem rakott le",
	"did.lay":       "lerakta: {pairs}",
	"how.peter":     "Akinél a páratlan lap maradt: {name}.",
	"rule.SP-S":     "Fekete Péter, a cikk szabályai",
	"rule.SP-C":     "Fekete Péter, a szokásos szabályok",
	"pair":          "{a} + {b}",
	"dealt":         "{n}. parti: mindenkinek van lapja, {first} kezd.",

	// At the table: what lies there, what is asked, and what stands against an answer.
	"deal.of":   "{n}. parti, összesen {of}.",
	"zone.laid": "{seat} lerakott lapjai",
	"ask.lay":   "Melyik párokat rakod le?",
	"ask.draw":  "Melyik lapot húzod {from} kezéből? Lefelé fordítva fekszenek, balról jobbra.",
	"pick.lay":  "lerakom {pairs}",
	"pick.keep": "megtartom",
	"pick.draw": "húzom {n}",
	"task.lay":  "párok lerakása",
	"task.draw": "laphúzás",
}
