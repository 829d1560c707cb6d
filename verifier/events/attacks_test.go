package events_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
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
