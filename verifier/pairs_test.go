package verifier_test

import (
	"slices"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/held"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// byOrganiser is a claim that the organiser signs.
func byOrganiser(w *markstest.Table, late table.Seat, silence [][]byte) []byte {
	body := w.Clock(late).Claim
	body.Silence = silence
	return w.ByOrganiser(wire.KindTimeout, body)
}

// The log keeps back what an honest seat signs, and the organiser claims that it is late, then
// closes the table. Keepers hold the message, so no claim passes; the table is closed by the
// organiser, by name, and the seat pays nothing. (Pair organiser, server) (Attack 12)
func TestOrganiserAndLogTimeOut(t *testing.T) {
	w, late, _, withheld := waiting(t, 80, true)
	w.Pass(30)
	list := []keeper.Message{w.Hold(withheld, 0), w.Hold(withheld, 1), w.Hold(withheld, 2)}
	w.Pass(40)
	claim := byOrganiser(w, late, [][]byte{})
	if fault := w.Judged(claim); fault == nil || fault.Check != table.CheckSilence {
		t.Errorf("no keeper is silent: %v", fault)
	}
	w.Append(claim)
	testmust.Do(t, w.Post(w.ByOrganiser(wire.KindClose, wire.CloseBody{Reason: "Nobody there."})))
	w.Append(withheld)
	r := verify(t, w, speakingPolicy(t, w, 3, 3), list...)
	organiser := w.State.Genesis().Organiser
	if r.Verdict != verifier.Adjudicated || len(r.Endings) != 1 || r.Endings[0].Kind != wire.KindClose || r.Endings[0].By != organiser || len(r.Findings) > 0 || r.Stopped != nil {
		t.Errorf("%s: %+v", r.Verdict, r.Endings)
	}
	if r.Result == nil || r.Result[late] != 0 {
		t.Errorf("the seat pays: %v", r.Result)
	}
}

// One keeper of three lies for the organiser: it dates marks early, and is silent of what it holds.
// No claim passes, whatever it says. (Pair organiser, keeper)
func TestOrganiserAndOneKeeper(t *testing.T) {
	w, late, _, withheld := waiting(t, 81, true)
	w.Wrong[0] = func(now time.Time) time.Time { return now.Add(-time.Hour) }
	w.Mark()
	w.Wrong[0] = nil
	w.Pass(20)
	told := w.Hold(withheld, 0)
	w.Pass(1)
	silence := w.Silence(late, 0)
	for _, lines := range [][][]byte{{}, silence, append(silence, silence...), append(silence, silence[0], silence[0])} {
		if fault := w.Judged(byOrganiser(w, late, lines)); fault == nil || fault.Class != table.Void {
			t.Errorf("%d lines of one keeper: %v", len(lines), fault)
		}
	}
	w.Pass(62) // and later the same, since the seat owes nothing to the clock of the others
	if fault := w.Judged(byOrganiser(w, late, w.Silence(late, 0))); fault == nil || fault.Check != table.CheckSilence {
		t.Errorf("silence of one: %v", fault)
	}
	e := held.Evidence{Key: w.State.Genesis().Clock.Lines[0], Place: told.Place, Entry: told.Entry, Hold: told.Lines[0], Silence: silence[0]}
	_, _, err := e.Check()
	testmust.Do(t, err, "the keeper is not convicted")
}

// The organiser names keepers that are his own, all of whom lie. An honest seat is timed out by
// them, by name, and to whom they are strangers the time-out is unattested: who wants an attested
// time cannot check the table. (Pair organiser, keeper)
func TestOrganiserNamesHisKeepers(t *testing.T) {
	w, late, _, _ := waiting(t, 82, true)
	for i := range w.Wrong {
		w.Wrong[i] = func(now time.Time) time.Time { return now.Add(-time.Hour) }
	}
	w.Mark()
	for i := range w.Wrong {
		w.Wrong[i] = nil
	}
	w.Pass(16)
	testmust.Do(t, w.Post(byOrganiser(w, late, w.Silence(late))))
	strangers := speakingPolicy(t, w, 0, 0)
	r := verify(t, w, strangers)
	if e := r.Endings[0]; e.Degree != verifier.Unattested || len(e.Keepers) != 3 || len(r.Findings) > 0 {
		t.Errorf("%+v", e)
	}
	o := optionsOf(w, strangers)
	o.Time = verifier.Attested
	testmust.Fail(t, testmust.ErrorOf(verifier.Verify(t.Context(), w.Log, o)), "attested by strangers")
}

// A player claims against an honest seat with the help of one keeper: by a mark that it alone has
// cosigned, by its silence alone. Both are void. (Pair player, keeper)
func TestPlayerAndKeeperAgainstAnother(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 83, func(g *wire.Genesis) { g.Clock.Silence = true })
	w.Moves(4, 10)
	late, other := w.Late()
	first := w.Mark(w.Keepers[0])
	head := w.State.Head()
	w.Now = w.Now.Add(90 * time.Second)
	last := w.Mark(w.Keepers[0])
	claim := wire.TimeoutBody{Seat: int(late), Seen: first, Spans: []wire.Span{{Since: head, From: first, To: last}}, Silence: w.Silence(late, 0)}
	if fault := w.Judged(w.Act(other, wire.KindTimeout, claim)); fault == nil || fault.Check != table.CheckTimes {
		t.Errorf("times of one keeper: %v", fault)
	}
}

// A player who is late has a keeper who says, afterwards, that it held the message in time. The
// time-out is reopened, by the keeper's name, with both sums, and the verdict stays; and since that
// keeper was silent too, its two lines convict it. (Pair player, keeper)
func TestLatePlayerAndKeeper(t *testing.T) {
	w, late, other, message := waiting(t, 84, true)
	w.Pass(62)
	body := w.Clock(late).Claim
	body.Silence = w.Silence(late)
	testmust.Do(t, w.Post(w.Act(other, wire.KindTimeout, body)))
	p := speakingPolicy(t, w, 3, 3)
	before := verify(t, w, p)
	w.Now = w.Now.Add(-40 * time.Second)
	lie := w.Hold(message, 2)
	w.Now = w.Now.Add(40 * time.Second)
	r := verify(t, w, p, lie)
	e := r.Endings[0]
	if e.Degree != verifier.Silent || !e.Open() || e.Reopened.Keeper != "keeper2" || r.Verdict != before.Verdict || slices.Equal(r.WithoutOpen(), r.Sheet.Sums(3)) || len(r.Findings) > 0 {
		t.Errorf("%+v: %+v", e, e.Reopened)
	}
	convicts := held.Evidence{Key: w.State.Genesis().Clock.Lines[2], Place: lie.Place, Entry: lie.Entry, Hold: lie.Lines[0], Silence: body.Silence[2]}
	_, _, err := convicts.Check()
	testmust.Do(t, err, "the keeper is not convicted")
}
