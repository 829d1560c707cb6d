package verifier_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/replay"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/tableset"
	"golang.org/x/mod/sumdb/note"
)

// cosigners are anna and bela, with a policy that requires both.
type cosigners struct {
	signers []*tlog.SignerKey
	policy  *tlog.Policy
}

func newCosigners(t *testing.T) *cosigners {
	t.Helper()
	c := &cosigners{}
	text := ""
	for name, a := range map[string]tlog.Algorithm{"anna": tlog.Ed25519Cosignature, "bela": tlog.MLDSA44} {
		skey, vkey, err := tlog.GenerateKey(rand.Reader, name+".example", a)
		testmust.Do(t, err)
		s := testmust.Have(tlog.ParseSignerKey(skey, func() time.Time { return time.Unix(2_000_000_000, 0) }))(t)
		c.signers = append(c.signers, s)
		text += "witness " + name + " " + vkey + "\n"
	}
	c.policy = testmust.Have(tlog.ParsePolicy([]byte(text + "group both all anna bela\nquorum both\n")))(t)
	return c
}

// cosign returns cp with the signatures of the first n cosigners.
func (c *cosigners) cosign(t *testing.T, cp tlog.Checkpoint, n int) tlog.Checkpoint {
	t.Helper()
	text, _, _ := strings.Cut(string(cp.Note), "\n\n")
	for _, s := range c.signers[:n] {
		signed := testmust.Have(note.Sign(&note.Note{Text: text + "\n"}, s))(t)
		var err error
		cp, _, err = cp.AddCosignatures(bytes.TrimPrefix(signed, []byte(text+"\n\n")), s.Verifier())
		testmust.Do(t, err)
	}
	return cp
}

func (sc *scene) withPolicy(src tlog.EntryReader, p *tlog.Policy, believed ...tlog.Checkpoint) (*verifier.Report, error) {
	return verifier.Verify(context.Background(), src, verifier.Options{
		Table: sc.State.ID(), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue(), Believed: believed, Policy: p})
}

// With a quorum the verdict is sound and names the quorum. With fewer cosigners there is no verdict,
// and nobody is accused.
func TestCosigners(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 1)
	c := newCosigners(t)
	src := sc.log(t, sc.Entries)
	plain := src.checkpoint
	src.checkpoint = c.cosign(t, plain, 2)
	r, err := sc.withPolicy(src, c.policy)
	testmust.Requiref(t, err == nil && r.Verdict == verifier.Sound && len(r.Cosigned) == 2, "both: %v, %v", r, err)
	anna := tlog.Cosignature{Cosigner: "anna", Key: "anna.example", Time: time.Date(2033, 5, 18, 3, 33, 20, 0, time.UTC)}
	testmust.Holdf(t, slices.Contains(r.Cosigned, anna) && slices.Contains(r.Checks, verifier.Check{ID: verifier.CheckCosigners, Outcome: verifier.Passed}),
		"cosigned by %v, checks %v", r.Cosigned, r.Checks)
	stranger := newCosigners(t)
	falsified := plain
	falsified.Note = append(slices.Clone(src.checkpoint.Note[:len(src.checkpoint.Note)-8]), []byte("AAAA===\n")...)
	for what, cp := range map[string]tlog.Checkpoint{
		"one of two": c.cosign(t, plain, 1), "nobody": plain, "strangers": stranger.cosign(t, plain, 2), "a false one": falsified,
	} {
		src.checkpoint = cp
		testmust.Fail(t, testmust.ErrorOf(sc.withPolicy(src, c.policy)), what)
		if r, err := sc.withPolicy(src, nil); what != "a false one" && (err != nil || r.Verdict != verifier.Sound || slices.ContainsFunc(r.Checks, func(c verifier.Check) bool { return c.ID == verifier.CheckCosigners })) {
			t.Errorf("%s, without a policy: %v", what, err)
		}
	}
}

