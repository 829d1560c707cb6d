package verifier_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// speakingPolicy names some of the keepers, with the statement keys of the first few of them.
func speakingPolicy(t testing.TB, w *markstest.Table, keepers, lines int) *tlog.Policy {
	t.Helper()
	text := ""
	for i, k := range w.Keepers[:keepers] {
		text += fmt.Sprintf("witness keeper%d %s\n", i, k)
		if _, vkey := markstest.LineSigner(t, k.Name()); i < lines {
			text += fmt.Sprintf("# pakli keeper keeper%d %s\n", i, vkey)
		}
	}
	return testmust.Have(tlog.ParsePolicy([]byte(text + "quorum none\n")))(t)
}

// waiting is a table in which a seat owes a message that exists but is not in the log yet.
func waiting(t testing.TB, seed uint64, silence bool) (w *markstest.Table, late, other table.Seat, withheld []byte) {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	w = markstest.New(t, game, tabletest.Config{Seats: 3}, seed, func(g *wire.Genesis) { g.Clock.Silence = silence })
	w.PlayMoves(4, 10)
	late, other = w.LateSeat()
	withheld = testmust.Have(w.Next())(t)
	return w, late, other, withheld
}

func verify(t testing.TB, w *markstest.Table, p *tlog.Policy, held ...keeper.Message) *verifier.Report {
	t.Helper()
	o := optionsOf(w, p)
	o.Held = held
	return testmust.Have(verifier.Verify(t.Context(), w.Log, o))(t)
}

// The degree of a time-out must not exceed the policy: silence counts only by keys and keepers that
// the policy names, never by those that only the table names.
func TestDegreeSilent(t *testing.T) {
	w, late, other, _ := waiting(t, 70, true)
	w.PassTime(62)
	testmust.Do(t, w.Post(w.Claim(late, other)))
	for _, c := range []struct {
		keepers, lines int
		want           verifier.Degree
	}{{0, 0, verifier.Unattested}, {1, 1, verifier.Unattested}, {3, 0, verifier.Attested}, {3, 1, verifier.Attested}, {2, 2, verifier.Silent}, {3, 3, verifier.Silent}} {
		p := speakingPolicy(t, w, c.keepers, c.lines)
		testmust.Equal(t, (verify(t, w, p).Endings[0]).Degree, c.want, c.keepers, "keepers", c.lines, "lines")
		o := optionsOf(w, p)
		o.Time = verifier.Silent
		_, err := verifier.Verify(t.Context(), w.Log, o)
		testmust.Holdf(t, (err != nil) == (c.want != verifier.Silent), "%d keepers, %d lines, silence wanted: %v", c.keepers, c.lines, err)
	}
}

// A log withholds an honest seat's message, and a claim comes without silence. By the keepers the log
// did not have the message, which is true; once the message is there, the claim is void. A hold of
// one keeper of the policy reopens the claim, the report tells both sums, and nobody is at fault.
// (Attack 13)
func TestHoldReopens(t *testing.T) {
	w, late, other, withheld := waiting(t, 71, false)
	w.PassTime(40)
	held := w.Hold(withheld, 1)
	w.PassTime(22)
	tooLate := w.Hold(withheld, 2)
	testmust.Do(t, w.Post(w.Act(other, wire.KindTimeout, w.Clock(late).Claim)))
	w.Append(withheld)
	p := speakingPolicy(t, w, 3, 3)
	if r := verify(t, w, p); r.Verdict != verifier.Unfinished || r.Endings[0].Degree != verifier.Attested || r.Endings[0].IsOpen() || r.Voided != 1 || len(r.Findings) > 0 {
		t.Errorf("%+v", r)
	}
	r := verify(t, w, p, held)
	o := r.Endings[0].Reopened
	testmust.Requiref(t, o != nil && o.Keeper == "keeper1" && o.Since.Unix() == w.Now.Unix()-22 && r.HasOpenEnding() && r.Verdict == verifier.Unfinished && len(r.Findings) == 0,
		"%+v: %+v", r, o)
	got := r.WithoutOpen()
	testmust.Holdf(t, slices.Equal(got, []int{0, 0, 0}) && r.Endings[0].Points[late] == -80, "without it %v, with it %v", got, r.Endings[0].Points)
	altered := held
	altered.Lines = [][]byte{append([]byte{}, held.Lines[0]...)}
	altered.Lines[0][11]--
	other2 := held
	other2.Seat = int(other)
	for what, c := range map[string]struct {
		p *tlog.Policy
		m keeper.Message
	}{
		"no policy": {nil, held}, "a keeper that the policy does not name": {speakingPolicy(t, w, 1, 1), held},
		"a key that it does not name": {speakingPolicy(t, w, 3, 1), held}, "held too late": {p, tooLate},
		"an altered time": {p, altered}, "of another seat": {p, other2},
	} {
		r := verify(t, w, c.p, c.m)
		testmust.Holdf(t, r.Endings[0].Reopened == nil, "%s: reopened", what)
	}
	testmust.Do(t, w.Post(w.ByOrganiser(wire.KindBack, wire.EmptyBody{})))
	if r := verify(t, w, p, held); r.HasOpenEnding() || r.Endings[0].Reopened.Decided == nil {
		t.Errorf("decided, and open: %+v", r.Endings[0].Reopened)
	}
}

