package bundle_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
)

//go:generate go test -run TestVectors -update .

const vectorFolder = "../../docs/spec/vectors/bundle"

// A vector is a bundle with its expected result (docs/spec/85-bundle.md, 85.8). A negative vector has
// one fault.
type vector struct {
	File    string   `json:"file"`
	Log     []string `json:"log"` // keys of the reader
	Policy  string   `json:"policy,omitempty"`
	Against string   `json:"against,omitempty"` // another file
	Outcome string   `json:"outcome"`           // a verdict, or "cannot check"
	Check   string   `json:"check,omitempty"`
	Error   string   `json:"error,omitempty"` // part of it
	Comment string   `json:"comment"`

	bytes []byte
}

// scene holds what the vectors are made from.
type scene struct {
	t                   testing.TB
	log, other          *tlog.SignerKey // the log's key, and an unknown log's
	cosigner, bystander *tlog.SignerKey
	mine, theirs        *tabletest.Table
	history             *history
	honest              *bundle.Bundle
	list                []vector
}

func newScene(t testing.TB) *scene {
	s := &scene{t: t,
		log: key(t, "log.example", tlog.Ed25519, 1), other: key(t, "log.example", tlog.Ed25519, 2),
		cosigner: key(t, "cosigner.example", tlog.Ed25519Cosignature, 3), bystander: key(t, "bystander.example", tlog.Ed25519Cosignature, 4),
		mine: play(t, realSuite(t), 11, 3), theirs: play(t, realSuite(t), 12, 2),
	}
	s.history = newHistory(t, s.around(s.mine.Entries), s.log, s.cosigner)
	s.honest = collect(t, s.history, s.mine.State.ID())
	return s
}

func realSuite(t testing.TB) proof.Suite {
	t.Helper()
	r, _ := suite.Lookup("ristretto255-bayergroth/v1")
	return r
}

// around puts entries of the other table among those of a table.
func (s *scene) around(entries [][]byte) [][]byte { return between(entries, s.theirs.Entries...) }

func (s *scene) add(name, outcome, check, err, comment string, file []byte, more ...func(*vector)) {
	v := vector{File: name + ".pakli", Log: []string{s.log.String()}, Outcome: outcome, Check: check, Error: err, Comment: comment, bytes: file}
	for _, change := range more {
		change(&v)
	}
	s.list = append(s.list, v)
}

const cannot = "cannot check"

// edited adds a vector with one change in the file's text.
func (s *scene) edited(name string, check bundle.Check, err, comment, old, new string) {
	s.t.Helper()
	file := s.honest.Marshal()
	testmust.Requiref(s.t, bytes.Count(file, []byte(old)) != 0, "%s: %q is not in the bundle", name, old)
	s.add(name, cannot, string(check), err, comment, bytes.Replace(file, []byte(old), []byte(new), 1))
}

// sealed adds a vector with changed content and a manifest that matches it.
func (s *scene) sealed(name string, check bundle.Check, err, comment string, change func(*bundle.Bundle)) {
	b := *s.honest
	b.Entries, b.Hashes = slices.Clone(b.Entries), slices.Clone(b.Hashes)
	change(&b)
	s.add(name, cannot, string(check), err, comment, b.Seal(s.honest))
}

func vectors(t testing.TB) []vector {
	s := newScene(t)
	s.positives()
	s.formal()
	s.parts()
	s.mixtures()
	s.proofs()
	s.believing()
	s.omissions()
	s.silences()
	return s.list
}

