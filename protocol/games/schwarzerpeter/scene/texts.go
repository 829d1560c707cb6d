package scene

import "github.com/pakli/pakli/protocol/scene"

// texts are in English, German and Hungarian.
var texts = scene.Texts{
	"peter":     {"the Schwarzer Peter", "der Schwarze Peter", "a Fekete Péter"},
	"did.draw":  {"drew card {n} from {from}", "hat bei {from} die {n}.\u00a0Karte gezogen", "húzott {from} kezéből, a lap sorszáma: {n}"},
	"did.lay.0": {"laid nothing down", "hat nichts abgelegt", "semmit sem rakott le"},
	"did.lay":   {"laid down {pairs}", "hat abgelegt: {pairs}", "lerakta: {pairs}"},
	"how.peter": {"{name} was left with the odd card.", "{name} blieb auf der einzelnen Karte sitzen.", "Akinél a páratlan lap maradt: {name}."},
	"rule.SP-S": {"Schwarzer Peter, rules of the article", "Schwarzer Peter, Regeln des Aufsatzes", "Fekete Péter, a cikk szabályai"},
	"rule.SP-C": {"Schwarzer Peter, common rules", "Schwarzer Peter, übliche Regeln", "Fekete Péter, a szokásos szabályok"},
	"pair":      {"{a} + {b}", "{a} + {b}", "{a} + {b}"},
	"dealt":     {"Deal {n}: everybody has cards, {first} begins.", "Spiel {n}: Alle haben Karten, {first} beginnt.", "{n}. parti: mindenkinek van lapja, {first} kezd."},

	// At the table: what lies there, what is asked, and what stands against an answer.
	"deal.of":   {"Deal {n} of {of}.", "Spiel {n} von {of}.", "{n}. parti, összesen {of}."},
	"zone.laid": {"Laid down by {seat}", "Abgelegt von {seat}", "{seat} lerakott lapjai"},
	"ask.lay":   {"Which pairs do you lay down?", "Welche Paare legst du ab?", "Melyik párokat rakod le?"},
	"ask.draw": {"Which card do you draw from {from}? They lie face down, from left to right.",
		"Welche Karte ziehst du bei {from}? Sie liegen verdeckt, von links nach rechts.",
		"Melyik lapot húzod {from} kezéből? Lefelé fordítva fekszenek, balról jobbra."},
	"pick.lay":  {"lay {pairs}", "leg {pairs}", "lerakom {pairs}"},
	"pick.keep": {"keep", "behalten", "megtartom"},
	"pick.draw": {"draw {n}", "zieh {n}", "húzom {n}"},
	"task.lay":  {"laying down pairs", "Paare ablegen", "párok lerakása"},
	"task.draw": {"drawing a card", "eine Karte ziehen", "laphúzás"},
}