// A held message that breaks a rule, or is for another head, reopens nothing. Otherwise a late seat
// could have any message held.
func TestHoldOfNothing(t *testing.T) {
	w, late, other, withheld := waiting(t, 72, false)
	e := testmust.Have(wire.Parse(withheld))(t)
	m := *e.Message
	m.Proofs = append([][]byte{}, m.Proofs...)
	m.Body = []byte(`{}`)
	broken := testmust.Have(wire.Sign(&m, w.Hands[late].Signer))(t)
	m = *e.Message
	stranger := testmust.Have(wire.Sign(&m, w.Hands[other].Signer))(t)
	w.PassTime(62)
	claim := w.Act(other, wire.KindTimeout, w.Clock(late).Claim)
	w.Now = w.Now.Add(-40e9)
	list := []keeper.Message{w.Hold(broken, 0), w.Hold(stranger, 0)}
	w.Now = w.Now.Add(40e9)
	testmust.Do(t, w.Post(claim))
	for _, m := range list {
		r := verify(t, w, speakingPolicy(t, w, 3, 3), m)
		testmust.Holdf(t, r.Endings[0].Reopened == nil, "reopened by entry %s", m.Entry)
	}
}

// Keepers and the log together, one keeper and a quorum, act against an honest seat. One liar passes
// no claim. Two pass it, by name, and the third reopens it; what the liars said to the seat convicts
// them. (Pair server, keeper) (Attack 15)
func TestLyingKeepers(t *testing.T) {
	w, late, other, withheld := waiting(t, 73, true)
	w.PassTime(30)
	told := []keeper.Message{w.Hold(withheld, 0), w.Hold(withheld, 1), w.Hold(withheld, 2)}
	w.PassTime(32)
	body := w.Clock(late).Claim
	body.Silence = w.Silence(late, 0)
	fault := w.FaultOf(w.Act(other, wire.KindTimeout, body))
	testmust.Holdf(t, fault != nil && fault.Check == table.CheckSilence, "one liar: %v", fault)
	body.Silence = w.Silence(late, 0, 1)
	testmust.Do(t, w.Post(w.Act(other, wire.KindTimeout, body)))
	r := verify(t, w, speakingPolicy(t, w, 3, 3), told[2])
	e := r.Endings[0]
	testmust.Holdf(t, e.Degree == verifier.Silent && e.IsOpen() && e.Reopened.Keeper == "keeper2" && len(r.Findings) == 0, "%+v, %+v", e, e.Reopened)
	for k, line := range body.Silence {
		e := exchange.Evidence{Key: w.State.Genesis().Clock.Lines[k], Place: told[k].Place, Entry: told[k].Entry, Hold: told[k].Lines[0], Silence: line}
		_, _, err := e.Check()
		testmust.Do(t, err, "keeper", k)
	}
}

// A keeper dates the mark from which the time counts too early. Its own silence is late by its own
// clock long before the seat is, and counts for nothing while the other clocks disagree.
func TestLateCosigner(t *testing.T) {
	w, late, other, _ := waiting(t, 74, true)
	w.Wrong[2] = func(now time.Time) time.Time { return now.Add(-20 * time.Second) }
	w.Mark()
	w.Wrong[2] = nil
	w.PassTime(45)
	claim := func() *table.Fault {
		return w.FaultOf(w.Claim(late, other))
	}
	fault := claim()
	testmust.Holdf(t, fault != nil && fault.Check == table.CheckOver, "45 s, 64 by one keeper: %v", fault)
	w.PassTime(17)
	fault = claim()
	testmust.Holdf(t, fault == nil, "62 s: %v", fault)
}

