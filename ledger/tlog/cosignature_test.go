package tlog_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"time"

	formats "github.com/transparency-dev/formats/note"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// seeds makes the keys of the tests the same every time, for the corpora of fuzz
// tests.
var seeds = mathrand.NewChaCha8([32]byte{1})

// cosignerKey makes a key; its clock stands still at a time.
func cosignerKey(t testing.TB, name string, a tlog.Algorithm, at time.Time) (s *tlog.SignerKey, skey, vkey string) {
	t.Helper()
	skey, vkey, err := tlog.GenerateKey(seeds, name, a)
	testmust.Do(t, err)
	s = testmust.Have(tlog.ParseSignerKey(skey, func() time.Time { return at }))(t)
	return s, skey, vkey
}

// linesOf returns the signature lines of s on a checkpoint.
func linesOf(t testing.TB, c tlog.Checkpoint, s ...note.Signer) []byte {
	t.Helper()
	text, _, _ := strings.Cut(string(c.Note), "\n\n")
	signed := testmust.Have(note.Sign(&note.Note{Text: text + "\n"}, s...))(t)
	return bytes.TrimPrefix(signed, []byte(text+"\n\n"))
}

func checkpointOf(t testing.TB, size uint64, s note.Signer) tlog.Checkpoint {
	t.Helper()
	return testmust.Have(tlog.SignCheckpoint(size, tlog.LeafHash([]byte("root")), s))(t)
}

var someTime = time.Unix(1679315147, 0).UTC()

// Cosignatures that only our own code understands, or that it takes from nobody
// else.
func TestCosignaturesOfOthers(t *testing.T) {
	log, _ := newKey(t, origin)
	c := checkpointOf(t, 42, log)
	for _, a := range []tlog.Algorithm{tlog.Ed25519Cosignature, tlog.MLDSA44} {
		ours, skey, vkey := cosignerKey(t, "cosigner.example/w1", a, someTime)
		theirV := testmust.Have(formats.NewVerifierForCosignatureV1(vkey))(t)
		cosigned, at, err := c.AddCosignatures(linesOf(t, c, ours), ours.Verifier())
		testmust.Requiref(t, err == nil && at.Equal(someTime), "algorithm %d: own cosignature: time %v, %v", a, at, err)
		n, err := note.Open(cosigned.Note, note.VerifierList(theirV))
		testmust.Do(t, err, "algorithm", a, "they do not take ours")
		if at, err := formats.CoSigV1Timestamp(n.Sigs[0]); err != nil || !at.Equal(someTime) {
			t.Errorf("algorithm %d: they read time %v, %v", a, at, err)
		}
		theirs := testmust.Have(formats.NewSignerForCosignatureV1(skey))(t)
		_, _, err = c.AddCosignatures(linesOf(t, c, theirs), ours.Verifier())
		testmust.Do(t, err, "algorithm", a, "we do not take theirs")
	}
}

// A key of ours that other programs do not read, or of theirs that we do not.
func TestKeysOfOthers(t *testing.T) {
	const specified = "example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k"
	k, err := tlog.ParseVerifierKey(specified)
	testmust.Holdf(t, err == nil && k.String() == specified && k.Name() == "example.com/foo" && k.KeyHash() == 0x530d903a,
		"key of the specification: %v, %v", k, err)
	skey, vkey, err := note.GenerateKey(rand.Reader, origin)
	testmust.Do(t, err)
	s, err := tlog.ParseSignerKey(skey, nil)
	testmust.Requiref(t, err == nil && s.Verifier().String() == vkey, "key of x/mod: %v, %v", s, err)
	v := testmust.Have(note.NewVerifier(vkey))(t)
	_, err = tlog.OpenCheckpoint(checkpointOf(t, 7, s).Note, v)
	testmust.Do(t, err, "signed by ours, verified by x/mod")
	skey, vkey, err = formats.GenerateMLDSAKey("cosigner.example")
	testmust.Do(t, err)
	s, err = tlog.ParseSignerKey(skey, nil)
	testmust.Holdf(t, err == nil && s.Verifier().String() == vkey, "ML-DSA key of theirs: %v, %v", s, err)
}

