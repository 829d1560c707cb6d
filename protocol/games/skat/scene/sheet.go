package scene

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/table"
)

// Sheets implements scene.Presentation: the finished deals, and how the value of each is counted out.
func (Presentation) Sheets(s skat.State) []scene.Sheet {
	var all []scene.Sheet
	for _, past := range s.Past {
		sheet := scene.Sheet{Deal: past.Number, Text: dealNote(past), Lines: lines(s.Rules, past)}
		for seat, n := range past.Points {
			sheet.Payments = append(sheet.Payments, scene.Payment{Seat: table.Seat(seat), Game: n, Total: n})
		}
		all = append(all, sheet)
	}
	return all
}

// matadors is "with 2" or "without 3".
func matadors(m skat.Matadors) scene.Note {
	if m.With {
		return scene.Say("with", scene.Number("n", m.N))
	}
	return scene.Say("without", scene.Number("n", m.N))
}

// levelNames are the keys of the names of levels.
var levelNames = map[skat.Level]string{
	skat.GameLevel: "game", skat.HandLevel: "hand", skat.SchneiderLevel: "schneider", skat.SchneiderAnnounced: "schneider.announced",
	skat.SchwarzLevel: "schwarz", skat.SchwarzAnnounced: "schwarz.announced", skat.OuvertLevel: "ouvert",
}

// countNote is a value counted out: "mit 2, Spiel 3, Hand 4" (SK-R-40).
func countNote(m skat.Matadors, levels []skat.Level) scene.Note {
	steps := []scene.Note{matadors(m)}
	for i, l := range levels {
		steps = append(steps, scene.Say("step."+levelNames[l], scene.Number("step", m.N+i+1)))
	}
	return commas(steps)
}

// dealNote is a deal in one line, as a list has it.
func dealNote(past skat.SettledDeal) scene.Note {
	if past.Result == nil {
		return scene.Say("how." + strings.ReplaceAll(past.How, " ", "."))
	}
	c, r := *past.Contract, *past.Result
	game := contractNote(c)
	if c.Game != skat.Null {
		game = scene.Say("how.counted", scene.NoteArg("game", game), scene.NoteArg("count", countNote(r.Matadors, r.Levels)),
			scene.Number("base", c.Game.Base()), scene.Number("value", r.Reached))
	} else {
		game = scene.Say("how.null", scene.NoteArg("game", game), scene.Number("value", r.Reached))
	}
	return scene.Say("how", scene.SeatArg("seat", *past.Declarer), scene.NoteArg("game", game), scene.NoteArg("outcome", outcome(past)), scene.Number("bid", past.Bid))
}

// outcome says whether a game was won, and why.
func outcome(past skat.SettledDeal) scene.Note {
	r, won := past.Result, "lost"
	if past.Result.Won {
		won = "won"
	}
	note := scene.Say("outcome."+won, scene.NoteArg("by", reasonNote(past)))
	if r.Overbid {
		return scene.Say("outcome.overbid", scene.NoteArg("by", reasonNote(past)), scene.Number("value", r.Value))
	}
	return note
}

// reasonNote is what decided a game: the card points, or an early end.
func reasonNote(past skat.SettledDeal) scene.Note {
	p := slices.Index(past.Seats[:], *past.Declarer)
	switch {
	case past.How == skat.GivenUp && !past.Result.Won:
		return scene.Say("by.excluded")
	case past.How != skat.Played:
		return scene.Say("by." + strings.ReplaceAll(past.How, " ", "."))
	case past.Contract.Game == skat.Null:
		return scene.Say("by.tricks", scene.Number("n", past.Tricks[p]))
	}
	return scene.Say("by.points", scene.Number("n", past.Cards[p]))
}