// A log that signed two histories is broken whoever cosigned them, even if the quorum is missing and
// if the source shows too little to tell.
func TestCosignedFork(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 1)
	c := newCosigners(t)
	src := sc.log(t, sc.Entries)
	other := append(slices.Clone(sc.Entries[:len(sc.Entries)-1]), []byte("another last entry"))
	rival := sc.log(t, other).checkpoint
	longer := sc.log(t, append(slices.Clone(other), []byte("more"))).checkpoint
	longerStill := sc.log(t, append(slices.Clone(sc.Entries), []byte("more"))).checkpoint
	src.checkpoint = c.cosign(t, src.checkpoint, 2)
	for what, believed := range map[string][]tlog.Checkpoint{
		"the same size":                {c.cosign(t, rival, 2)},
		"not cosigned":                 {rival},
		"two that are beyond the log":  {c.cosign(t, longer, 1), c.cosign(t, longerStill, 2)},
		"one good, one of the history": {c.cosign(t, src.checkpoint, 0), rival},
	} {
		r, err := sc.withPolicy(src, c.policy, believed...)
		testmust.Holdf(t, err == nil && r.Verdict == verifier.LogBroken && (strings.Contains(r.Findings[0].Err.Error(), "was seen by") || strings.Contains(r.Findings[0].Err.Error(), "no cosigner has seen")),
			"%s: %v, %v, want log broken", what, r, err)
	}
	src.checkpoint = c.cosign(t, sc.log(t, sc.Entries).checkpoint, 1) // no quorum
	if r, err := sc.withPolicy(src, c.policy, rival); err != nil || r.Verdict != verifier.LogBroken {
		t.Errorf("without a quorum: %v, %v, want log broken", r, err)
	}
	src.entries = other // not what was signed
	if r, err := sc.withPolicy(src, c.policy); err != nil || r.Verdict != verifier.LogBroken {
		t.Errorf("without a quorum, other entries: %v, %v, want log broken", r, err)
	}
	// A checkpoint of another log contradicts nothing of this log.
	foreignS, _ := logKey(t, "other.example")
	foreign := testmust.Have(tlog.SignCheckpoint(rival.Size, rival.Root, foreignS))(t)
	testmust.Fail(t, testmust.ErrorOf(sc.withPolicy(sc.log(t, sc.Entries), nil, foreign)), "another log's checkpoint")
}

// While the log changes keys, readers with the old key and with the new one come to the same verdict.
func TestTwoLogKeys(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 1)
	nextS, nextV := logKey(t, "log.example")
	src := sc.log(t, sc.Entries)
	src.checkpoint = testmust.Have(tlog.SignCheckpoint(src.checkpoint.Size, src.checkpoint.Root, sc.signer, nextS))(t)
	_, stranger := logKey(t, "log.example")
	for what, keys := range map[string][]note.Verifier{"old": {sc.key}, "new": {nextV}, "both": {sc.key, nextV}, "new and another": {stranger, nextV}} {
		r, err := verifier.Verify(t.Context(), src, verifier.Options{Table: sc.State.ID(), Log: keys, Catalogue: sc.Catalogue()})
		testmust.Holdf(t, err == nil && r.Verdict == verifier.Sound, "%s: %v, %v", what, r, err)
	}
	_, err := verifier.Verify(t.Context(), src, verifier.Options{Table: sc.State.ID(), Log: []note.Verifier{stranger}, Catalogue: sc.Catalogue()})
	testmust.Holdf(t, errors.Is(err, tlog.ErrUnsigned), "a stranger's key: %v, want ErrUnsigned", err)
}

// A live table under checkpoints with too few cosigners has no verdict. The table is still there when
// enough of them have cosigned.
func TestLiveWantsCosigners(t *testing.T) {
	sc := newScene(t, clear.Suite{}, 3, nil, 1)
	c := newCosigners(t)
	live := tableset.NewLiveTables(t.Context(), nil, verifier.Options{Catalogue: sc.Catalogue()}, nil)
	for i, parcel := range sc.Entries {
		entry, _ := wire.CutParcel(parcel)
		live.Take(replay.NewLeaf(uint64(i), wire.HashEntry(entry), entry))
	}
	plain := sc.log(t, sc.Entries).checkpoint
	for n := range 2 {
		over, err := live.Settle(c.cosign(t, plain, n), c.policy)
		testmust.Holdf(t, err != nil && len(over) == 0, "%d of two cosigners: %d tables are over, %v", n, len(over), err)
	}
	over, err := live.Settle(c.cosign(t, plain, 2), c.policy)
	testmust.Requiref(t, err == nil && len(over) == 1 && over[0].Verdict == verifier.Sound && len(over[0].Cosigned) == 2, "both: %v, %v", over, err)
	for _, check := range over[0].LogChecks() {
		testmust.Equal(t, check.Outcome, verifier.Passed, check.ID)
	}
}

// shelved is a log with blobs, some of which may be wrong.
type shelved struct {
	shown
	blobs map[[32]byte][]byte
}

func (s shelved) Blob(_ context.Context, hash [32]byte) ([]byte, error) {
	if b, ok := s.blobs[hash]; ok {
		return b, nil
	}
	return nil, tlog.ErrNoBlob
}

