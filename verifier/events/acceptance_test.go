package events_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/events/results"
	"github.com/pakli/pakli/verifier/report"
)

// incident is what happens at a table of a cup instead of play from beginning to end. Its table goes
// into the log.
type incident func(h *hall, t *tabletest.Table)

// cupOf16 plays a cup of 16 in three rounds of four tables, with incidents by round and table number.
func cupOf16(t *testing.T, deals int, incidents map[[2]int]incident, change ...func(*hall, *bulletin.Event)) *hall {
	h := newHall(t, func(h *hall, e *bulletin.Event) {
		e.Name, e.Deals, e.Rounds, e.Sizes, e.Drawers = "Cup of 16", deals, 3, []int{4}, 3
		e.Seating = []bulletin.Seating{bulletin.SeatAtRandom, bulletin.SeatAtRandom, bulletin.SeatByRank}
		e.Registration.Late, e.Jury = 2, []string{h.key("jury")}
		for _, c := range change {
			c(h, e)
		}
	})
	for i := range 16 {
		h.register(fmt.Sprintf("player-%d", i+1))
	}
	h.accept()
	for range h.terms.Rounds {
		v := h.seat()
		r := v.History.Rounds[len(v.History.Rounds)-1]
		for n := range r.Tables {
			table := h.open(v.History.TableGenesis(r.Number, n+1))
			if happens := incidents[[2]int{r.Number, n + 1}]; happens != nil {
				happens(h, table)
			} else if err := table.Play(-1); err != nil {
				t.Fatal(err)
			}
			h.entries = append(h.entries, table.Entries...)
		}
		h.accept()
	}
	return h
}

// accept answers every request that waits for an answer.
func (h *hall) accept() {
	if v := h.now(); v.History.CountUnanswered(h.size()) > 0 {
		h.decide("organiser", bulletin.DecideRoster, v.History.NextRoster(h.size()))
	}
}

func (h *hall) must(err error) {
	h.t.Helper()
	testmust.Do(h.t, err)
}

// name returns the name of the player in a seat of a table.
func (h *hall) name(t *tabletest.Table, seat table.Seat) string {
	return h.names[t.State.HolderKey(seat)]
}

// replaced makes a seat resign in the second deal, and a latecomer takes its place.
func replaced(h *hall, t *tabletest.Table) {
	h.intoSecondDeal(t)
	h.tell(h.name(t, 1), bulletin.Withdraw, bulletin.RoundBody{Round: 2})
	h.must(t.Add(t.ActOf(1, wire.KindResign, wire.ResignBody{Scope: wire.ResignTable})))
	h.register("substitute")
	h.accept()
	sub := player.Hand{Seat: 1, Signer: h.signers["substitute"]}
	accept := testmust.Have(wire.SignAccept(sub.Signer, t.State.ID(), t.State.Head(), 1))(h.t)
	h.must(t.Add(t.RulingAct(wire.KindReseat, wire.ReseatBody{Seat: 1, Key: h.key("substitute"), Accept: accept})))
	h.must(t.SitDown(sub))
	h.must(t.Play(-1))
	h.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleSubstitute, About: bulletin.RulingSubject{Table: t.State.ID().String(), Player: 17}, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}, Reason: "Sits in from deal 2 on."})
}

// intoSecondDeal plays until the second deal has begun.
func (h *hall) intoSecondDeal(t *tabletest.Table) {
	for len(t.State.Sheet().Deals) == 0 {
		h.must(t.Play(1))
	}
	_ = testmust.Have(t.PlayUntil(table.Move))(h.t)
}

// warned makes a seat break a rule once and play on.
func warned(h *hall, t *tabletest.Table) {
	d := testmust.Have(t.PlayUntil(table.Move))(h.t)
	entry, err := t.Sign(d.Seats[0], table.Move, struct {
		Take int `json:"take"`
	}{99})
	h.must(err)
	_, err = tabletest.Apply(t.State, entry)
	f, is := errors.AsType[*table.Fault](err)
	testmust.Requiref(h.t, is && f.Class == table.Tried, "a move that breaks a rule is %v", err)
	t.LogAttempt(entry, f)
	h.must(t.Play(-1))
}

