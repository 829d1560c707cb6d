package tlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	formats "github.com/transparency-dev/formats/witness"
	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// cast is a log and cosigners, with a policy that names them.
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
			if cp, _, err = cp.AddCosignatures(linesOf(t, cp, s), s.Verifier()); err != nil {
				t.Fatal(err)
			}
		}
	}
	return cp
}

// A quorum that other people's code counts otherwise, for every set of
// cosigners.
func TestPolicyQuorums(t *testing.T) {
	c := newCast(t)
	for _, rest := range []string{
		groups, "quorum none\n", "quorum Y2\n", "group G all X1 Y2\nquorum G\n", "group G any X1 X2 X3 Y1 Y2\nquorum G\n",
		"group G 3 X1 X2 X3 Y1 Y2\nquorum G\n", "group A 2 X1 X2 X3\ngroup B 1 A Y1\ngroup C 2 B Y2\nquorum C\n", "group Unused all X1\nquorum X2\n",
	} {
		ours := testmust.Have(tlog.ParsePolicy([]byte(c.head+rest)))(t, rest)
		theirs := testmust.Have(formats.ParsePolicy([]byte(c.head+rest)))(t, rest)
		for set := range 1 << len(c.cosigners) {
			cp := c.cosigned(t, set)
			seen := testmust.Have(ours.Cosignatures(cp))(t)
			got, want := ours.IsSatisfied(seen), theirs.Satisfied(cp.Note)
			testmust.Holdf(t, got == want, "%sset %05b: satisfied %v, they say %v", rest, set, got, want)
		}
	}
}

// What a policy says of who has cosigned.
func TestPolicyCosignatures(t *testing.T) {
	c := newCast(t)
	p := testmust.Have(tlog.ParsePolicy([]byte(c.head + groups)))(t)
	if len(p.Logs) != 1 || p.Logs[0].Key.String() != c.log.Verifier().String() || p.Logs[0].URL != "https://"+origin || len(p.Cosigners) != 5 || p.Cosigners[1].URL != "https://cosigner.example/X2" {
		t.Errorf("policy: %+v", p)
	}
	seen, err := p.Cosignatures(c.cosigned(t, 0b10010))
	want := fmt.Sprint([]tlog.Cosignature{{"X2", "cosigner.example/X2", someTime}, {"Y2", "cosigner.example/Y2", someTime}})
	testmust.Holdf(t, err == nil && fmt.Sprint(seen) == want, "cosignatures %v, %v, want %v", seen, err, want)
	seen, err = p.Cosignatures(checkpointOf(t, 42, c.log))
	testmust.Holdf(t, err == nil && len(seen) == 0, "without: %v, %v", seen, err)
	// The same cosigner twice is one cosigner.
	cp := checkpointOf(t, 42, c.log)
	lines := linesOf(t, cp, c.cosigners[0])
	later, _, _ := cosignerKey(t, "x", tlog.Ed25519Cosignature, time.Unix(1, 0))
	cp.Note = append(append(append(cp.Note, lines...), lines...), linesOf(t, cp, later)...)
	seen, err = p.Cosignatures(cp)
	testmust.Holdf(t, err == nil && len(seen) == 1, "twice: %v, %v", seen, err)
	// A false one of somebody known spoils all.
	other := checkpointOf(t, 43, c.log)
	cp = c.cosigned(t, 0b01111)
	cp.Note = append(cp.Note, linesOf(t, other, c.cosigners[4])...)
	seen, err = p.Cosignatures(cp)
	testmust.Holdf(t, errors.Is(err, tlog.ErrUnsigned) && len(seen) == 0, "a false cosignature: %v, %v, want ErrUnsigned", seen, err)
}

// Policies that say nothing, or not one thing.
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

// manyGroups is n groups, each the only member of the next.
func manyGroups(n int) string {
	text, last := "", "X1"
	for i := range n {
		text += fmt.Sprintf("group G%d all %s\n", i, last)
		last = fmt.Sprintf("G%d", i)
	}
	return text
}

// The specification wants 32 logs, 32 witnesses and 32 groups at least.
func TestPolicyHasRoom(t *testing.T) {
	var text strings.Builder
	for i := range 32 {
		_, _, log := cosignerKey(t, fmt.Sprintf("log.example/%d", i), tlog.MLDSA44, someTime)
		_, _, cosigner := cosignerKey(t, fmt.Sprintf("cosigner.example/%d", i), tlog.MLDSA44, someTime)
		fmt.Fprintf(&text, "log %s\nwitness w%d %s\ngroup g%d all w%d\n", log, i, cosigner, i, i)
	}
	testmust.Have(tlog.ParsePolicy([]byte(text.String() + "quorum g31\n")))(t)
}

// Everything that can be said of any accepted policy: all cosigners together are
// a quorum, and other people's parser reads it the same way.
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
		theirs := testmust.Have(formats.ParsePolicy(text))(t, "they refuse it")
		testmust.Equal(t, theirs.Satisfied(checkpointOf(t, 42, c.log).Note), p.IsSatisfied(nil), "satisfied by nobody", "they say otherwise")
	})
}

// comparable reports whether other people's parser has nothing to say about a
// policy that the specification does not: it wants URLs, takes no keyword for a
// name, ends lines at any #, and separates words by all spaces of Unicode.
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

// A cosigner's answer is bytes from anybody.
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
