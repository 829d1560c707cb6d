package verifier_test

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

// stopped is a table of which a seat was late: the claim is the last entry of its log.
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

// A time-out that is told as something else than it is: by keepers whom nobody knows as by
// those of the policy, or not at all.
func TestDegreesOfTimeouts(t *testing.T) {
	w, _ := stopped(t)
	for keepers, want := range map[int]verifier.Degree{0: verifier.Unattested, 1: verifier.Unattested, 2: verifier.Attested, 3: verifier.Attested} {
		r := testmust.Have(verifier.Verify(t.Context(), w.Log, optionsOf(w, speakingPolicy(t, w, keepers, 0))))(t)
		testmust.Requiref(t, r.Verdict == verifier.Unfinished && r.Stopped != nil && len(r.Endings) == 1, "%d keepers: %+v", keepers, r)
		e := r.Endings[0]
		if e.Degree != want || want == verifier.Attested && (len(e.Keepers) != keepers || e.Keepers[0] != "keeper0") || want == verifier.Unattested && len(e.Keepers) != 3 {
			t.Errorf("%d keepers: %s by %v, want %s", keepers, e.Degree, e.Keepers, want)
		}
		o := optionsOf(w, speakingPolicy(t, w, keepers, 0))
		o.Time = verifier.Attested
		_, err := verifier.Verify(t.Context(), w.Log, o)
		testmust.Equal(t, err != nil, want == verifier.Unattested, keepers, "keepers", err)
	}
	all, err := tableset.VerifyTables(t.Context(), w.Log, tableset.Options{Options: optionsOf(w, speakingPolicy(t, w, 3, 0)), Workers: 2})
	if err != nil || len(all.Tables) != 1 || all.Tables[0].Err != nil || all.Tables[0].Stopped == nil || all.Tables[0].Endings[0].Degree != verifier.Attested {
		t.Errorf("of all tables: %+v, %v", all, err)
	}
}

// A log that signs another history for a mark: it convicts itself, whoever put the mark in, and
// no seat is to blame. (Attack 3)
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

// forking is the log again, by a key that has signed another root for its first entries too,
// and has a mark of that.
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

// A bundle that lacks the times of its claims, or has others: what it says is what the log
// says, or it cannot be checked.
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

// A bundle from before the claim has no marks, and is of the first version.
func TestBundleWithoutClaims(t *testing.T) {
	game, _ := games.Lookup("schwarzer-peter/v1")
	w := markstest.New(t, game, tabletest.Config{Seats: 3}, 61, nil)
	w.PlayMoves(2, 10)
	b, err := bundle.Collect(t.Context(), w.Log, w.State.ID(), bundle.Keys{Log: []*tlog.VerifierKey{w.Key}})
	testmust.Holdf(t, err == nil && bytes.HasPrefix(b.Marshal(), []byte(bundle.Format+"\n")), "%v", err)
}

// Every byte of a claim, and of a mark that it names, altered: nobody is late by it, nobody is
// to blame, and the log is not broken.
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

// replayed is the table of entries at their places, without the cost of a log.
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