// vanished makes a seat stay away in the second deal, so that the organiser closes the table.
func vanished(h *hall, t *tabletest.Table) {
	h.intoSecondDeal(t)
	h.tell(h.name(t, 2), bulletin.Withdraw, bulletin.RoundBody{Round: 3})
	h.must(t.Add(t.RulingAct(wire.KindClose, wire.CloseBody{Reason: "Nobody has seen seat C since noon."})))
}

// appealed makes the arbiter punish a seat, which appeals, and then the jury decides.
func appealed(do string) incident {
	return func(h *hall, t *tabletest.Table) {
		h.must(t.Play(-1))
		p := h.now().History.PlayerByKey(t.State.HolderKey(0))
		ruling := h.decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RulePenalty, About: bulletin.RulingSubject{Player: p.Number, Round: 1}, Points: []bulletin.PlayerPoints{{Player: p.Number, Points: -5}}, Grounds: []wire.Hash{}, Reason: "A telephone rang."})
		h.tell(h.name(t, 0), bulletin.Appeal, bulletin.AppealBody{Ruling: ruling, Reason: "It was not mine."})
		h.decide("jury", bulletin.DecideRuling, bulletin.RulingBody{Do: do, About: bulletin.RulingSubject{Entry: ruling.String()}, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}, Reason: "It was the landlord's."})
	}
}

// TestCupWithIncidents plays the cup by which events are accepted. Two players leave, and one is
// replaced; one player breaks a rule under warn; two appeal; the log withholds a message that a
// keeper holds. No person intervenes. The cup is adjudicated, and the page gives a reason for every
// line. It takes two seconds because it is the one event that contains everything.
func TestCupWithIncidents(t *testing.T) {
	var w watch
	h := cupOf16(t, 2, map[[2]int]incident{
		{1, 1}: replaced, {1, 2}: warned, {1, 3}: appealed(bulletin.RuleOverturn), {1, 4}: appealed(bulletin.RuleUphold), {2, 1}: vanished, {2, 2}: w.withheld,
	}, w.clocked)
	h.final()
	v := h.verify()
	testmust.Requiref(t, v.Verdict == event.VerdictAdjusted && v.ExitCode() == 6 && len(v.Departures) == 0, "%s: %v", v.Verdict, v.Departures)
	for _, c := range v.Checks {
		testmust.Equal(t, c.Outcome, event.Passed, c.ID)
	}
	states, attempts, endings := map[event.State]int{}, 0, 0
	for i, s := range v.Judgement.Tables {
		states[s.Table.State]++
		r := ofPlaces(v)[i]
		attempts, endings = attempts+len(r.Attempts), endings+len(r.Endings)
		testmust.Holdf(t, (s.Table.State == event.Adjudicated) == (r.Verdict == verifier.Adjudicated) && r.Err == nil,
			"table %d/%d is %s, and its own verdict %s", s.Round, s.Number, s.Table.State, r.Verdict)
	}
	testmust.Holdf(t, states[event.Adjudicated] == 3 && states[event.Sound] == 8 && attempts == 1 && endings == 5,
		"tables %v, %d attempts, %d endings", states, attempts, endings)
	h.explained(v)
	h.disputed(v, "Nobody has seen seat C since noon.", "The log does not answer one of us.")
	h.recounted(v)
	w.reopened(h)
}

// ofPlaces returns the reports of the tables that count, without those of draws.
func ofPlaces(v *events.VerifiedEvent) (list []verifier.Table) {
	for _, s := range v.Judgement.Tables {
		i := slices.IndexFunc(v.Tables, func(t verifier.Table) bool { return t.Table == s.Table.ID })
		list = append(list, v.Tables[i])
	}
	return list
}

