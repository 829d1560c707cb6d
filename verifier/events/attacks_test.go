package events_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
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

// attacks are the attacks, by number, that events and their clocks must withstand
// (docs/design/threat-model.md). The comments of the tests name the attacks that they make.
var attacks = []string{
	1: "a claim one second short", 2: "marks of another log", 3: "a mark of a fork", 4: "time from before the duty", 5: "time from after the claim",
	6: "spans twice, of another seat, of another deal", 7: "too few keepers, and clocks that run double or jump", 8: "a claim in a pause, at a stopped table, of nobody's duty",
	9: "a claim by the late seat, by a stranger", 10: "the head moved just before", 11: "acts without end",
	12: "a message withheld, keepers honest", 13: "the same without silence", 14: "the head hidden", 15: "hold and silence by one keeper", 16: "silence for an old head",
	17: "a seat taken unasked", 18: "a former holder who signs", 19: "an undone deal replayed", 20: "a card exposed that is not held",
	21: "broken rules under warn", 22: "an agreement of all but one", 23: "a table closed by a seat", 24: "rulings of the dismissed, and on one's own",
	25: "two rulings on one deal", 26: "rosters that skip, renumber, accept too late", 27: "a second draw, with puppets", 28: "the last token of the draw kept back",
	29: "a seating with two exchanged", 30: "a table with other terms", 31: "two tables of a place", 32: "standings off by a point",
	33: "names that deceive", 34: "an event without an appeal", 35: "two events of one code", 36: "floods from one address",
}

// pairs are the pairs of parties that may be dishonest together.
var pairs = []string{"organiser, server", "organiser, keeper", "server, keeper", "player, server", "player, keeper", "player, organiser"}

// An attack, or a pair of dishonest parties, that no test tries any more.
func TestEveryAttackIsTried(t *testing.T) {
	tried, together := map[int]bool{}, map[string]bool{}
	cited, paired := regexp.MustCompile(`\(Attacks? ([0-9, ]+)\)`), regexp.MustCompile(`\(Pair ([a-z]+, [a-z]+)\)`)
	root := filepath.Join("..", "..")
	testmust.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		b, err := os.ReadFile(path)
		for _, m := range paired.FindAllSubmatch(b, -1) {
			together[string(m[1])] = true
		}
		for _, m := range cited.FindAllSubmatch(b, -1) {
			for _, n := range strings.Split(string(m[1]), ", ") {
				if n, err := strconv.Atoi(n); err == nil {
					tried[n] = true
				}
			}
		}
		return err
	}))
	for n, what := range attacks {
		testmust.Holdf(t, what == "" || tried[n], "attack %d, %s: no test", n, what)
	}
	for _, who := range pairs {
		testmust.Hold(t, together[who], who, "together: no test")
	}
}

// believing verifies a hall's event with a verifier that has seen a checkpoint before.
func (h *hall) believing(c tlog.Checkpoint) (*events.VerifiedEvent, error) {
	o := h.options()
	o.Believed = []tlog.Checkpoint{c}
	return events.Verify(h.t.Context(), h, o)
}

// The organiser and the log together leave out a player who has registered. Everybody who has seen
// the log with the registration convicts the log; others learn nothing false of anybody.
// (Pair organiser, server) (Attack 26)
func TestOrganiserAndLogLeaveOneOut(t *testing.T) {
	h := newHall(t)
	for _, name := range []string{"anna", "bela", "csilla", "dezso"} {
		h.register(name)
	}
	seen := testmust.Have(h.Checkpoint(t.Context()))(h.t)
	h.entries = append(h.entries[:2:2], h.entries[3:]...) // without bela's
	h.accept()
	if v, err := h.believing(seen); err != nil || v.Log.Verdict != verifier.LogBroken || v.ExitCode() != 5 {
		t.Errorf("who has seen it: %v, %+v", err, v)
	}
	v := h.verify()
	testmust.Holdf(t, v.Log.Verdict != verifier.LogBroken && len(v.Departures) == 0 && len(v.History.Players) == 3,
		"who has not: %s, %v", v.Log.Verdict, v.Departures)
}

// The organiser and the log draw twice and show the draw that they like. The drawers of the other
// draw have seen it. (Pair organiser, server) (Attack 27)
func TestOrganiserAndLogDrawTwice(t *testing.T) {
	h := newHall(t)
	for _, name := range []string{"anna", "bela", "csilla"} {
		h.register(name)
	}
	h.accept()
	before := len(h.entries)
	g := h.drawTable()
	h.begin(g, -1)
	first := testmust.Have(h.Checkpoint(t.Context()))(h.t)
	h.entries, h.live = h.entries[:before:before], nil
	again := h.drawTable()
	again.Nonce = bytes.Repeat([]byte{1}, wire.NonceBytes)
	h.begin(again, -1)
	h.seat()
	v, err := h.believing(first)
	testmust.Holdf(t, err == nil && v.Log.Verdict == verifier.LogBroken, "who has sat at the first: %v, %+v", err, v)
}