// Spellings of a key that are not the key's.
func TestVerifierKeyForm(t *testing.T) {
	_, _, good := cosignerKey(t, "cosigner.example", tlog.Ed25519Cosignature, someTime)
	name, rest, _ := strings.Cut(good, "+")
	id, text, _ := strings.Cut(rest, "+")
	raw := testmust.Have(base64.StdEncoding.DecodeString(text))(t)
	spelled := func(name string) string { // with the ID that belongs to it
		sum := sha256.Sum256(append([]byte(name+"\n"), raw...))
		return fmt.Sprintf("%s+%x+%s", name, sum[:4], text)
	}
	testmust.Have(tlog.ParseVerifierKey(spelled("x")))(t, "the test is built wrong")
	short := base64.StdEncoding.EncodeToString(append([]byte{4}, make([]byte, 31)...))
	for what, vkey := range map[string]string{
		"empty":             "",
		"no name":           "+" + rest,
		"another name":      "x" + good,
		"space in the name": "cosigner example+" + rest,
		"upper case ID":     name + "+" + strings.ToUpper(id) + "x+" + text,
		"another ID":        name + "+00000000+" + text,
		"no key":            name + "+" + id + "+",
		"short key":         name + "+" + id + "+" + short,
		"line feed":         good[:len(good)-4] + "\n" + good[len(good)-4:],
		"cut short":         good[:len(good)-1],
		"unknown algorithm": name + "+" + id + "+" + base64.StdEncoding.EncodeToString(append([]byte{9}, make([]byte, 32)...)),
		"long name":         strings.Repeat("n", 256) + "+" + rest,
		"escape":            spelled("x\x1b[2J"),
		"right to left":     spelled("x\u202ey"),
		"control":           spelled("x\u009b8m"),
	} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.ParseVerifierKey(vkey)), tlog.ErrMalformed, what)
	}
	_, skey, _ := cosignerKey(t, "cosigner.example", tlog.Ed25519Cosignature, someTime)
	for _, bad := range []string{"", skey[1:], skey + "A", strings.Replace(skey, "cosigner", "x", 1), skey[:len(skey)-8]} {
		if _, err := tlog.ParseSignerKey(bad, nil); !errors.Is(err, tlog.ErrMalformed) || err != nil && len(bad) > 60 && strings.Contains(err.Error(), bad[50:]) {
			t.Errorf("signer key %.20q…: %v, want ErrMalformed without the key", bad, err)
		}
	}
}

// What a lying cosigner, or somebody between, can answer.
func TestFalseCosignatures(t *testing.T) {
	log, _ := newKey(t, origin)
	c, other := checkpointOf(t, 42, log), checkpointOf(t, 43, log)
	foreignLog, _ := newKey(t, "other.example/log")
	foreign := checkpointOf(t, 42, foreignLog)
	for _, a := range []tlog.Algorithm{tlog.Ed25519Cosignature, tlog.MLDSA44} {
		s, _, _ := cosignerKey(t, "cosigner.example", a, someTime)
		stranger, _, _ := cosignerKey(t, "cosigner.example", a, someTime)
		good := linesOf(t, c, s)
		_, _, err := c.AddCosignatures(append(linesOf(t, c, stranger), good...), s.Verifier())
		testmust.Holdf(t, err == nil, "after a stranger's signature: %v", err)
		name, sig, _ := strings.Cut(strings.TrimPrefix(string(good), "— "), " ")
		raw := testmust.Have(base64.StdEncoding.DecodeString(strings.TrimSpace(sig)))(t)
		bent := func(change func([]byte) []byte) []byte {
			return []byte("— " + name + " " + base64.StdEncoding.EncodeToString(change(bytes.Clone(raw))) + "\n")
		}
		respelled := bytes.Clone(good)            // readers would refuse the whole checkpoint for it
		respelled[bytes.IndexByte(good, '=')-1]++ // its lowest bits are unused, and 0
		flip := func(i int) []byte { return bent(func(b []byte) []byte { b[i] ^= 1; return b }) }
		for what, lines := range map[string][]byte{
			"nothing":              nil,
			"of another size":      linesOf(t, other, s),
			"of another log":       linesOf(t, foreign, s),
			"of another key":       linesOf(t, c, stranger),
			"another time":         flip(11),
			"a bit of the key ID":  flip(0),
			"a bit":                flip(len(raw) - 1),
			"a second spelling":    respelled,
			"cut short":            bent(func(b []byte) []byte { return b[:len(b)-1] }),
			"too long":             bent(func(b []byte) []byte { return append(b, 0) }),
			"without a timestamp":  bent(func(b []byte) []byte { return append(b[:4:4], b[12:]...) }),
			"a key ID alone":       bent(func(b []byte) []byte { return b[:4] }),
			"an impossible time":   bent(func(b []byte) []byte { b[4] = 0xff; return b }),
			"no line feed":         bytes.TrimSuffix(good, []byte("\n")),
			"an empty line":        append([]byte("\n"), good...),
			"garbage":              []byte("hello\n"),
			"a checkpoint":         c.Note,
			"more than a megabyte": bytes.Repeat(good, 1<<20/len(good)+1),
		} {
			if got, at, err := c.AddCosignatures(lines, s.Verifier()); err == nil {
				t.Errorf("algorithm %d, %s: taken, time %v", a, what, at)
			} else if !bytes.Equal(got.Note, c.Note) {
				t.Errorf("algorithm %d, %s: the checkpoint changed", a, what)
			}
		}
	}
}