func (s *scene) positives() {
	s.add("unfinished", "unfinished", "", "", "a table that has begun", s.honest.Marshal())
	policy := fmt.Sprintf("log %s\nwitness c %s\nquorum c\n", s.log, s.cosigner)
	s.add("cosigned", "unfinished", "", "", "the same, for a reader with a policy", s.honest.Marshal(), func(v *vector) { v.Policy = policy })
	alone := newHistory(s.t, s.mine.Entries[:1], s.log)
	s.add("alone", "unfinished", "", "", "a log of one entry: there are no hashes", collect(s.t, alone, s.mine.State.ID()).Marshal())
	again := newHistory(s.t, s.around(append(slices.Clone(s.mine.Entries), s.mine.Entries[0])), s.log)
	s.add("begun-again", "unfinished", "", "", "the log has the genesis entry twice: the second one is void, and counted", collect(s.t, again, s.mine.State.ID()).Marshal())
	early := newHistory(s.t, s.around(append([][]byte{s.mine.Entries[1]}, s.mine.Entries...)), s.log)
	s.add("message-before", "unfinished", "", "", "the log has a message of the table before its genesis entry: the bundle does not", collect(s.t, early, s.mine.State.ID()).Marshal())
	whole := play(s.t, realSuite(s.t), 13, -1)
	s.add("sound", "sound", "", "", "a whole game", collect(s.t, newHistory(s.t, s.around(whole.Entries), s.log), whole.State.ID()).Marshal())
	foul := testmust.Have(s.mine.Forge(s.mine.Entries[1], func(m *wire.Message) { m.Proofs[0] = append(m.Proofs[0], 0) }))(s.t)
	h := newHistory(s.t, s.around([][]byte{s.mine.Entries[0], foul}), s.log)
	s.add("foul", "foul", string(table.CheckOwnership), "", "a seat's key with a proof that is a byte too long", collect(s.t, h, s.mine.State.ID()).Marshal())
	blobs := newHistory(s.t, s.around(append(slices.Clone(s.mine.Entries), withBlob(s.t, s.mine))), s.log)
	b := collect(s.t, blobs, s.mine.State.ID())
	s.add("blob", "foul", "", "", "a message with a blob, which holds no proof", b.Marshal())
	without := *b
	without.Blobs = nil
	s.add("blob-missing", cannot, "", "not at hand", "the same without its blob (85.1): the bundle is in order, the table cannot be checked", without.Seal(b))
	twice := *b
	twice.Blobs = append(slices.Clone(b.Blobs), b.Blobs[0])
	s.add("blob-twice", cannot, string(bundle.CheckOrder), "twice", "a blob twice", twice.Seal(b))
	stranger := *b
	stranger.Blobs = append(slices.Clone(b.Blobs), []byte("not named"))
	s.add("blob-unnamed", cannot, string(bundle.CheckTable), "no entry names it", "a blob that no entry names", stranger.Seal(b))
}

func (s *scene) formal() {
	first := fmt.Sprintf("entry %d ", s.honest.Entries[0].Index)
	const b1 = bundle.CheckManifest
	s.edited("format", b1, "line 1", "another format", "pakli-bundle/v1", "pakli-bundle/v2")
	s.edited("table-upper", b1, "line 2", "a hash in upper case", "table "+s.honest.Table.String(), "table "+strings.ToUpper(s.honest.Table.String()))
	s.edited("index-zero", b1, "is no number", "a leading zero", "\n"+first, strings.Replace("\n"+first, "entry ", "entry 0", 1))
	s.edited("space", b1, "", "two spaces", "\nentries ", "\nentries  ")
	s.edited("return", b1, "", "a carriage return", "\nentries 4\n", "\nentries 4\r\n")
	s.edited("count-high", b1, "", "an entry less than the manifest says", "\nentries 4\n", "\nentries 5\n")
	s.edited("count-low", b1, "", "an entry more than the manifest says", "\nentries 4\n", "\nentries 3\n")
	s.edited("count-huge", b1, "at most", "more entries than a bundle may have", "\nentries 4\n", "\nentries 1048577\n")
	s.edited("key-twice", b1, "ascending", "a key twice", "\nlog "+s.log.String(), "\nlog "+s.log.String()+"\nlog "+s.log.String())
	s.edited("key-id", b1, "verifier key", "a key whose ID is not its own", "\nlog log.example+", "\nlog log.example+0")
	s.edited("key-missing", b1, `want "log"`, "no key of the log", "\nlog "+s.log.String(), "")
	s.edited("key-cosigner", b1, "is a cosigner's", "a cosigner's key as the log's", "\nlog "+s.log.String(), "\nlog "+s.cosigner.String())
	s.edited("cosigner-log", b1, "is a log's", "the log's key as a cosigner's", "\ncosigner "+s.cosigner.String(), "\ncosigner "+s.log.String())
	s.edited("root-unpadded", b1, "is not a root", "a root without its padding", "\nroot "+s.honest.Checkpoint.Root.String(), "\nroot "+strings.TrimRight(s.honest.Checkpoint.Root.String(), "="))
	s.edited("no-blobs", b1, "", "a line is missing", "\nblobs 0\n", "\n")
	file := s.honest.Marshal()
	s.add("cut-manifest", cannot, string(bundle.CheckLength), "ends in the manifest", "cut in the manifest", file[:200])
	s.add("cut", cannot, string(bundle.CheckLength), "ends in it", "cut in the last entry", file[:len(file)-1])
	s.add("longer", cannot, string(bundle.CheckLength), "1 bytes follow", "a byte behind the end", append(bytes.Clone(file), '\n'))
	s.add("empty", cannot, string(bundle.CheckLength), "line 1", "an empty file", nil)
}