// lines are how the points of a deal add up.
func lines(r skat.RuleSet, past skat.SettledDeal) []scene.Line {
	if past.How == skat.Ramsch {
		return ramsch(past)
	}
	if past.Result == nil {
		return nil
	}
	c, res := *past.Contract, *past.Result
	var l []scene.Line
	add := func(rule, id string, points int, args ...scene.Arg) {
		l = append(l, scene.Line{Rule: rule, Text: scene.Say(id, args...), Points: points})
	}
	if c.Game == skat.Null {
		add("SK-R-48", "line.null", res.Reached, scene.NoteArg("game", contractNote(c)))
	} else {
		add("SK-R-38", "line.matadors", res.Matadors.N, scene.NoteArg("count", matadors(res.Matadors)))
		for _, level := range res.Levels {
			add("SK-R-40", "line."+levelNames[level], 1)
		}
		add("SK-R-47", "line.value", res.Reached, scene.Number("factor", res.Matadors.N+len(res.Levels)), scene.Number("base", c.Game.Base()), scene.NoteArg("game", gameNote(c.Game)))
	}
	if res.Value != res.Reached {
		rule := "SK-R-53"
		if c.Game == skat.Null {
			rule = "OPT-NULL-OVERBID"
		}
		add(rule, "line.raised", res.Value, scene.Number("bid", past.Bid))
	}
	if !res.Won {
		add("SK-R-62", "line.lost", res.Score)
	}
	return append(l, doublingLines(past, res.Score)...)
}

// doublingLines are the lines of Kontra, Re and Bock.
func doublingLines(past skat.SettledDeal, score int) (l []scene.Line) {
	for _, d := range []struct {
		rule, id string
		is       bool
	}{{"SK-R-74", "line.kontra", past.Kontra != nil}, {"SK-R-75", "line.re", past.Re}, {"SK-R-77", "line.bock", past.Bock}} {
		if d.is {
			score *= 2
			l = append(l, scene.Line{Rule: d.rule, Text: scene.Say(d.id), Points: score})
		}
	}
	return l
}

// ramsch are the lines for the points of each player.
func ramsch(past skat.SettledDeal) (l []scene.Line) {
	for p, seat := range past.Seats {
		l = append(l, scene.Line{Rule: "SK-R-70", Text: scene.Say("line.ramsch", scene.SeatArg("seat", seat), scene.Number("n", past.Tricks[p])), Points: past.Cards[p]})
	}
	if past.Pushes > 0 {
		l = append(l, scene.Line{Rule: "SK-R-72", Text: scene.Say("line.pushes", scene.Number("n", past.Pushes)), Points: 1 << past.Pushes})
	}
	if n := len(slices.DeleteFunc(slices.Clone(past.Tricks[:]), func(n int) bool { return n > 0 })); n > 0 {
		id := []string{"line.virgin", "line.march"}[n-1]
		l = append(l, scene.Line{Rule: "SK-R-71", Text: scene.Say(id), Points: []int{2, skat.March}[n-1]})
	}
	return append(l, doublingLines(past, 1)...)
}

// Sums implements scene.Summing: the foot of a Skatliste (SK-R-63, SK-R-68).
func (Presentation) Sums(s skat.State) []scene.Sum {
	if len(s.Past) == 0 {
		return nil
	}
	t, system := s.Tally, s.Rules.Score
	sums, own, all := t.Sums(system), t.Sums(skat.OptSeeger), t.Sums(skat.OptSeegerFabian)
	feet := []scene.Sum{{Rule: "SK-R-62", Text: scene.Say("sum.points"), Amounts: t.Points}}
	if system == skat.OptBierlachs {
		feet[0].Rule = "SK-R-66"
	}
	feet = append(feet, scene.Sum{Text: scene.Say("sum.won"), Amounts: t.Won, Count: true}, scene.Sum{Text: scene.Say("sum.lost"), Amounts: t.Lost, Count: true})
	if system == skat.OptSeeger || system == skat.OptSeegerFabian {
		feet = append(feet, scene.Sum{Rule: "SK-R-64", Text: scene.Say("sum.own"), Amounts: less(own, t.Points)})
	}
	if system == skat.OptSeegerFabian {
		feet = append(feet, scene.Sum{Rule: "SK-R-63", Text: scene.Say("sum.others", scene.Number("bonus", skat.OtherLossBonus(len(sums)))), Amounts: less(all, own)})
	}
	if len(feet) > 3 {
		feet = append(feet, scene.Sum{Text: scene.Say("sum.all"), Amounts: sums})
	}
	return append(feet, scene.Sum{Rule: "SK-R-68", Text: scene.Say("sum.rank"), Amounts: t.Ranking(sums), Count: true})
}

// less is the difference a − b, by index.
func less(a, b []int) []int {
	list := slices.Clone(a)
	for i := range list {
		list[i] -= b[i]
	}
	return list
}
