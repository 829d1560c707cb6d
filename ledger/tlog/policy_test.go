package tlog_test

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	formats "github.com/transparency-dev/formats/note"
	"github.com/transparency-dev/formats/witness"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// cast is a log and cosigners, with the policy that names them.
type cast struct {
	log       *tlog.SignerKey
	cosigners []*tlog.SignerKey
	head      string // of a policy: the definitions of log and cosigners
}

// newCast makes cosigners X1, X2, X3, Y1, Y2; Y2 signs with ML-DSA-44.
func newCast(t testing.TB) *cast {
	log, _, vkey := cosignerKey(t, origin, tlog.Ed25519, someTime)
	c := &cast{log: log, head: "# who is who\nlog " + vkey + " https://" + origin + "\n\n"}
	for _, name := range []string{"X1", "X2", "X3", "Y1", "Y2"} {
		a := tlog.Ed25519Cosignature
		if name == "Y2" {
			a = tlog.MLDSA44
		}
		s, _, vkey := cosignerKey(t, "cosigner.example/"+name, a, someTime)
		c.cosigners = append(c.cosigners, s)
		c.head += fmt.Sprintf("witness %s\t%s  https://cosigner.example/%s \n", name, vkey, name)
	}
	return c
}

const groups = "group X 2 X1 X2 X3\ngroup Y any Y1 Y2\n group all-of-them all X Y\nquorum all-of-them\n"

// cosigned returns a checkpoint with the cosignatures of those in the set.
func (c *cast) cosigned(t testing.TB, set int) tlog.Checkpoint {
	t.Helper()
	cp := checkpointOf(t, 42, c.log)
	for i, s := range c.cosigners {
		if set>>i&1 == 1 {
			var err error
			cp, _, err = cp.AddCosignatures(linesOf(t, cp, s), s.Verifier())
			testmust.Require(t, err == nil, err)
		}
	}
	return cp
}

// For every set of cosigners, an independent implementation counts the quorum in the same way.
func TestPolicyQuorums(t *testing.T) {
	c := newCast(t)
	for _, rest := range []string{
		groups, "quorum none\n", "quorum Y2\n", "group G all X1 Y2\nquorum G\n", "group G any X1 X2 X3 Y1 Y2\nquorum G\n",
		"group G 3 X1 X2 X3 Y1 Y2\nquorum G\n", "group A 2 X1 X2 X3\ngroup B 1 A Y1\ngroup C 2 B Y2\nquorum C\n", "group Unused all X1\nquorum X2\n",
	} {
		ours := testmust.Have(tlog.ParsePolicy([]byte(c.head+rest)))(t, rest)
		theirs := testmust.Have(witness.ParsePolicy([]byte(c.head+rest)))(t, rest)
		for set := range 1 << len(c.cosigners) {
			cp := c.cosigned(t, set)
			seen := testmust.Have(ours.Cosignatures(cp))(t)
			got, want := ours.IsSatisfied(seen), theirs.Satisfied(cp.Note)
			testmust.Holdf(t, got == want, "%sset %05b: satisfied %v, they say %v", rest, set, got, want)
		}
	}
}