// parts adds vectors whose parts are altered and whose lines are not.
func (s *scene) parts() {
	const b3 = bundle.CheckHash
	manifest := len(s.honest.Manifest()) + 1
	alter := func(name, place, comment string, at int) {
		file := s.honest.Marshal()
		file[at] ^= 1
		s.add(name, cannot, string(b3), place, comment, file)
	}
	hashes := manifest + len(s.honest.Checkpoint.Note)
	entries := hashes + 32*len(s.honest.Hashes)
	alter("checkpoint-altered", "checkpoint", "a bit of the checkpoint", hashes-2)
	alter("hash-altered", "hashes", "a bit of a hash", hashes)
	alter("entry-altered", "entry 1", "a bit of an entry", entries+50)
	one, two := s.honest.Entries[0].Bytes, s.honest.Entries[1].Bytes
	s.edited("entries-swapped", b3, "entry 1", "two entries in each other's place", string(one)+string(two), string(two)+string(one))
	s.sealed("entries-descending", bundle.CheckOrder, "comes after", "two entries and their lines in each other's place", func(b *bundle.Bundle) {
		b.Entries[1], b.Entries[2] = b.Entries[2], b.Entries[1]
	})
	s.sealed("entry-twice", bundle.CheckOrder, "twice", "an entry twice", func(b *bundle.Bundle) { b.Entries = slices.Insert(b.Entries, 1, b.Entries[1]) })
	s.sealed("index-beyond", bundle.CheckOrder, "the log had", "an index beyond the log", func(b *bundle.Bundle) { b.Entries[3].Index = b.Checkpoint.Size })
}

// mixtures adds vectors that mix two tables, logs or checkpoints.
func (s *scene) mixtures() {
	theirs := collect(s.t, s.history, s.theirs.State.ID())
	const b5, b6 = bundle.CheckTable, bundle.CheckCheckpoint
	s.sealed("table-mixed", b5, "it is of table", "a message of another table", func(b *bundle.Bundle) { b.Entries = slices.Insert(b.Entries, 2, theirs.Entries[1]) })
	s.sealed("genesis-mixed", b5, "begins another table", "the genesis entry of another table", func(b *bundle.Bundle) { b.Entries = slices.Insert(b.Entries, 1, theirs.Entries[0]) })
	s.sealed("genesis-missing", b5, "is missing", "no genesis entry", func(b *bundle.Bundle) { b.Entries = b.Entries[1:] })
	s.sealed("no-entry", b5, "no entry of a table", "bytes that are no entry", func(b *bundle.Bundle) { b.Entries[1].Bytes = []byte("hello") })
	s.edited("game", b5, "genesis entry", "another game in the manifest", "\ngame schwarzer-peter/v1", "\ngame tarokk/v1")
	s.edited("seat", b5, "genesis entry", "another seat's name in the manifest", "\nseat seat-0+", "\nseat seat-9+")
	s.edited("size", b6, "size", "another size in the manifest", fmt.Sprintf("\nsize %d\n", s.honest.Checkpoint.Size), fmt.Sprintf("\nsize %d\n", s.honest.Checkpoint.Size+1))
	s.sealed("key-other", b6, "has not signed", "a key of that name that is another", func(b *bundle.Bundle) { b.Keys.Log = []*tlog.VerifierKey{s.other.Verifier()} })
	stranger := key(s.t, "stranger.example", tlog.Ed25519, 5)
	signed := newHistory(s.t, s.history.List, s.log, stranger)
	s.sealed("key-name", b6, "checkpoint is of the log", "a key of another name, which has signed it, as the log's", func(b *bundle.Bundle) {
		b.Checkpoint, b.Keys = signed.Signed, bundle.Keys{Log: []*tlog.VerifierKey{s.log.Verifier(), stranger.Verifier()}}
	})
	s.sealed("cosigner-other", b6, "has not signed", "a cosigner that has not signed", func(b *bundle.Bundle) { b.Keys.Cosigners = []*tlog.VerifierKey{s.bystander.Verifier()} })
	s.sealed("checkpoint-none", b6, "malformed checkpoint", "a note that is no checkpoint", func(b *bundle.Bundle) {
		b.Checkpoint.Note = bytes.Replace(b.Checkpoint.Note, []byte("\n"), []byte("\n\n"), 1)
	})
	grown := newHistory(s.t, append(slices.Clone(s.history.List), []byte("more")), s.log, s.cosigner)
	s.sealed("checkpoint-mixed", bundle.CheckProof, "too few", "a later checkpoint of the log over these hashes", func(b *bundle.Bundle) { b.Checkpoint = grown.Signed })
	elsewhere := newHistory(s.t, append([][]byte{[]byte("another log")}, s.history.List[1:]...), s.other)
	s.sealed("log-mixed", bundle.CheckProof, "root", "the checkpoint of another log", func(b *bundle.Bundle) {
		b.Checkpoint, b.Keys = elsewhere.Signed, elsewhere.keys()
	})
}