// explained requires that the page says in every language who sat where, who ruled what and why, and
// which tables each total rests on.
func (h *hall) explained(v *events.VerifiedEvent) {
	h.t.Helper()
	for _, tag := range report.Languages() {
		l, _ := report.LanguageOf(tag)
		r := results.Sum(v, l, event.LeftOutLayers{})
		var page bytes.Buffer
		h.must(r.HTML(&page))
		for _, says := range []string{"Sits in from deal 2 on.", "A telephone rang.", "It was the landlord&#39;s.", "Keeper bela held the message in time.", "17 substitute", "Nobody has seen seat C since noon.", "The log does not answer one of us.", r.Say("check.yourself", "log", r.Checkpoint.Origin), r.Say("state.adjudicated"), r.Say("layer.ruled")} {
			testmust.Holdf(h.t, strings.Contains(page.String(), says), "%s: the page does not say %q", tag, says)
		}
		testmust.Holdf(h.t, len(r.Rulings) == 6 && len(r.Standings) == 17, "%s: %d rulings, %d lines", tag, len(r.Rulings), len(r.Standings))
		for _, s := range r.Standings {
			if layers := r.Layers(s); s.Layers[event.Ruled] != 0 && !strings.Contains(layers, r.Say("layer.ruled")) {
				h.t.Errorf("%s: the total of %s does not say that it rests on a ruling: %s", tag, s.Name, layers)
			}
		}
	}
}

// disputed requires that the reports of tables with incidents tell all of them, and that other
// reports tell none.
func (h *hall) disputed(v *events.VerifiedEvent, reasons ...string) {
	h.t.Helper()
	l, _ := report.LanguageOf("en")
	r, told := results.Sum(v, l, event.LeftOutLayers{}), ""
	var ids []wire.Hash
	for _, one := range ofPlaces(v) {
		ids = append(ids, one.Table)
	}
	recordings := testmust.Have(report.RereadTables(h.t.Context(), h, v.Log.Checkpoint, ids, 1<<30))(h.t)
	for i, one := range ofPlaces(v) {
		d := testmust.Have(report.BuildDocument(one.Report, recordings[i], h.options().Catalogue, l))(h.t)
		d.Place = r.Place(v, one.Table)
		if len(d.EndedTexts()) != len(one.Endings) || len(d.Place.Rulings) == 0 && d.IsDisputed() != (len(one.Endings)+len(one.Attempts) > 0) {
			h.t.Errorf("table %s: %d endings, and %q is told of them", one.Table, len(one.Endings), d.EndedTexts())
		}
		var b bytes.Buffer
		h.must(d.Text(&b))
		told += b.String()
	}
	for _, reason := range reasons {
		testmust.Holdf(h.t, strings.Count(told, reason) != 0, "no report says %q", reason)
	}
}

// recounted adds up every total again, by hand, from the lines of the tables and from the rulings
// that count.
func (h *hall) recounted(v *events.VerifiedEvent) {
	h.t.Helper()
	totals := map[string]int{}
	for _, s := range v.Judgement.Tables {
		for _, line := range s.Table.Lines {
			for seat, n := range line.Payments {
				key := s.Table.Terms.Seats[seat]
				if line.Keys != nil {
					key = line.Keys[seat]
				}
				if line.Layer != event.ByClock { // a ruling takes that back
					totals[key] += n
				}
			}
		}
	}
	for _, r := range v.History.Rulings {
		if r.Do == bulletin.RulePenalty && r.Overturned == 0 {
			totals[v.History.PlayerByNumber(r.About.Player).Key] += r.Points[0].Points
		}
	}
	for _, s := range v.Standings {
		rounds := len(slices.DeleteFunc(slices.Clone(s.Rounds), func(n *int) bool { return n == nil }))
		if bye := s.Layers[event.OfTerms]; s.Total-bye != totals[s.Key] || rounds == 0 {
			h.t.Errorf("%s has %d, of which %d are byes, and the lines say %d", s.Name, s.Total, bye, totals[s.Key])
		}
	}
}