// A policy reports who has cosigned.
func TestPolicyCosignatures(t *testing.T) {
	c := newCast(t)
	p := testmust.Have(tlog.ParsePolicy([]byte(c.head + groups)))(t)
	testmust.Holdf(t, len(p.Logs) == 1 && p.Logs[0].Key.String() == c.log.Verifier().String() && p.Logs[0].URL == "https://"+origin && len(p.Cosigners) == 5 && p.Cosigners[1].URL == "https://cosigner.example/X2",
		"policy: %+v", p)
	seen, err := p.Cosignatures(c.cosigned(t, 0b10010))
	want := fmt.Sprint([]tlog.Cosignature{{"X2", "cosigner.example/X2", someTime}, {"Y2", "cosigner.example/Y2", someTime}})
	testmust.Holdf(t, err == nil && fmt.Sprint(seen) == want, "cosignatures %v, %v, want %v", seen, err, want)
	seen, err = p.Cosignatures(checkpointOf(t, 42, c.log))
	testmust.Holdf(t, err == nil && len(seen) == 0, "without: %v, %v", seen, err)
	// Two cosignatures by one cosigner count as one.
	cp := checkpointOf(t, 42, c.log)
	lines := linesOf(t, cp, c.cosigners[0])
	later, _, _ := cosignerKey(t, "x", tlog.Ed25519Cosignature, time.Unix(1, 0))
	cp.Note = append(append(append(cp.Note, lines...), lines...), linesOf(t, cp, later)...)
	seen, err = p.Cosignatures(cp)
	testmust.Holdf(t, err == nil && len(seen) == 1, "twice: %v, %v", seen, err)
	// A false cosignature by a known key spoils the checkpoint.
	other := checkpointOf(t, 43, c.log)
	cp = c.cosigned(t, 0b01111)
	cp.Note = append(cp.Note, linesOf(t, other, c.cosigners[4])...)
	seen, err = p.Cosignatures(cp)
	testmust.Holdf(t, errors.Is(err, tlog.ErrUnsigned) && len(seen) == 0, "a false cosignature: %v, %v, want ErrUnsigned", seen, err)
}

// Policies that are empty or ambiguous.
func TestPolicyForm(t *testing.T) {
	c := newCast(t)
	key := func(i int) string { return c.cosigners[i].Verifier().String() }
	renamed, err := tlog.ParsePolicy([]byte("witness W " + key(0) + "\nquorum W\n"))
	testmust.Holdf(t, err == nil && len(renamed.Cosigners) == 1 && renamed.Cosigners[0].URL == "", "a witness without URL: %+v, %v", renamed, err)
	testmust.Have(tlog.ParsePolicy([]byte("quorum none\n")))(t, "the least policy")
	for what, text := range map[string]string{
		"empty":                       "",
		"no quorum":                   c.head,
		"two quorums":                 c.head + "quorum X1\nquorum X1\n",
		"quorum before":               "quorum X1\n" + c.head,
		"quorum of nobody":            c.head + "quorum Z\n",
		"quorum of two":               c.head + "quorum X1 X2\n",
		"no last line feed":           c.head + "quorum X1",
		"carriage return":             c.head + "quorum X1\r\n",
		"other control character":     c.head + "quorum\vX1\n",
		"DEL":                         c.head + "# \x7f\nquorum X1\n",
		"unknown keyword":             c.head + "cosigner Z " + key(0) + "\nquorum X1\n",
		"comment at the end":          c.head + "quorum X1 # him\n",
		"log key as witness":          "witness Z " + c.log.Verifier().String() + "\nquorum Z\n",
		"cosigner key as log":         "log " + key(0) + "\nquorum none\n",
		"the same log twice":          c.head + "log " + c.log.Verifier().String() + "\nquorum none\n",
		"the same key, another name":  c.head + "witness Z " + key(0) + "\nquorum Z\n",
		"the same name":               c.head + "witness X1 " + newCast(t).cosigners[0].Verifier().String() + "\nquorum X1\n",
		"witness called none":         "witness none " + key(0) + "\nquorum none\n",
		"group called none":           c.head + "group none all X1\nquorum X1\n",
		"group called as a witness":   c.head + "group X1 all X2\nquorum X1\n",
		"member none":                 c.head + "group G all none\nquorum G\n",
		"member after":                c.head + "group G all H\ngroup H all X1\nquorum G\n",
		"member of itself":            c.head + "group G all G\nquorum G\n",
		"member twice":                c.head + "group G all X1 X1\nquorum G\n",
		"member of two groups":        c.head + "group G all X1\ngroup H all X1\nquorum G\n",
		"no members":                  c.head + "group G all\nquorum G\n",
		"threshold 0":                 c.head + "group G 0 X1\nquorum G\n",
		"threshold 3 of 2":            c.head + "group G 3 X1 X2\nquorum G\n",
		"threshold 01":                c.head + "group G 01 X1\nquorum G\n",
		"threshold +1":                c.head + "group G +1 X1\nquorum G\n",
		"threshold -1":                c.head + "group G -1 X1\nquorum G\n",
		"threshold beyond any number": c.head + "group G 99999999999999999999 X1\nquorum G\n",
		"bad key":                     "witness Z " + key(0) + "A\nquorum Z\n",
		"a word too many":             "witness Z " + key(0) + " https://x y\nquorum Z\n",
		"too long":                    strings.Repeat("#\n", 1<<19) + "quorum none\n",
		"too many groups":             c.head + manyGroups(65) + "quorum X1\n",
	} {
		testmust.FailBy(t, testmust.ErrorOf(tlog.ParsePolicy([]byte(text))), tlog.ErrMalformed, what)
	}
	p, err := tlog.ParsePolicy([]byte(c.head + manyGroups(64) + "quorum G63\n"))
	testmust.Holdf(t, err == nil && p.IsSatisfied([]tlog.Cosignature{{Cosigner: "X1"}}), "64 groups in each other: %v", err)
}