// A cosigner whose clock, or malice, is beyond all dates: what tells its time in JSON
// must not fail over it.
func TestCosignatureOfTheFarFuture(t *testing.T) {
	log, _ := newKey(t, origin)
	c := checkpointOf(t, 42, log)
	last := time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)
	for at, want := range map[time.Time]time.Time{last: last, last.Add(time.Second): {}, time.Unix(1<<43, 0): {}} {
		s, _, _ := cosignerKey(t, "cosigner.example", tlog.Ed25519Cosignature, at)
		_, got, err := c.AddCosignatures(linesOf(t, c, s), s.Verifier())
		_, unwritable := got.MarshalJSON()
		testmust.Holdf(t, err == nil && unwritable == nil && got.Equal(want), "%v: read as %v (%v, %v), want %v", at, got, err, unwritable, want)
	}
}

// The ML-DSA-44 signature names log and cosigner; the Ed25519 one covers
// extension lines as well.
func TestCosignatureCovers(t *testing.T) {
	log, _ := newKey(t, origin)
	root := tlog.LeafHash([]byte("root")).String()
	extended := testmust.Have(note.Sign(&note.Note{Text: origin + "\n42\n" + root + "\nextension\n"}, log))(t)
	plain, with := checkpointOf(t, 42, log), tlog.Checkpoint{Note: extended}
	for a, covers := range map[tlog.Algorithm]bool{tlog.Ed25519Cosignature: true, tlog.MLDSA44: false} {
		s, _, _ := cosignerKey(t, "cosigner.example", a, someTime)
		_, _, err := with.AddCosignatures(linesOf(t, plain, s), s.Verifier())
		testmust.Holdf(t, covers == (err != nil), "algorithm %d: an extension line added: %v, covered: %v", a, err, covers)
	}
}

// Overlapping keys: who has the old one or the new one reads the checkpoint, and
// who has a key of another log does not.
func TestSeveralLogKeys(t *testing.T) {
	oldS, oldV := newKey(t, origin)
	newS, newV := newKey(t, origin)
	_, stranger := newKey(t, origin)
	otherS, otherV := newKey(t, "other.example/log")
	lattice, _, _ := cosignerKey(t, origin, tlog.MLDSA44, time.Unix(0, 0))
	c := testmust.Have(tlog.SignCheckpoint(42, tlog.LeafHash(nil), oldS, newS, otherS, lattice))(t)
	for what, keys := range map[string][]note.Verifier{
		"old": {oldV}, "new": {newV}, "both": {oldV, newV}, "ML-DSA-44": {lattice.Verifier()}, "new and a stranger": {stranger, newV},
	} {
		testmust.Do(t, c.Verify(keys...), what)
	}
	for what, keys := range map[string][]note.Verifier{"none": nil, "stranger": {stranger}, "another log's": {otherV}} {
		testmust.FailBy(t, c.Verify(keys...), tlog.ErrUnsigned, what)
	}
	// A false signature of a known key spoils the note, also next to a good one.
	lines := linesOf(t, checkpointOf(t, 43, newS), newS)
	text, _, _ := strings.Cut(string(c.Note), "\n\n")
	forged := tlog.Checkpoint{Origin: origin, Size: 42, Root: tlog.LeafHash(nil), Note: append([]byte(text+"\n\n"), append(linesOf(t, c, oldS), lines...)...)}
	testmust.Do(t, forged.Verify(oldV), "an unknown key's false signature")
	testmust.FailBy(t, forged.Verify(oldV, newV), tlog.ErrUnsigned, "a known key's false signature")
}

// A cosigner's key that is taken for a log's: its word is that it has seen a tree, not
// that it promises one. And a log's that is taken for a cosigner's.
func TestKeysOfLogsAndCosigners(t *testing.T) {
	for _, c := range []struct {
		algorithm     tlog.Algorithm
		log, cosigner bool
	}{{tlog.Ed25519, true, false}, {tlog.Ed25519Cosignature, false, true}, {tlog.MLDSA44, true, true}} {
		_, vkey, err := tlog.GenerateKey(rand.Reader, "log.example", c.algorithm)
		testmust.Do(t, err)
		_, err = tlog.ParseLogKey(vkey)
		testmust.Holdf(t, (err == nil) == c.log, "a key of algorithm %#02x as a log's: %v", byte(c.algorithm), err)
		_, err = tlog.ParseCosignerKey(vkey)
		testmust.Holdf(t, (err == nil) == c.cosigner, "a key of algorithm %#02x as a cosigner's: %v", byte(c.algorithm), err)
	}
}