func (s *scene) proofs() {
	const b7 = bundle.CheckProof
	s.sealed("proof-altered", b7, "root", "a bit of a hash, and the hash of all of them", func(b *bundle.Bundle) { b.Hashes[1][0] ^= 1 })
	s.sealed("proof-short", b7, "too few", "a hash is missing", func(b *bundle.Bundle) { b.Hashes = b.Hashes[:len(b.Hashes)-1] })
	s.sealed("proof-long", b7, "1 too many", "a hash too many", func(b *bundle.Bundle) { b.Hashes = append(b.Hashes, b.Hashes[0]) })
	s.sealed("proof-swapped", b7, "root", "two hashes in each other's place", func(b *bundle.Bundle) { b.Hashes[0], b.Hashes[1] = b.Hashes[1], b.Hashes[0] })
	s.sealed("entry-dropped", b7, "", "an entry left out, and the hashes left as they were", func(b *bundle.Bundle) { b.Entries = b.Entries[:3] })
	s.sealed("entry-moved", b7, "", "an entry at another index", func(b *bundle.Bundle) { b.Entries[3].Index-- })
	forged := testmust.Have(s.mine.Forge(s.mine.Entries[3], func(m *wire.Message) { m.Kind = table.Give }))(s.t)
	s.sealed("entry-forged", b7, "root", "a message that its seat has signed, and that the log does not have", func(b *bundle.Bundle) { b.Entries[3].Bytes, _ = wire.CutParcel(forged) })
}

// believing adds vectors whose result depends on the keys that the reader believes.
func (s *scene) believing() {
	s.add("stranger", cannot, string(verifier.CheckSignature), "not signed by the log", "in order, and of a log of the same name with another key", s.honest.Marshal(), func(v *vector) { v.Log = []string{s.other.String()} })
	s.add("policy", cannot, string(verifier.CheckCosigners), "not satisfied", "a reader who wants another cosigner", s.honest.Marshal(), func(v *vector) {
		v.Policy = fmt.Sprintf("log %s\nwitness b %s\nquorum b\n", s.log, s.bystander)
	})
}

// omissions adds vectors that are valid (85.5). Comparison, or orphans, show what was left out.
func (s *scene) omissions() {
	id := s.mine.State.ID()
	last := s.honest.Entries[3].Index
	tail := chosen(s.t, s.history, id, func(e bundle.Entry) bool { return e.Index < last }).Marshal()
	const history = string(verifier.CheckHistory)
	s.add("end-left-out", "unfinished", "", "", "without its last entry: nothing tells", tail)
	s.add("end-left-out-compared", cannot, history, fmt.Sprintf("entry %d of the table is left out", last), "the same, compared with a bundle that has it", tail, func(v *vector) { v.Against = "unfinished.pakli" })
	middle := chosen(s.t, s.history, id, func(e bundle.Entry) bool { return e.Index != s.honest.Entries[2].Index }).Marshal()
	s.add("orphan", cannot, "", fmt.Sprintf("entry %d builds on an entry that is not shown", last), "without an entry of the middle", middle)
	split := newHistory(s.t, append([][]byte{[]byte("another history")}, s.history.List[1:]...), s.log)
	s.add("fork", "log broken", history, "fork", "another history of the log, signed by it as well", collect(s.t, split, id).Marshal(), func(v *vector) { v.Against = "unfinished.pakli" })
	moved := newHistory(s.t, append(slices.Clone(s.mine.Entries), []byte("one"), []byte("two"), []byte("three")), s.log)
	s.add("fork-size", "log broken", history, "another history", "the same, with a checkpoint of another size", collect(s.t, moved, id).Marshal(), func(v *vector) { v.Against = "unfinished.pakli" })
}

