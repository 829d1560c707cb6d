package events

import (
	"slices"

	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/verifier"
)

// ReopenedTable is a time-out at a table that counts, although a keeper held the seat's message in
// time, and that nobody has decided on (docs/spec/52-time.md, 52.8).
type ReopenedTable struct {
	event.SeatedPlace
	verifier.Ending
}

// findReopened finds the reopened time-outs and the standings without payments for them. A ruling on
// the table that was not overturned decides them.
func (v *VerifiedEvent) findReopened(o event.Options) {
	lines := map[*event.Table][]event.Line{}
	for _, s := range v.Judgement.Tables {
		i := slices.IndexFunc(v.Tables, func(t verifier.Table) bool { return s.Table != nil && t.Table == s.Table.ID })
		if i < 0 || v.isRuled(s.Table) {
			continue
		}
		for _, e := range v.Tables[i].Endings {
			if !e.IsOpen() {
				continue
			}
			v.Reopened = append(v.Reopened, ReopenedTable{s, e})
			if lines[s.Table] == nil {
				lines[s.Table] = slices.Clone(s.Table.Lines)
			}
			lines[s.Table] = slices.DeleteFunc(lines[s.Table], func(l event.Line) bool { return l.Layer == event.ByClock && l.Index == e.Index })
		}
	}
	if len(lines) == 0 {
		return
	}
	sheets := slices.Clone(v.Sheets)
	for i, t := range sheets {
		if lines[t] != nil {
			without := *t
			without.Lines = lines[t]
			sheets[i] = &without
		}
	}
	v.WithoutReopened = event.Judge(v.History, sheets, v.Log.Checkpoint.Size, o).Standings
}

// isRuled reports whether there is a ruling on the table that was not overturned.
func (v *VerifiedEvent) isRuled(t *event.Table) bool {
	return slices.ContainsFunc(v.History.Rulings, func(r *event.Ruling) bool { return r.About.Table == t.ID.String() && r.Overturned == 0 })
}
