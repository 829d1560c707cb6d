package results

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/report"
)

// Place returns a table's place in the event for its own report, or nil if the table counts nowhere.
func (r *Results) Place(v *events.VerifiedEvent, id wire.Hash) *report.Place {
	at := slices.IndexFunc(v.Judgement.Tables, func(s event.SeatedPlace) bool { return s.Table != nil && s.Table.ID == id })
	if at < 0 {
		return nil
	}
	s := v.Judgement.Tables[at]
	p := &report.Place{Event: r.Name, Title: r.l.Say("place", "round", s.Round, "table", s.Number), Times: r.playedTimes(s.Table)}
	for _, n := range s.Players {
		p.Players = append(p.Players, r.playerOf(n))
	}
	about := func(table string) bool { return table == id.String() }
	for _, d := range r.h.Rulings {
		if about(r.ruledTable(d)) || about(d.Instead) {
			p.Rulings = append(p.Rulings, r.rulingText(d))
		}
	}
	p.Said = r.saidAbout(about)
	return p
}

func (r *Results) playerOf(n int) string {
	if p := r.h.PlayerByNumber(n); p != nil && p.Club != "" {
		return r.playerName(n) + ", " + string(p.Club)
	}
	return r.playerName(n)
}

// ruledTable returns the table that a ruling is about. For a ruling on a ruling, it is the latter's
// table.
func (r *Results) ruledTable(d *event.Ruling) string {
	for _, on := range r.h.Rulings {
		if d.About.Entry != "" && on.Hash.String() == d.About.Entry {
			return on.About.Table
		}
	}
	return d.About.Table
}

// saidAbout returns the appeals and calls about some tables, in the order of the log.
func (r *Results) saidAbout(about func(table string) bool) (list []string) {
	for _, n := range r.h.Notices {
		name := ""
		if p := r.h.PlayerByKey(n.By); p != nil {
			name = r.playerName(p.Number)
		}
		switch b := n.Body.(type) {
		case *bulletin.AppealBody:
			for _, d := range r.h.Rulings {
				if d.Hash == b.Ruling && about(r.ruledTable(d)) {
					list = append(list, strings.TrimSpace(r.l.Say("appeal", "entry", n.Index, "name", name, "on", d.Index, "reason", string(b.Reason))))
				}
			}
		case *bulletin.CallBody:
			if about(b.Table.String()) {
				list = append(list, strings.TrimSpace(r.l.Say("call", "entry", n.Index, "name", name, "reason", string(b.Reason))))
			}
		}
	}
	return list
}

// playedTimes returns when a table was played, or "" if marks do not show it.
func (r *Results) playedTimes(t *event.Table) string {
	after, begun, first := r.times.TimesOf(t.Index)
	last, by, then := r.times.TimesOf(t.Last)
	if !first || !then {
		return ""
	}
	return r.l.Say("times", "after", timeText(after), "begun", timeText(begun), "last", timeText(last), "by", timeText(by))
}

func timeText(seconds int64) string {
	return time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04:05 UTC")
}

// Sitting is a player's places: "2/3" in each round, or a bye.
type Sitting struct {
	Number int
	Name   string
	Where  []string // by round; "" for none
}

// Sittings returns all players by their names, with their places.
func (r *Results) Sittings() (list []Sitting) {
	for _, p := range r.h.Players {
		s := Sitting{p.Number, r.names.Show(string(p.Name), p.Key), make([]string, len(r.Rounds))}
		for i, round := range r.Rounds {
			for _, t := range round.Tables {
				if seat := slices.Index(t.Players, p.Number); seat >= 0 {
					s.Where[i] = fmt.Sprintf("%d %s", t.Number, report.SeatLetter(table.Seat(seat)))
				}
			}
			if slices.Contains(round.Byes, p.Number) {
				s.Where[i] = "–"
			}
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(a, b Sitting) int { return strings.Compare(a.Name, b.Name) })
	return list
}