// silences adds claims under a clock that needs silence (52.4), each followed by a close that builds
// on the claim and is void if the claim is.
func (s *scene) silences() {
	for _, c := range []struct {
		name, outcome, comment string
		lines                  func(w *markstest.Table, late table.Seat, before [][]byte) [][]byte
	}{
		{"silence", "adjudicated", "two of three keepers hold nothing of the seat that is late", func(w *markstest.Table, late table.Seat, _ [][]byte) [][]byte { return w.Silence(late, 0, 2) }},
		{"silence-none", "unfinished", "no keeper says so, and the claim is void", func(*markstest.Table, table.Seat, [][]byte) [][]byte { return [][]byte{} }},
		{"silence-one", "unfinished", "one keeper says so, twice", func(w *markstest.Table, late table.Seat, _ [][]byte) [][]byte {
			return slices.Concat(w.Silence(late, 0), w.Silence(late, 0))
		}},
		{"silence-early", "unfinished", "one keeper of two has said so a second too early", func(w *markstest.Table, late table.Seat, before [][]byte) [][]byte {
			return slices.Concat(before[:1], w.Silence(late, 2))
		}},
		{"silence-seat", "unfinished", "one keeper of two says so of another seat", func(w *markstest.Table, late table.Seat, _ [][]byte) [][]byte {
			return slices.Concat(w.Silence((late+1)%3, 0), w.Silence(late, 2))
		}},
		{"silence-beside", "unfinished", "two of three keepers hold nothing of a seat that has also answered an act beside its first message", func(w *markstest.Table, late table.Seat, _ [][]byte) [][]byte {
			return w.Silence(late, 0, 2)
		}},
		{"silence-claim", "unfinished", "two of three keepers hold nothing of a seat that has also answered behind a claim which lies beside the history", func(w *markstest.Table, late table.Seat, _ [][]byte) [][]byte {
			return w.Silence(late, 0, 2)
		}},
	} {
		made := func() *markstest.Table {
			return markstest.New(s.t, schwarzerPeter(), tabletest.Config{Seats: 3, Suite: realSuite(s.t)}, 52, func(g *wire.Genesis) { g.Clock.Silence = true })
		}
		w := made()
		if c.name == "silence-beside" {
			answersBeside(s.t, w)
		}
		w.PlayMoves(3-w.State.CountApplied(), 10)
		if c.name == "silence-claim" {
			answersClaim(s.t, w, made())
		}
		late, other := w.LateSeat()
		w.PassTime(61)
		before := w.Silence(late)
		w.PassTime(1)
		body := w.Clock(late).Claim
		body.Silence = c.lines(w, late, before)
		claim := w.Act(other, wire.KindTimeout, body)
		w.Append(claim)
		closed := wire.Act{Format: wire.ActFormat, Table: w.State.ID(), Parent: wire.HashEntry(claim), By: w.State.Genesis().Organiser, Kind: wire.KindClose, Body: json.RawMessage(`{"reason":"He is gone."}`)}
		entry := testmust.Have(wire.Sign(&closed, w.Organiser))(s.t)
		w.Append(entry)
		b := testmust.Have(bundle.Collect(s.t.Context(), w.Log, w.State.ID(), bundle.Keys{Log: []*tlog.VerifierKey{w.Key}}))(s.t)
		s.add(c.name, c.outcome, "", "", c.comment, b.Marshal(), func(v *vector) { v.Log = []string{w.Key.String()} })
	}
}

// answersBeside makes seat A post its card key, and post it again on an act of seat B that builds on
// the same entry (52.10.3).
func answersBeside(t testing.TB, w *markstest.Table) {
	key := func(on *table.State) []byte {
		return testmust.Have(w.Hands[0].SignMessage(on, on.DutiesOf(0)[0], nil, w.Random))(t)
	}
	act := w.Act(1, wire.KindAgree, wire.AgreeBody{To: wire.AgreePause})
	answer := key(testmust.Have(w.State.Apply(testmust.Have(wire.Parse(act))(t), table.Facts{}))(t))
	w.PassTime(1)
	testmust.Do(t, w.Post(key(w.State)))
	for _, entry := range [][]byte{act, answer} {
		testmust.Require(t, w.Post(entry) != nil, "an entry that does not build on the head is applied")
	}
}