// manyGroups returns n groups, each the only member of the next.
func manyGroups(n int) string {
	text, last := "", "X1"
	for i := range n {
		text += fmt.Sprintf("group G%d all %s\n", i, last)
		last = fmt.Sprintf("G%d", i)
	}
	return text
}

// The specification requires room for at least 32 logs, 32 witnesses and 32 groups.
func TestPolicyHasRoom(t *testing.T) {
	var text strings.Builder
	for i := range 32 {
		_, _, log := cosignerKey(t, fmt.Sprintf("log.example/%d", i), tlog.MLDSA44, someTime)
		_, _, cosigner := cosignerKey(t, fmt.Sprintf("cosigner.example/%d", i), tlog.MLDSA44, someTime)
		fmt.Fprintf(&text, "log %s\nwitness w%d %s\ngroup g%d all w%d\n", log, i, cosigner, i, i)
	}
	testmust.Have(tlog.ParsePolicy([]byte(text.String() + "quorum g31\n")))(t)
}

// For every accepted policy all cosigners together are a quorum, and an independent parser reads it
// in the same way.
func FuzzPolicy(f *testing.F) {
	c := newCast(f)
	f.Add([]byte(c.head + groups))
	f.Add([]byte(c.head + "group G 2 X1 X2 Y2\n\t # comment\nquorum G\n"))
	f.Add([]byte("quorum none\n"))
	f.Add([]byte("witness A " + c.cosigners[1].Verifier().String() + "\nquorum A\n"))
	f.Add([]byte("group G 0 X\nquorum G"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := tlog.ParsePolicy(text)
		if err != nil {
			return
		}
		var all []tlog.Cosignature
		for _, c := range p.Cosigners {
			all = append(all, tlog.Cosignature{Cosigner: c.Name})
		}
		testmust.Hold(t, p.IsSatisfied(all), "all cosigners together are no quorum")
		for _, k := range p.Logs {
			again, err := tlog.ParseVerifierKey(k.Key.String())
			testmust.Holdf(t, err == nil && again.KeyHash() == k.Key.KeyHash(), "log key %v: %v", k.Key, err)
		}
		if !comparable(p, text) {
			return
		}
		theirs := testmust.Have(witness.ParsePolicy(text))(t, "they refuse it")
		testmust.Equal(t, theirs.Satisfied(checkpointOf(t, 42, c.log).Note), p.IsSatisfied(nil), "satisfied by nobody", "they say otherwise")
	})
}

// comparable reports whether an independent parser accepts exactly what the specification accepts in
// a policy. That parser requires URLs, takes no keyword as a name, ends lines at any #, and separates
// words at all spaces of Unicode.
func comparable(p *tlog.Policy, text []byte) bool {
	for _, c := range p.Cosigners {
		if u, err := url.Parse(c.URL); err != nil || u.Host == "" {
			return false
		}
	}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		for _, w := range words[1:] {
			if strings.Contains(w, "#") || slices.Contains([]string{"witness", "group", "quorum", "log"}, w) || words[0] != "group" && (w == "any" || w == "all") {
				return false
			}
		}
		if words[0] == "group" && strings.Count(" "+strings.Join(words, " ")+" ", " any ")+strings.Count(" "+strings.Join(words, " ")+" ", " all ") > 1 {
			return false
		}
	}
	return !bytes.ContainsFunc(text, func(r rune) bool { return r > 0x7e })
}

