package results

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/report"
)

// Place is where in the event a table is, for its own report; nil for one that counts nowhere.
func (r *Results) Place(v *events.Verified, id wire.Hash) *report.Place {
	at := slices.IndexFunc(v.Judgement.Tables, func(s event.Seated) bool { return s.Table != nil && s.Table.ID == id })
	if at < 0 {
		return nil
	}
	s := v.Judgement.Tables[at]
	p := &report.Place{Event: r.Name, Title: r.l.Say("place", "round", s.Round, "table", s.Number), Times: r.played(s.Table)}
	for _, n := range s.Players {
		p.Players = append(p.Players, r.playerOf(n))
	}
	about := func(table string) bool { return table == id.String() }
	for _, d := range r.h.Rulings {
		if about(r.object(d)) || about(d.Instead) {
			p.Rulings = append(p.Rulings, r.ruling(d))
		}
	}
	p.Said = r.said(about)
	return p
}

// playerOf is a player with the club.
func (r *Results) playerOf(n int) string {
	if p := r.h.Number(n); p != nil && p.Club != "" {
		return r.player(n) + ", " + string(p.Club)
	}
	return r.player(n)
}

// object is the table that a ruling is about; of one on a ruling, that one's.
func (r *Results) object(d *event.Ruling) string {
	for _, on := range r.h.Rulings {
		if d.About.Entry != "" && on.Hash.String() == d.About.Entry {
			return on.About.Table
		}
	}
	return d.About.Table
}

// said are the appeals and calls about some tables, in the order of the log.
func (r *Results) said(about func(table string) bool) (list []string) {
	for _, n := range r.h.Notices {
		name := ""
		if p := r.h.Player(n.By); p != nil {
			name = r.player(p.Number)
		}
		switch b := n.Body.(type) {
		case *wire.AppealBody:
			for _, d := range r.h.Rulings {
				if d.Hash == b.Ruling && about(r.object(d)) {
					list = append(list, strings.TrimSpace(r.l.Say("appeal", "entry", n.Index, "name", name, "on", d.Index, "reason", string(b.Reason))))
				}
			}
		case *wire.CallBody:
			if about(b.Table.String()) {
				list = append(list, strings.TrimSpace(r.l.Say("call", "entry", n.Index, "name", name, "reason", string(b.Reason))))
			}
		}
	}
	return list
}

// played says when a table was played, if marks show it.
func (r *Results) played(t *event.Table) string {
	after, begun, first := r.times.Of(t.Index)
	last, by, then := r.times.Of(t.Last)
	if !first || !then {
		return ""
	}
	return r.l.Say("times", "after", moment(after), "begun", moment(begun), "last", moment(last), "by", moment(by))
}

func moment(seconds int64) string {
	return time.Unix(seconds, 0).UTC().Format("2006-01-02 15:04:05 UTC")
}

// Sitting is where a player sits in a round: "2/3", or a bye.
type Sitting struct {
	Number int
	Name   string
	Where  []string // by round, empty for none
}

// Sittings are all players by their names, with where they sit.
func (r *Results) Sittings() (list []Sitting) {
	for _, p := range r.h.Players {
		s := Sitting{p.Number, r.names.Show(string(p.Name), p.Key), make([]string, len(r.Rounds))}
		for i, round := range r.Rounds {
			for _, t := range round.Tables {
				if seat := slices.Index(t.Players, p.Number); seat >= 0 {
					s.Where[i] = fmt.Sprintf("%d %s", t.Number, report.Letter(table.Seat(seat)))
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