// A keeper held a message on a branch and the log withheld it. It reopens the time-out only if the
// log has the branch.
func TestReopenedOnABranch(t *testing.T) {
	for _, logged := range []bool{true, false} {
		game, _ := games.Lookup("schwarzer-peter/v1")
		w := markstest.New(t, game, tabletest.Config{Seats: 3}, 72, nil)
		signs := func(on *table.State, seat table.Seat) []byte {
			return testmust.Have(w.Hands[seat].SignMessage(on, on.DutiesOf(seat)[0], nil, w.Random))(t)
		}
		branch := signs(w.State, 1)
		shown := testmust.Have(w.State.Apply(testmust.Have(wire.Parse(branch))(t), table.Facts{}))(t)
		held := w.Hold(signs(shown, 2), 0)
		testmust.Do(t, w.Post(signs(w.State, 0)))
		if logged {
			w.Post(branch)
		}
		w.PassTime(302)
		testmust.Do(t, w.Post(w.Act(0, wire.KindTimeout, w.Clock(2).Claim)))
		got := verify(t, w, speakingPolicy(t, w, 3, 3), held).Endings[0].Reopened
		testmust.Holdf(t, (got != nil) == logged, "the log has the branch: %v; reopened: %+v", logged, got)
	}
}

// byOrganiser returns a claim that the organiser signs.
func byOrganiser(w *markstest.Table, late table.Seat, silence [][]byte) []byte {
	body := w.Clock(late).Claim
	body.Silence = silence
	return w.ByOrganiser(wire.KindTimeout, body)
}

// The log withholds what an honest seat signs, and the organiser claims that the seat is late, then
// closes the table. Keepers hold the message, so no claim passes. The organiser closes the table by
// name, and the seat pays nothing. (Pair organiser, server) (Attack 12)
func TestOrganiserAndLogTimeOut(t *testing.T) {
	w, late, _, withheld := waiting(t, 80, true)
	w.PassTime(30)
	list := []keeper.Message{w.Hold(withheld, 0), w.Hold(withheld, 1), w.Hold(withheld, 2)}
	w.PassTime(40)
	claim := byOrganiser(w, late, [][]byte{})
	fault := w.FaultOf(claim)
	testmust.Holdf(t, fault != nil && fault.Check == table.CheckSilence, "no keeper is silent: %v", fault)
	w.Append(claim)
	testmust.Do(t, w.Post(w.ByOrganiser(wire.KindClose, wire.CloseBody{Reason: "Nobody there."})))
	w.Append(withheld)
	r := verify(t, w, speakingPolicy(t, w, 3, 3), list...)
	organiser := w.State.Genesis().Organiser
	testmust.Holdf(t, r.Verdict == verifier.Adjudicated && len(r.Endings) == 1 && r.Endings[0].Kind == wire.KindClose && r.Endings[0].By == organiser && len(r.Findings) == 0 && r.Stopped == nil,
		"%s: %+v", r.Verdict, r.Endings)
	testmust.Holdf(t, r.Result != nil && r.Result[late] == 0, "the seat pays: %v", r.Result)
}

// One keeper of three lies for the organiser. It dates marks early and states silence about messages
// that it holds. No claim passes. (Pair organiser, keeper)
func TestOrganiserAndOneKeeper(t *testing.T) {
	w, late, _, withheld := waiting(t, 81, true)
	w.Wrong[0] = func(now time.Time) time.Time { return now.Add(-time.Hour) }
	w.Mark()
	w.Wrong[0] = nil
	w.PassTime(20)
	told := w.Hold(withheld, 0)
	w.PassTime(1)
	silence := w.Silence(late, 0)
	for _, lines := range [][][]byte{{}, silence, append(silence, silence...), append(silence, silence[0], silence[0])} {
		fault := w.FaultOf(byOrganiser(w, late, lines))
		testmust.Holdf(t, fault != nil && fault.Class == table.Void, "%d lines of one keeper: %v", len(lines), fault)
	}
	w.PassTime(62) // still so later, since by the other clocks the seat owes nothing
	fault := w.FaultOf(byOrganiser(w, late, w.Silence(late, 0)))
	testmust.Holdf(t, fault != nil && fault.Check == table.CheckSilence, "silence of one: %v", fault)
	e := exchange.Evidence{Key: w.State.Genesis().Clock.Lines[0], Place: told.Place, Entry: told.Entry, Hold: told.Lines[0], Silence: silence[0]}
	_, _, err := e.Check()
	testmust.Do(t, err, "the keeper is not convicted")
}