// The organiser ends a table at which a friend has bad cards, and begins it again. The finished deals
// of the first table count, the friend pays nothing and gains nothing, and the report tells both.
// (Pair player, organiser) (Attacks 23, 31)
func TestOrganiserHelpsAFriend(t *testing.T) {
	var closed wire.Hash
	h := cupWith(t, func(h *hall, g *wire.Genesis) {
		first := h.open(g)
		h.must(first.Play(12))
		h.must(first.Add(first.RulingAct(wire.KindClose, wire.CloseBody{Reason: "The lights went out."})))
		h.entries = append(h.entries, first.Entries...)
		closed = first.State.ID()
		again := *g
		again.Nonce = bytes.Repeat([]byte{1}, wire.NonceBytes)
		h.begin(&again, -1)
	})
	h.final()
	v := h.verify()
	testmust.Holdf(t, v.Verdict == event.VerdictAdjusted && len(v.Departures) == 1 && v.Departures[0].What == event.TableSecond,
		"%s: %v", v.Verdict, v.Departures)
	s := v.Judgement.Tables[0]
	testmust.Holdf(t, s.Table.ID == closed && s.Table.Closed && s.Table.State == event.Adjudicated, "table %s counts, %s", s.Table.ID, s.Table.State)
}

// The log and a player conspire against bela. The log withholds her messages and shows her old ones
// again, and the player ends the table in every way a seat can. She is not blamed, loses nothing, and
// her finished deals count. (Pair player, server) (Attacks 9, 18, 23)
func TestLogAndPlayerAgainstAnother(t *testing.T) {
	h := cupWith(t, func(h *hall, g *wire.Genesis) {
		table := h.open(g)
		h.must(table.Play(14))
		friend := (table.State.Duties()[0].Seats[0] + 1) % 3
		h.entries = append(h.entries, table.Entries...)
		h.entries = append(h.entries, table.Entries[1:]...) // repeated, and on the current head
		for _, act := range []struct {
			kind wire.Kind
			body any
		}{{wire.KindClose, wire.CloseBody{Reason: "Bela is gone."}}, {wire.KindTimeout, wire.EmptyBody{}}, {wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}}, {wire.KindReseat, wire.EmptyBody{}}} {
			entry := testmust.Have(player.SignAct(table.State, table.State.HolderKey(friend), h.signers[h.names[table.State.HolderKey(friend)]], act.kind, act.body))(h.t)
			h.entries = append(h.entries, entry)
		}
	})
	h.final()
	v := h.verify()
	first := v.Tables[1]
	testmust.Holdf(t, first.Verdict == verifier.Unfinished && len(first.Findings)+len(first.Attempts)+len(first.Endings) <= 0 && first.Stopped == nil,
		"%s: %v, %v, %v", first.Verdict, first.Findings, first.Attempts, first.Endings)
	testmust.Equal(t, v.Verdict, event.VerdictAdjusted, v.Departures)
	for _, s := range v.Standings {
		testmust.Holdf(t, s.Rank != 0 && s.Layers[event.ByClock] == 0 && s.Layers[event.Ruled] == 0, "%s: rank %d, %v", s.Name, s.Rank, s.Layers)
	}
}

// The organiser makes a player the arbiter, who rules points for themselves and answers no request.
// The report names who signed the ruling and who entitled them. Without rulings everybody has the
// points of the deals. (Pair player, organiser) (Attack 24)
func TestOrganiserMakesAFriendArbiter(t *testing.T) {
	h := cup(t)
	plain := h.verify()
	first, _ := byKey(plain, h.key("player-1"))
	h.decide("organiser", bulletin.DecideArbiters, bulletin.ArbitersBody{Arbiters: []string{h.key("player-1")}, Jury: []string{}})
	ruling := h.decide("player-1", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RulePenalty, About: bulletin.RulingSubject{Player: first.Number, Round: 1}, Points: []bulletin.PlayerPoints{{Player: first.Number, Points: 500}}, Grounds: []wire.Hash{}, Reason: "I was disturbed."})
	h.final()
	v := h.verify()
	now, _ := byKey(v, h.key("player-1"))
	testmust.Holdf(t, v.Verdict == event.VerdictAdjusted && now.Total == first.Total+500 && now.Layers[event.Ruled] == 500, "%s: %+v", v.Verdict, now)
	list := v.History.Rulings
	testmust.Holdf(t, len(list) == 1 && list[0].Decision.Hash == ruling && list[0].Decision.By == h.key("player-1"), "rulings: %+v", list)
	o := h.options()
	o.Without = event.LeftOutLayers{Ruled: true}
	without := testmust.Have(events.Verify(t.Context(), h, o))(h.t)
	got, _ := byKey(without, h.key("player-1"))
	testmust.Holdf(t, got.Total == first.Total && got.Rank == first.Rank, "without rulings %+v, it was %+v", got, first)
}

// byKey returns the line of a player in the standings.
func byKey(v *events.VerifiedEvent, key string) (s event.Standing, ok bool) {
	for _, s = range v.Standings {
		if s.Key == key {
			return s, true
		}
	}
	return event.Standing{}, false
}

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