// apart splits parcels into the entries of the log and their blobs.
func apart(t *testing.T, parcels [][]byte) (entries [][]byte, blobs map[[32]byte][]byte) {
	t.Helper()
	blobs = map[[32]byte][]byte{}
	for _, parcel := range parcels {
		entry, _ := wire.CutParcel(parcel)
		entries = append(entries, entry)
		if m := parse(t, parcel).Message; m != nil {
			for _, b := range m.BlobBytes() {
				blobs[sha256.Sum256(b)] = b
			}
		}
	}
	return entries, blobs
}

func verified(sc *scene, src tlog.EntryReader) (*verifier.Report, error) {
	return verifier.Verify(context.Background(), src, verifier.Options{Table: sc.State.ID(), Log: []note.Verifier{sc.key}, Catalogue: sc.Catalogue()})
}

// A missing or altered blob makes a table that cannot be checked: there is no verdict, and never a
// sound one.
func TestMissingBlobIsNoVerdict(t *testing.T) {
	sc := newScene(t, clear.BulkySuite{}, 3, nil, 21)
	entries, blobs := apart(t, sc.Entries)
	testmust.Requiref(t, len(blobs) >= 3, "the test is built wrong: %d blobs", len(blobs))
	log := sc.log(t, entries)
	r, err := verified(sc, shelved{log, blobs})
	testmust.Requiref(t, err == nil && r.Verdict == verifier.Sound, "all blobs at hand: %v", err)
	testmust.FailBy(t, testmust.ErrorOf(verified(sc, log)), wire.ErrDetached, "a source without blobs")
	hashes := slices.SortedFunc(maps.Keys(blobs), func(a, b [32]byte) int { return bytes.Compare(a[:], b[:]) })
	for i := range testmust.ChosenIndexes(t, len(blobs), 4) {
		hash, b := hashes[i], blobs[hashes[i]]
		for name, altered := range map[string][]byte{"missing": nil, "empty": {}, "short": b[1:], "long": append(bytes.Clone(b), 0), "altered": flipped(b, len(b)/2)} {
			less := maps.Clone(blobs)
			if less[hash] = altered; altered == nil {
				delete(less, hash)
			}
			if r, err := verified(sc, shelved{log, less}); !errors.Is(err, wire.ErrDetached) {
				t.Errorf("blob %x %s: %v with verdict %s, want ErrDetached", hash[:4], name, err, r.Verdict)
			}
		}
	}
}

// Messages that do not count need no blobs. Otherwise a log could make a sound table uncheckable with
// messages that it moved or invented, and a seat with a late message.
func TestVoidNeedsNoBlob(t *testing.T) {
	sc := newScene(t, clear.BulkySuite{}, 3, nil, 21)
	at := 0
	for i, parcel := range sc.Entries[1:] {
		if len(parse(t, parcel).Message.Blobs()) > 0 {
			at = i + 1
			break
		}
	}
	late := testmust.Have(sc.Forge(sc.Entries[at], func(m *wire.Message) { m.Proofs[0][0] ^= 1 }))(t)
	parcels := append([][]byte{}, sc.Entries[:at+1]...)
	parcels = append(parcels, late)
	parcels = append(parcels, sc.Entries[at+1:]...)
	entries, blobs := apart(t, parcels)
	delete(blobs, sha256.Sum256(parse(t, late).Message.Proofs[0]))
	r, err := verified(sc, shelved{sc.log(t, entries), blobs})
	testmust.Holdf(t, err == nil && r.Verdict == verifier.Sound && r.Voided == 1, "%v\n%+v", err, r)
}

// A wrong proof in a blob is a foul of the seat that sent the blob.
func TestFoulInABlob(t *testing.T) {
	sc := newScene(t, clear.BulkySuite{}, 3, nil, 21)
	for at, parcel := range sc.Entries {
		m := parse(t, parcel).Message
		if at == 0 || len(m.Blobs()) == 0 {
			continue
		}
		forged := testmust.Have(sc.Forge(parcel, func(m *wire.Message) { m.Proofs[0][0] ^= 1 }))(t)
		entries, blobs := apart(t, append(append([][]byte{}, sc.Entries[:at]...), forged))
		r, err := verified(sc, shelved{sc.log(t, entries), blobs})
		testmust.Requiref(t, err == nil && r.Verdict == verifier.Foul && int(*r.Findings[0].Seat) == m.Seat, "entry %d: %v\n%+v", at, err, r)
		return
	}
}