// The organiser names keepers of his own, all of whom lie. They time out an honest seat, by name. For
// a reader who does not know them the time-out is unattested, and a reader who requires attested
// times cannot check the table. (Pair organiser, keeper)
func TestOrganiserNamesHisKeepers(t *testing.T) {
	w, late, _, _ := waiting(t, 82, true)
	for i := range w.Wrong {
		w.Wrong[i] = func(now time.Time) time.Time { return now.Add(-time.Hour) }
	}
	w.Mark()
	for i := range w.Wrong {
		w.Wrong[i] = nil
	}
	w.PassTime(16)
	testmust.Do(t, w.Post(byOrganiser(w, late, w.Silence(late))))
	strangers := speakingPolicy(t, w, 0, 0)
	r := verify(t, w, strangers)
	e := r.Endings[0]
	testmust.Holdf(t, e.Degree == verifier.Unattested && len(e.Keepers) == 3 && len(r.Findings) == 0, "%+v", e)
	o := optionsOf(w, strangers)
	o.Time = verifier.Attested
	testmust.Fail(t, testmust.ErrorOf(verifier.Verify(t.Context(), w.Log, o)), "attested by strangers")
}

// A player claims against an honest seat with the help of one keeper: by a mark that only this keeper
// has cosigned, or by its silence alone. Both are void. (Pair player, keeper)
func TestPlayerAndKeeperAgainstAnother(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 83, func(g *wire.Genesis) { g.Clock.Silence = true })
	w.PlayMoves(4, 10)
	late, other := w.LateSeat()
	first := w.Mark(w.Keepers[0])
	head := w.State.Head()
	w.Now = w.Now.Add(90 * time.Second)
	last := w.Mark(w.Keepers[0])
	claim := wire.TimeoutBody{Seat: int(late), Seen: first, Spans: []wire.Span{{Since: head, From: first, To: last}}, Silence: w.Silence(late, 0)}
	fault := w.FaultOf(w.Act(other, wire.KindTimeout, claim))
	testmust.Holdf(t, fault != nil && fault.Check == table.CheckTimes, "times of one keeper: %v", fault)
}

// A late player has a keeper that says afterwards that it held the message in time. The time-out is
// reopened by the keeper's name, with both sums, and the verdict stays. Since that keeper also stated
// silence, its two statements convict it. (Pair player, keeper)
func TestLatePlayerAndKeeper(t *testing.T) {
	w, late, other, message := waiting(t, 84, true)
	w.PassTime(62)
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
	testmust.Holdf(t, e.Degree == verifier.Silent && e.IsOpen() && e.Reopened.Keeper == "keeper2" && r.Verdict == before.Verdict && !slices.Equal(r.WithoutOpen(), r.Sheet.Sums(3)) && len(r.Findings) == 0,
		"%+v: %+v", e, e.Reopened)
	convicts := exchange.Evidence{Key: w.State.Genesis().Clock.Lines[2], Place: lie.Place, Entry: lie.Entry, Hold: lie.Lines[0], Silence: body.Silence[2]}
	_, _, err := convicts.Check()
	testmust.Do(t, err, "the keeper is not convicted")
}

// stopped is a table with a late seat. The claim is the last entry of its log.
func stopped(t testing.TB) (w *markstest.Table, claim []byte) {
	t.Helper()
	game, _ := games.Lookup("schwarzer-peter/v1")
	w = markstest.New(t, game, tabletest.Config{Seats: 3}, 60, nil)
	w.PlayMoves(4, 10)
	late, other := w.LateSeat()
	w.PassTime(62)
	claim = w.Act(other, wire.KindTimeout, w.Clock(late).Claim)
	testmust.Do(t, w.Post(claim))
	return w, claim
}