// answersClaim makes a late seat shuffle at last, and come back from a claim that the log has after
// the shuffle; the next seat shuffles after both. The other table is w at its beginning.
func answersClaim(t testing.TB, w, shown *markstest.Table) {
	shown.PlayMoves(3, 10)
	late, other := w.LateSeat()
	w.PassTime(62)
	shown.PassTime(62)
	follow := func(entry []byte) []byte {
		testmust.Do(t, shown.Post(entry))
		return entry
	}
	branch := [][]byte{follow(shown.Claim(late, other)), follow(shown.Act(late, wire.KindBack, wire.EmptyBody{}))}
	for range 2 {
		branch = append(branch, follow(testmust.Have(shown.Next())(t)))
	}
	w.PlayMoves(1, 0)
	next, _ := w.LateSeat()
	e := testmust.Have(wire.Parse(branch[3]))(t)
	testmust.Require(t, table.Seat(e.Message.Seat) == next, "another seat shuffles next")
	for _, entry := range branch {
		testmust.Require(t, w.Post(entry) != nil, "an entry that does not build on the head is applied")
	}
}

func schwarzerPeter() table.Game {
	g, _ := games.Lookup("schwarzer-peter/v1")
	return g
}

func TestVectors(t *testing.T) {
	list := vectors(t)
	if testmust.Updating() {
		testmust.Do(t, os.RemoveAll(vectorFolder))
	}
	for _, v := range list {
		t.Run(strings.TrimSuffix(v.File, ".pakli"), func(t *testing.T) {
			file := testmust.Same(t, filepath.Join(vectorFolder, v.File), v.bytes)
			got, reason := v.judge(t, file)
			testmust.Holdf(t, got == v.Outcome && strings.Contains(reason, v.Check) && strings.Contains(reason, v.Error) && (reason == "") == slices.Contains([]string{"sound", "unfinished", "adjudicated"}, v.Outcome),
				"%s: %s (%s), want %s (%s, %s)", v.Comment, got, reason, v.Outcome, v.Check, v.Error)
		})
	}
	index := testmust.Have(json.MarshalIndent(list, "", " "))(t)
	testmust.Same(t, filepath.Join(vectorFolder, "vectors.json"), append(index, '\n'))
	files, err := filepath.Glob(filepath.Join(vectorFolder, "*"))
	testmust.Holdf(t, err == nil && len(files) == len(list)+1, "%d files for %d vectors (%v)", len(files), len(list), err)
}

// judge returns the outcome and the reason.
func (v vector) judge(t *testing.T, file []byte) (outcome, reason string) {
	t.Helper()
	b, err := bundle.Parse(file)
	if err != nil {
		return cannot, err.Error()
	}
	o := tableset.AgainstOptions{Options: verifier.Options{Table: b.Table, Catalogue: table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}}}
	for _, text := range v.Log {
		k := testmust.Have(tlog.ParseVerifierKey(text))(t)
		o.Log = append(o.Log, note.Verifier(k))
	}
	if v.Policy != "" {
		o.Policy = testmust.Have(tlog.ParsePolicy([]byte(v.Policy)))(t)
	}
	if v.Against != "" {
		other := testmust.Have(os.ReadFile(filepath.Join(vectorFolder, v.Against)))(t)
		with := testmust.Have(bundle.Parse(other))(t)
		o.Against = []tlog.EntryReader{bundle.Reader{Bundle: with}}
	}
	r, err := tableset.VerifyAgainst(t.Context(), bundle.Reader{Bundle: b}, o)
	if err != nil {
		return cannot, err.Error()
	}
	for _, f := range r.Findings {
		reason += fmt.Sprintf("%s: %v", f.Check, f.Err)
	}
	return string(r.Verdict), reason
}

// A file has two faults, and two readers name different ones. The first in the order of 85.4 counts.
func TestFirstFault(t *testing.T) {
	s := newScene(t)
	b := *s.honest
	b.Checkpoint.Note = bytes.Replace(b.Checkpoint.Note, []byte("\n"), []byte("\n\n"), 1)
	noted := b.Seal(s.honest)
	b.Hashes = b.Hashes[1:]
	unproven := b.Seal(s.honest)
	altered := bytes.Clone(noted)
	altered[len(altered)-1] ^= 1
	for _, c := range []struct {
		file []byte
		want bundle.Check
	}{
		{bytes.Replace(noted, []byte("\ngame schwarzer-peter/v1"), []byte("\ngame tarokk/v1"), 1), bundle.CheckTable},
		{unproven, bundle.CheckCheckpoint},
		{altered, bundle.CheckHash},
	} {
		_, err := bundle.Parse(c.file)
		e, ok := errors.AsType[*bundle.Error](err)
		testmust.Holdf(t, ok && e.Check == c.want, "%v, want %s", err, c.want)
	}
}