// Anybody can choose the bytes of a cosigner's answer.
func FuzzCosign(f *testing.F) {
	log, _ := newKey(f, origin)
	cp := checkpointOf(f, 42, log)
	s, _, _ := cosignerKey(f, "cosigner.example", tlog.Ed25519Cosignature, someTime)
	f.Add(linesOf(f, cp, s))
	f.Add([]byte("— cosigner.example AAAAAAAAAAA=\n"))
	f.Add([]byte("— \n"))
	f.Fuzz(func(t *testing.T, lines []byte) {
		more, _, err := cp.AddCosignatures(lines, s.Verifier())
		if err != nil {
			return
		}
		testmust.Have(note.Open(more.Note, note.VerifierList(s.Verifier())))(t, "taken, and then")
	})
}

// seeds makes the keys of the tests the same every time, for the corpora of the fuzz tests.
var seeds = mathrand.NewChaCha8([32]byte{1})

// cosignerKey makes a key with a clock that stands still.
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

// Only our own code accepts our cosignatures, or our code accepts only its own.
func TestCosignaturesOfOthers(t *testing.T) {
	log, _ := newKey(t, origin)
	c := checkpointOf(t, 42, log)
	for _, a := range []tlog.Algorithm{tlog.Ed25519Cosignature, tlog.MLDSA44} {
		ours, skey, vkey := cosignerKey(t, "cosigner.example/w1", a, someTime)
		theirV := testmust.Have(formats.NewVerifierForCosignatureV1(vkey))(t)
		cosigned, at, err := c.AddCosignatures(linesOf(t, c, ours), ours.Verifier())
		testmust.Requiref(t, err == nil && at.Equal(someTime), "algorithm %d: own cosignature: time %v, %v", a, at, err)
		n := testmust.Have(note.Open(cosigned.Note, note.VerifierList(theirV)))(t, "algorithm", a, "they do not take ours")
		if at, err := formats.CoSigV1Timestamp(n.Sigs[0]); err != nil || !at.Equal(someTime) {
			t.Errorf("algorithm %d: they read time %v, %v", a, at, err)
		}
		theirs := testmust.Have(formats.NewSignerForCosignatureV1(skey))(t)
		_, _, err = c.AddCosignatures(linesOf(t, c, theirs), ours.Verifier())
		testmust.Do(t, err, "algorithm", a, "we do not take theirs")
	}
}

// Other programs do not read a key of ours, or we do not read one of theirs.
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

// A text differs from the spelling of a key, and must be refused.
func TestVerifierKeyForm(t *testing.T) {
	_, _, good := cosignerKey(t, "cosigner.example", tlog.Ed25519Cosignature, someTime)
	name, rest, _ := strings.Cut(good, "+")
	id, text, _ := strings.Cut(rest, "+")
	raw := testmust.Have(base64.StdEncoding.DecodeString(text))(t)
	spelled := func(name string) string { // with the key ID that belongs to the name
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

// Answers that a lying cosigner, or somebody in between, can give.
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
		respelled := bytes.Clone(good)            // because of it, readers would refuse the whole checkpoint
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

// A cosigner's time is beyond all dates because of its clock or malice. Code that writes the time as
// JSON must not fail.
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

// The ML-DSA-44 signature covers the names of log and cosigner; the Ed25519 one also covers extension
// lines.
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

// While keys overlap, readers with the old or the new key accept the checkpoint, and readers with
// another log's key do not.
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
	// A false signature by a known key makes the note invalid, even beside a good one.
	lines := linesOf(t, checkpointOf(t, 43, newS), newS)
	text, _, _ := strings.Cut(string(c.Note), "\n\n")
	forged := tlog.Checkpoint{Origin: origin, Size: 42, Root: tlog.LeafHash(nil), Note: append([]byte(text+"\n\n"), append(linesOf(t, c, oldS), lines...)...)}
	testmust.Do(t, forged.Verify(oldV), "an unknown key's false signature")
	testmust.FailBy(t, forged.Verify(oldV, newV), tlog.ErrUnsigned, "a known key's false signature")
}

// A cosigner's key must not pass for a log's, since it only attests that it has seen a tree and does
// not promise one. A log's key must not pass for a cosigner's.
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