func optionsOf(w *markstest.Table, p *tlog.Policy) verifier.Options {
	return verifier.Options{Table: w.State.ID(), Log: []note.Verifier{w.Key}, Catalogue: w.Catalogue(), Policy: p}
}

// The report gives a time-out the wrong degree: it confuses unknown keepers with those of the policy,
// or omits the time-out.
func TestDegreesOfTimeouts(t *testing.T) {
	w, _ := stopped(t)
	for keepers, want := range map[int]verifier.Degree{0: verifier.Unattested, 1: verifier.Unattested, 2: verifier.Attested, 3: verifier.Attested} {
		r := testmust.Have(verifier.Verify(t.Context(), w.Log, optionsOf(w, speakingPolicy(t, w, keepers, 0))))(t)
		testmust.Requiref(t, r.Verdict == verifier.Unfinished && r.Stopped != nil && len(r.Endings) == 1, "%d keepers: %+v", keepers, r)
		e := r.Endings[0]
		testmust.Holdf(t, e.Degree == want && (want != verifier.Attested || len(e.Keepers) == keepers && e.Keepers[0] == "keeper0") && (want != verifier.Unattested || len(e.Keepers) == 3),
			"%d keepers: %s by %v, want %s", keepers, e.Degree, e.Keepers, want)
		o := optionsOf(w, speakingPolicy(t, w, keepers, 0))
		o.Time = verifier.Attested
		_, err := verifier.Verify(t.Context(), w.Log, o)
		testmust.Equal(t, err != nil, want == verifier.Unattested, keepers, "keepers", err)
	}
	all, err := tableset.VerifyTables(t.Context(), w.Log, tableset.Options{Options: optionsOf(w, speakingPolicy(t, w, 3, 0)), Workers: 2})
	testmust.Holdf(t, err == nil && len(all.Tables) == 1 && all.Tables[0].Err == nil && all.Tables[0].Stopped != nil && all.Tables[0].Endings[0].Degree == verifier.Attested,
		"of all tables: %+v, %v", all, err)
}

// A log that signs another history for a mark convicts itself, whoever wrote the mark, and no seat is
// to blame. (Attack 3)
func TestMarkOfAFork(t *testing.T) {
	w, _ := stopped(t)
	var signed tlog.Checkpoint
	log, key := forking(t, w, &signed)
	o := optionsOf(w, nil)
	o.Log = []note.Verifier{key}
	r := testmust.Have(verifier.Verify(t.Context(), log, o))(t)
	testmust.Holdf(t, r.Verdict == verifier.LogBroken && r.Findings[0].Check == verifier.CheckHistory && errors.Is(r.Findings[0].Err, tlog.ErrForked),
		"%s: %+v", r.Verdict, r.Findings)
}

// forking is the same log with a key that also signed another root for its first entries, and with a
// mark of that root.
func forking(t *testing.T, w *markstest.Table, signed *tlog.Checkpoint) (*ledgertest.Memory, note.Verifier) {
	t.Helper()
	skey, vkey, err := note.GenerateKey(strings.NewReader(strings.Repeat("fork", 20)), markstest.Origin)
	testmust.Do(t, err)
	signer := testmust.Have(note.NewSigner(skey))(t)
	key := testmust.Have(note.NewVerifier(vkey))(t)
	log := testmust.Have(ledgertest.NewMemoryOf(signer))(t)
	for _, entry := range w.Entries {
		testmust.Have(log.Append(t.Context(), entry))(t)
	}
	*signed = testmust.Have(tlog.SignCheckpoint(2, tlog.LeafHash([]byte("another history")), signer))(t)
	testmust.Have(log.Append(t.Context(), markstest.SignMark(t, *signed)))(t)
	return log, key
}

// A bundle lacks the times of its claims, or has others. It gives the same verdict as the log, or
// cannot be checked.
func TestBundleWithMarks(t *testing.T) {
	w, _ := stopped(t)
	b := testmust.Have(bundle.Collect(t.Context(), w.Log, w.State.ID(), bundle.Keys{Log: []*tlog.VerifierKey{w.Key}}))(t)
	file := b.Marshal()
	testmust.Requiref(t, bytes.HasPrefix(file, []byte(bundle.Format2+"\n")) && len(b.Marks) >= 2, "%d marks in a %.20q", len(b.Marks), file)
	parsed := testmust.Have(bundle.Parse(file))(t)
	testmust.Hold(t, bytes.Equal(parsed.Marshal(), file), "read and written it is another file")
	o := tableset.AgainstOptions{Options: optionsOf(w, speakingPolicy(t, w, 3, 0))}
	r, err := tableset.VerifyAgainst(t.Context(), bundle.Reader{Bundle: parsed}, o)
	testmust.Holdf(t, err == nil && r.Verdict == verifier.Unfinished && r.Stopped != nil && r.Endings[0].Degree == verifier.Attested,
		"the bundle: %+v, %v", r, err)
	without := *b
	without.Marks = b.Marks[1:]
	testmust.Fail(t, testmust.ErrorOf(bundle.New(without)), "a mark is left out, and the hashes prove the rest")
	turned := append([]bundle.Mark{}, b.Marks...)
	slices.Reverse(turned)
	without.Marks = turned
	testmust.Fail(t, testmust.ErrorOf(bundle.New(without)), "marks in another order are taken")
	for at := 0; at < len(file); at += 7 {
		altered := bytes.Clone(file)
		altered[at] ^= 1
		testmust.Fail(t, testmust.ErrorOf(bundle.Parse(altered)), "byte", at, "altered, and it is read")
	}
}

// A bundle from before the claim has no marks, and has the first version.
func TestBundleWithoutClaims(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 61, nil)
	w.PlayMoves(2, 10)
	b, err := bundle.Collect(t.Context(), w.Log, w.State.ID(), bundle.Keys{Log: []*tlog.VerifierKey{w.Key}})
	testmust.Holdf(t, err == nil && bytes.HasPrefix(b.Marshal(), []byte(bundle.Format+"\n")), "%v", err)
}

// Every byte of a claim, and of a mark that it names, is altered. Nobody is late by the result or to
// blame, and the log is not broken.
func TestMutantsOfTime(t *testing.T) {
	w, claim := stopped(t)
	entries := all(t, w.Log)
	named := bundle.NamedMarks([]bundle.Entry{{Bytes: claim}})
	at := slices.IndexFunc(entries, func(e []byte) bool { return wire.HashEntry(e) == named[len(named)-1] })
	testmust.Require(t, at >= 0, "the log does not have the mark")
	survivors, mutants := 0, 0
	for _, place := range []int{at, len(entries) - 1} {
		for i := range testmust.ChosenIndexes(t, len(entries[place]), 30) {
			mutant := replaced(entries, place, flipped(entries[place], i))
			r := replayed(t, w, mutant)
			if mutants++; r.Verdict != verifier.Unfinished || r.Stopped != nil {
				survivors++
				t.Errorf("entry %d, byte %d: %s, %+v", place, i, r.Verdict, r.Findings)
			}
		}
	}
	t.Logf("%d mutants, %d survivors", mutants, survivors)
}

// replayed verifies the entries of a table at their places, without the cost of a log.
func replayed(t *testing.T, w *markstest.Table, entries [][]byte) *verifier.Report {
	t.Helper()
	times := marks.New(w.Key)
	tables := verifier.NewTables(optionsOf(w, nil), nil, times.Mark, 1)
	for i, e := range entries {
		l := leafOf(uint64(i), e)
		times.Take(l.Index, tlog.Hash(l.Hash), e)
		if l.Table == w.State.ID() {
			tables.Take(l)
		}
	}
	tables.Settle()
	testmust.Do(t, times.Contradiction(tlog.Checkpoint{}))
	r := tables.ResultOf(w.State.ID(), verifier.NewReport(wire.Hash{}, nil))
	testmust.Require(t, r.Err == nil, r.Err)
	return r.Report
}

func all(t *testing.T, log tlog.EntryReader) (list [][]byte) {
	t.Helper()
	c := testmust.Have(log.Checkpoint(context.Background()))(t)
	for e, err := range log.Entries(context.Background(), 0, c.Size) {
		testmust.Do(t, err)
		list = append(list, bytes.Clone(e))
	}
	return list
}

func leafOf(index uint64, entry []byte) replay.Leaf {
	return replay.NewLeaf(index, wire.HashEntry(entry), entry)
}
