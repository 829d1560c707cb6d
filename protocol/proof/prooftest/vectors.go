package prooftest

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// Vectors holds the suite to the vectors in dir, which other implementations
// can read too: every file is what this package would write, and is judged as
// it expects. With update it writes them anew.
//
// A vector is a file of "name: value" lines, an empty line, and a proof in
// hexadecimal. A name may occur several times: a list. "expect" is success,
// malformed (refused for its form), wrong (of the right form, and does not
// verify) or, of a disclosure, order (the shuffle is one, in another order). One failure per file. A card is written as its bytes, or as "face"
// and a number if it is open. "check" is what a table says has failed (50.4).
//
// Of a suite that defers, the bytes are not a proof but what the seat will disclose: its lock,
// and of a shuffle the order behind it.
//
// Of a suite that differs from another in some relations, only those need be
// written, by how their files begin; none named are all. If elements have thousands of bits, named relations are written at
// their own place alone.
func Vectors(t *testing.T, s proof.Prover, dir string, update bool, only ...string) {
	s = settle(s)
	w := newWorld(t, s, 6)
	want := slices.DeleteFunc(vectors(w), func(v vector) bool {
		named := func(prefix string) bool { return strings.HasPrefix(v.file, prefix) }
		return len(only) > 0 && (!slices.ContainsFunc(only, named) || w.slow() && atOthers.MatchString(v.file))
	})
	if update {
		rewrite(t, dir, want)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) != len(want) {
		t.Errorf("%s has %d vectors, want %d (%v)", dir, len(files), len(want), err)
	}
	for _, v := range want {
		t.Run(v.file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(dir, v.file))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(text, v.text) {
				t.Error("the file is not what the generator writes")
			}
			judge(t, s, text)
		})
	}
}

// atOthers are the variants of a proof at another place.
var atOthers = regexp.MustCompile(`-(another|other)-`)

func rewrite(t *testing.T, dir string, all []vector) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, v := range all {
		if err := os.WriteFile(filepath.Join(dir, v.file), v.text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type vector struct {
	file string
	text []byte
}

// vectors returns the deal, and for each relation honest proofs and failures.
func vectors(w *world) []vector {
	list := []vector{w.dealVector()}
	add := func(file, expect, comment string, p proved) {
		list = append(list, vector{file + ".txt", w.write(expect, comment, p)})
	}
	for _, r := range []struct {
		name    string
		p       proved
		comment string // on the wrong one
		wrong   func(proof.Statement) proof.Statement
	}{
		{"ownership", w.ownership(1), "the key is another seat's", but(func(s *proof.Ownership) { s.Key = w.keys[2] })},
		{"shuffle-first", w.shuffle(6, true), "the open cards come in another order",
			but(func(s *proof.Shuffle) { s.In = append(slices.Clone(s.In[1:]), s.In[0]) })},
		{"shuffle-two", w.shuffle(2, false), "the cards after the shuffle come in another order",
			but(func(s *proof.Shuffle) { s.Out = []proof.Masked{s.Out[1], s.Out[0]} })},
		{"shuffle-hand", w.handShuffle(3), "a card is duplicated and another dropped",
			but(func(s *proof.Shuffle) { s.Out = []proof.Masked{s.Out[0], s.Out[1], s.Out[0]} })},
		{"reveal", w.reveal(3), "two tokens are exchanged",
			but(func(s *proof.Reveal) { s.Tokens = []proof.Token{s.Tokens[0], s.Tokens[2], s.Tokens[1]} })},
		{"transfer", w.transfer(), "another card is handed over", but(func(s *proof.Transfer) { s.New = w.stranger() })},
		{"condition-one", w.condition(1, 1, 2, 1, 1), "the card is another",
			but(func(s *proof.Condition) { s.Cards = []proof.Masked{w.stranger()} })},
		{"condition-some", w.condition(3, 2, 1, 1, 3), "the cards come in another order",
			but(func(s *proof.Condition) { s.Cards = []proof.Masked{s.Cards[1], s.Cards[0], s.Cards[2]} })},
		{"condition-exactly", w.condition(3, 2, 0, 2, 2), "the cards come in another order",
			but(func(s *proof.Condition) { s.Cards = []proof.Masked{s.Cards[2], s.Cards[1], s.Cards[0]} })},
		{"condition-none", w.condition(3, 0, 2, 0, 0), "a card is another",
			but(func(s *proof.Condition) { s.Cards = []proof.Masked{s.Cards[0], s.Cards[1], w.stranger()} })},
		{"condition-half", w.condition(6, 3, 0, 3, 3), "the set is its complement, of which the same is true",
			but(func(s *proof.Condition) { s.Set = s.Set.Complement(w.faces) })},
	} {
		if r.p.statement == nil {
			continue // the suite does not prove it
		}
		add(r.name, "success", "an honest "+proof.Relation(r.p.statement), r.p)
		q := r.p
		q.statement = r.wrong(r.p.statement)
		if s, ok := q.statement.(proof.Shuffle); ok && w.defers(s) {
			add(r.name+"-statement", "order", r.comment, q)
			s = r.p.statement.(proof.Shuffle)
			s.Out = append([]proof.Masked{w.stranger()}, s.Out[1:]...)
			q.statement = s
			add(r.name+"-card", "wrong", "a card after the shuffle is another", q)
		} else {
			add(r.name+"-statement", "wrong", r.comment, q)
		}
		if w.defers(r.p.statement) {
			w.undisclosed(r.name, r.p, add)
			continue
		}
		w.failures(r.name, r.p, add)
	}
	// Of some conditions there is a shorter proof if the deck is large: by inequality, by
	// subset with a filler, and without one. By one of all faces threshold is all there is.
	large, larger := newWorld(w.t, w.suite, 25), newWorld(w.t, w.suite, 32)
	for _, c := range []struct {
		name string
		w    *world
		p    proved
	}{
		{"condition-few", large, large.condition(4, 4, 1, 4, 4)},
		{"condition-subset", larger, larger.condition(4, 4, 1, 4, 4)},
		{"condition-subset-whole", larger, larger.condition(4, 4, 0, 4, 4)},
		{"condition-any", w, w.condition(2, 2, w.faces.Len()-2, 2, 2)},
	} {
		if c.p.statement == nil {
			continue
		}
		list = append(list, vector{c.name + ".txt", c.w.write("success", "an honest condition", c.p)})
		c.w.failures(c.name, c.p, func(file, expect, comment string, p proved) {
			list = append(list, vector{file + ".txt", c.w.write(expect, comment, p)})
		})
	}
	if w.arranger() == nil {
		return list
	}
	exchanged := but(func(s *proof.Arrange) { s.Out = []proof.Masked{s.Out[1], s.Out[0], s.Out[2]} })
	for _, r := range []struct {
		name    string
		p       proved
		comment string // on the wrong one
		wrong   func(proof.Statement) proof.Statement
	}{
		{"arrange-cut", w.arrange(proof.Cut, 3, false), "two cards are exchanged after the cut", exchanged},
		{"arrange-insert", w.arrange(proof.Insert, 3, true), "two cards are exchanged after the insertion", exchanged},
		{"arrange-one", w.arrange(proof.Cut, 1, false), "the card is another", but(func(s *proof.Arrange) { s.Out = []proof.Masked{w.stranger()} })},
		{"mint-known", w.mint(4), "the face is another", but(func(s *proof.Mint) { s.Set = card.SetOf(3) })},
		{"mint-private", w.mint(4, 1, 5), "the card is another", but(func(s *proof.Mint) { s.Card = w.stranger() })},
	} {
		add(r.name, "success", "an honest "+proof.Relation(r.p.statement), r.p)
		q := r.p
		q.statement = r.wrong(r.p.statement)
		add(r.name+"-statement", "wrong", r.comment, q)
		w.failures(r.name, r.p, add)
	}
	return list
}

// but returns a change of statements of one type.
func but[S proof.Statement](change func(*S)) func(proof.Statement) proof.Statement {
	return func(s proof.Statement) proof.Statement {
		changed := s.(S)
		change(&changed)
		return changed
	}
}

// scalarFirst are the vectors of proofs that begin with a scalar.
var scalarFirst = map[string]bool{"condition-one": true, "condition-some": true, "condition-any": true}

// failures adds the failures that every relation has.
func (w *world) failures(name string, p proved, add func(file, expect, comment string, p proved)) {
	field := len(w.keys[0].Bytes())
	bytes := func(comment, expect string, change func([]byte) []byte) {
		q := p
		q.proof = change(slices.Clone(p.proof))
		add(name+"-"+strings.ReplaceAll(comment, " ", "-"), expect, comment, q)
	}
	bytes("one byte less", "malformed", func(b []byte) []byte { return b[:len(b)-1] })
	bytes("one byte more", "malformed", func(b []byte) []byte { return append(b, 0) })
	bytes("empty", "malformed", func([]byte) []byte { return nil })
	bytes("first field all ones", "malformed", func(b []byte) []byte { return append(slices.Repeat([]byte{0xff}, field), b[field:]...) })
	bytes("last field all ones", "malformed", func(b []byte) []byte {
		return append(b[:len(b)-field], slices.Repeat([]byte{0xff}, field)...)
	})
	zero := "malformed" // the identity is no element of a proof
	if scalarFirst[name] {
		zero = "wrong" // but zero is a scalar
	}
	bytes("first field zero", zero, func(b []byte) []byte { return append(make([]byte, field), b[field:]...) })
	bytes("last field changed", "wrong", func(b []byte) []byte { b[len(b)-field] ^= 1; return b })
	for _, e := range elsewhere(p.at) {
		if e.name == "another suite" {
			continue // the reader of a vector has one suite
		}
		q := p
		q.at = e.value
		add(name+"-"+strings.ReplaceAll(e.name, " ", "-"), "wrong", "the proof was made for another place: "+e.name, q)
	}
}

// undisclosed adds the failures of what is disclosed in place of a proof.
func (w *world) undisclosed(name string, p proved, add func(file, expect, comment string, p proved)) {
	q := p
	lock := len(w.secrets[1].Bytes())
	for _, c := range []struct {
		comment string
		b       []byte
	}{
		{"one byte less", p.proof[:len(p.proof)-1]},
		{"one byte more", append(slices.Clone(p.proof), 0)},
		{"empty", nil},
		{"all ones", slices.Repeat([]byte{0xff}, len(p.proof))},
		{"of another key", append(w.secrets[2].Bytes(), p.proof[lock:]...)},
	} {
		q.proof = c.b
		add(name+"-"+strings.ReplaceAll(c.comment, " ", "-"), "malformed", c.comment, q)
	}
	if order := slices.Clone(p.proof[lock:]); len(order) > 0 {
		order[0], order[1] = order[1], order[0]
		q.proof = append(slices.Clone(p.proof[:lock]), order...)
		add(name+"-another-order", "order", "two places of the order are exchanged", q)
		order[0] = order[1]
		q.proof = append(slices.Clone(p.proof[:lock]), order...)
		add(name+"-place-twice", "malformed", "the order names a place twice", q)
	}
}

// writer writes "name: value" lines.
type writer struct{ bytes.Buffer }

func (w *writer) line(name string, value any) { fmt.Fprintf(w, "%s: %v\n", name, value) }

func (w *writer) hex(name string, values ...interface{ Bytes() []byte }) {
	for _, v := range values {
		w.line(name, hex.EncodeToString(v.Bytes()))
	}
}

func (w *world) write(expect, comment string, p proved) []byte {
	out := new(writer)
	out.line("expect", expect)
	if expect != "success" {
		out.line("check", w.check(p.statement, expect))
	}
	out.line("comment", comment)
	out.line("suite", p.at.suite)
	out.line("rules", p.at.rules)
	out.line("table", hex.EncodeToString(p.at.table.ID[:]))
	out.line("deck", hex.EncodeToString(p.at.deck.ID[:]))
	out.line("keys", hex.EncodeToString(p.at.keys.Hash[:]))
	out.line("deal", p.at.deal)
	out.line("parent", hex.EncodeToString(p.at.parent.Hash[:]))
	out.line("kind", p.at.kind)
	out.line("seat", p.at.seat)
	out.line("slot", p.at.slot)
	w.writeDeck(out)
	if readsByDeal(w.suite) {
		out.hex("seat-key", w.keys[0], w.keys[1], w.keys[2])
	}
	out.line("relation", proof.Relation(p.statement))
	w.writeStatement(out, p.statement)
	out.WriteString("\n")
	for b := p.proof; len(b) > 0; b = b[min(len(b), field):] {
		fmt.Fprintf(out, "%x\n", b[:min(len(b), field)])
	}
	return out.Bytes()
}

// readsByDeal reports whether cards and tokens are read with the keys of their deal.
func readsByDeal(s proof.Suite) bool {
	_, ok := s.Encoding().(interface {
		Seated(keys []proof.Key, d proof.Deck) (proof.Encoding, error)
	})
	return ok
}

// check is what a table says has failed, in the words of 50.4.
func (w *world) check(s proof.Statement, expect string) string {
	switch {
	case w.defers(s) && expect == "wrong":
		return "D2-step"
	case w.defers(s):
		return "D1-lock"
	}
	relations := []string{"ownership", "shuffle", "reveal", "transfer", "condition", "arrange", "mint"}
	return fmt.Sprintf("P%d-%s", 1+slices.Index(relations, proof.Relation(s)), proof.Relation(s))
}

func (w *world) writeDeck(out *writer) {
	out.line("deck-name", w.faces.Name())
	for f := range w.faces.Len() {
		out.line("face", w.faces.FaceName(card.Face(f)))
	}
}

func (w *world) writeStatement(out *writer, s proof.Statement) {
	switch s := s.(type) {
	case proof.Ownership:
		out.hex("key", s.Key)
	case proof.Shuffle:
		out.hex("key", s.Key)
		if w.locks {
			out.hex("by", s.By)
		}
		w.writeCards(out, "in", s.In)
		w.writeCards(out, "out", s.Out)
	case proof.Reveal:
		out.hex("key", s.Key)
		w.writeCards(out, "card", s.Cards)
		for _, t := range s.Tokens {
			out.hex("token", t)
		}
	case proof.Transfer:
		out.hex("from", s.From)
		out.hex("to", s.To)
		w.writeCards(out, "old", []proof.Masked{s.Old})
		w.writeCards(out, "new", []proof.Masked{s.New})
	case proof.Condition:
		out.hex("key", s.Key)
		w.writeCards(out, "card", s.Cards)
		for _, f := range s.Set.Faces() {
			out.line("set", f)
		}
		out.line("min", s.Min)
		out.line("max", s.Max)
	case proof.Arrange:
		out.line("family", s.Family)
		out.hex("key", s.Key)
		w.writeCards(out, "in", s.In)
		w.writeCards(out, "out", s.Out)
	case proof.Mint:
		out.hex("key", s.Key)
		w.writeCards(out, "card", []proof.Masked{s.Card})
		for _, f := range s.Set.Faces() {
			out.line("set", f)
		}
	default:
		w.t.Fatalf("prooftest: no vector of %T", s)
	}
}

func (w *world) writeCards(out *writer, name string, cards []proof.Masked) {
	open := w.deck.Cards()
	for _, c := range cards {
		f := slices.IndexFunc(open, func(o proof.Masked) bool { return bytes.Equal(o.Bytes(), c.Bytes()) })
		if f >= 0 {
			out.line(name, fmt.Sprintf("face %d", f))
			continue
		}
		out.hex(name, c)
	}
}

// dealVector is a deck, three secrets and a card with all its tokens.
func (w *world) dealVector() vector {
	out := new(writer)
	out.line("expect", "success")
	out.line("comment", "open cards, secrets, keys, joint key; a masked card, its tokens, its face")
	out.line("suite", w.suite.Name())
	w.writeDeck(out)
	for _, c := range w.deck.Cards() {
		out.hex("open", c)
	}
	for i, x := range w.secrets {
		out.hex("secret", x)
		out.hex("key", w.keys[i])
	}
	out.hex("joint", w.joint)
	c := w.shuffled(w.deck.Cards())[0]
	out.hex("card", c)
	for _, x := range w.secrets { // each token is for the card that the one before it left
		out.hex("token", x.Token(c))
		c = w.stripped(c, x)
	}
	f, ok := w.deck.Face(c)
	if !ok {
		w.t.Fatal("card without a face")
	}
	out.line("shows", f)
	out.WriteString("\n")
	return vector{"deal.txt", out.Bytes()}
}

// reader is a vector that was read: its lines by name, and its body.
type reader struct {
	t     *testing.T
	suite proof.Prover
	file  string
	lines map[string][]string
	body  []byte
}

func read(t *testing.T, s proof.Prover, text []byte) *reader {
	t.Helper()
	r := &reader{t: t, suite: s, lines: map[string][]string{}}
	header, body, ok := strings.Cut(string(text), "\n\n")
	if !ok {
		t.Fatal("no empty line")
	}
	for line := range strings.Lines(header) {
		name, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			t.Fatalf("line %q", line)
		}
		r.lines[name] = append(r.lines[name], value)
	}
	r.body = r.unhex(strings.ReplaceAll(body, "\n", ""))
	return r
}

func (r *reader) fatal(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *reader) one(name string) string {
	r.t.Helper()
	if len(r.lines[name]) != 1 {
		r.t.Fatalf("%d lines %q, want 1", len(r.lines[name]), name)
	}
	return r.lines[name][0]
}

func (r *reader) unhex(s string) []byte {
	r.t.Helper()
	b, err := hex.DecodeString(s)
	r.fatal(err)
	return b
}

func (r *reader) hash(name string) [32]byte {
	r.t.Helper()
	return [32]byte(r.unhex(r.one(name)))
}

func (r *reader) number(name string) int {
	r.t.Helper()
	n, err := strconv.Atoi(r.one(name))
	r.fatal(err)
	return n
}

func (r *reader) place() place {
	return place{
		suite: transcript.Suite(r.one("suite")), rules: transcript.Rules(r.one("rules")),
		table: transcript.Table{ID: r.hash("table")}, deck: transcript.Deck{ID: r.hash("deck")}, keys: transcript.Keys{Hash: r.hash("keys")}, deal: transcript.Deal(r.number("deal")),
		parent: transcript.Parent{Hash: r.hash("parent")}, kind: transcript.Kind(r.one("kind")), seat: transcript.Seat(r.number("seat")), slot: uint16(r.number("slot")),
	}
}

// key is a seat's, or the joint one of those whose keys the vector has.
func (r *reader) key(name string) proof.Key {
	r.t.Helper()
	enc, b := r.suite.Encoding(), r.unhex(r.one(name))
	if seats := r.keys("seat-key"); len(seats) > 0 {
		if joint, err := enc.Joint(seats); err == nil && bytes.Equal(joint.Bytes(), b) {
			return joint
		}
	}
	k, err := enc.ParseKey(b)
	r.fatal(err)
	return k
}

func (r *reader) keys(name string) (list []proof.Key) {
	r.t.Helper()
	for _, line := range r.lines[name] {
		k, err := r.suite.Encoding().ParseKey(r.unhex(line))
		r.fatal(err)
		list = append(list, k)
	}
	return list
}

// encoding is that of the deal whose keys the vector has, or else the suite's.
func (r *reader) encoding() proof.Encoding {
	r.t.Helper()
	seats := r.keys("seat-key")
	if len(r.lines["joint"]) > 0 {
		seats = r.keys("key")
	}
	if len(seats) == 0 {
		return r.suite.Encoding()
	}
	enc, err := proof.Seated(r.suite.Encoding(), seats, r.deck())
	r.fatal(err)
	return enc
}

func (r *reader) deck() proof.Deck {
	r.t.Helper()
	names, err := card.NewDeck(r.one("deck-name"), r.lines["face"])
	r.fatal(err)
	d, err := r.suite.Encoding().Deck(names)
	r.fatal(err)
	return d
}

func (r *reader) cards(name string) []proof.Masked {
	r.t.Helper()
	var list []proof.Masked
	for _, line := range r.lines[name] {
		var f int
		if _, err := fmt.Sscanf(line, "face %d", &f); err == nil {
			list = append(list, r.deck().Cards()[f])
			continue
		}
		c, err := r.encoding().ParseMasked(r.unhex(line))
		r.fatal(err)
		list = append(list, c)
	}
	return list
}

func (r *reader) tokens() []proof.Token {
	r.t.Helper()
	var list []proof.Token
	for _, line := range r.lines["token"] {
		k, err := r.encoding().ParseToken(r.unhex(line))
		r.fatal(err)
		list = append(list, k)
	}
	return list
}

func (r *reader) set() card.Set {
	r.t.Helper()
	var s card.Set
	for _, line := range r.lines["set"] {
		f, err := strconv.Atoi(line)
		r.fatal(err)
		s = s.With(card.Face(f))
	}
	return s
}

func (r *reader) statement() proof.Statement {
	r.t.Helper()
	switch r.one("relation") {
	case "ownership":
		return proof.Ownership{Key: r.key("key")}
	case "shuffle":
		s := proof.Shuffle{Key: r.key("key"), In: r.cards("in"), Out: r.cards("out")}
		if len(r.lines["by"]) > 0 {
			s.By = r.key("by")
		}
		return s
	case "reveal":
		return proof.Reveal{Key: r.key("key"), Cards: r.cards("card"), Tokens: r.tokens()}
	case "transfer":
		return proof.Transfer{From: r.key("from"), To: r.key("to"), Old: r.cards("old")[0], New: r.cards("new")[0]}
	case "condition":
		return proof.Condition{
			Key: r.key("key"), Deck: r.deck(), Cards: r.cards("card"), Set: r.set(),
			Min: r.number("min"), Max: r.number("max"),
		}
	case "arrange":
		return proof.Arrange{Family: proof.Family(r.one("family")), Key: r.key("key"), In: r.cards("in"), Out: r.cards("out")}
	case "mint":
		return proof.Mint{Key: r.key("key"), Deck: r.deck(), Card: r.cards("card")[0], Set: r.set()}
	}
	r.t.Fatalf("relation %q", r.one("relation"))
	return nil
}

// judge verifies a vector from its text alone.
func judge(t *testing.T, s proof.Prover, text []byte) {
	t.Helper()
	r := read(t, s, text)
	if len(r.lines["relation"]) == 0 {
		r.judgeDeal()
		return
	}
	b, got := s.NewBatch(), "success"
	if err := s.Verify(r.place().context(), r.statement(), r.body, b); err != nil {
		switch got = "malformed"; {
		case errors.Is(err, proof.ErrOrder):
			got = "order"
		case errors.Is(err, proof.ErrWrong):
			got = "wrong" // checked at once
		}
	} else if b.Check() != nil {
		got = "wrong"
	}
	if want := r.one("expect"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func (r *reader) judgeDeal() {
	enc := r.encoding()
	for f, c := range r.deck().Cards() {
		if got := hex.EncodeToString(c.Bytes()); got != r.lines["open"][f] {
			r.t.Errorf("face %d: open card %s, want %s", f, got, r.lines["open"][f])
		}
	}
	c, tokens := r.cards("card")[0], r.tokens()
	var keys []proof.Key
	for i, line := range r.lines["secret"] {
		x, err := r.suite.ParseSecret(r.unhex(line))
		r.fatal(err)
		keys = append(keys, x.Key())
		if got := hex.EncodeToString(x.Key().Bytes()); got != r.lines["key"][i] {
			r.t.Errorf("seat %d: key %s, want %s", i, got, r.lines["key"][i])
		}
		if got := hex.EncodeToString(x.Token(c).Bytes()); got != r.lines["token"][i] {
			r.t.Errorf("seat %d: token %s, want %s", i, got, r.lines["token"][i])
		}
		c = enc.Strip(c, tokens[i])
	}
	joint, err := enc.Joint(keys)
	r.fatal(err)
	if got := hex.EncodeToString(joint.Bytes()); got != r.one("joint") {
		r.t.Errorf("joint key %s, want %s", got, r.one("joint"))
	}
	if f, ok := r.deck().Face(c); !ok || int(f) != r.number("shows") {
		r.t.Errorf("card shows %d (%v), want %d", f, ok, r.number("shows"))
	}
}

// VectorsInBatch puts every failure among the vectors in dir into a batch of honest
// ones, at one place after another: it must be refused there too, by its own label.
func VectorsInBatch(t *testing.T, s proof.Prover, dir string) {
	s = settle(s)
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no vectors in %s (%v)", dir, err)
	}
	var honest, bad []*reader
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r := read(t, s, text)
		switch {
		case len(r.lines["relation"]) == 0: // the deal
		case r.one("expect") == "success":
			honest = append(honest, r)
		default:
			r.file = filepath.Base(file)
			bad = append(bad, r)
		}
	}
	const neighbours = 4
	for i, r := range bad {
		var batch []*reader
		for n := range neighbours {
			batch = append(batch, honest[(i+n)%len(honest)])
		}
		place := i / len(honest) % (neighbours + 1)
		r.refusedAt(slices.Insert(batch, place, r), place)
	}
}

// refusedAt fails the test if a batch of vectors, the one at place being bad, is
// accepted, or another one is blamed.
func (r *reader) refusedAt(batch []*reader, place int) {
	r.t.Helper()
	b := r.suite.NewBatch()
	for i, v := range batch {
		b.Label(uint64(i))
		err := r.suite.Verify(v.place().context(), v.statement(), v.body, b)
		if err != nil && i == place {
			return // refused before the batch
		}
		if err != nil {
			r.t.Fatalf("%s: honest neighbour %d: %v", r.file, i, err)
		}
	}
	if got, err := label(b.Check()); err != nil || got != uint64(place) {
		r.t.Errorf("%s: batch blames %d (%v), want %d", r.file, got, err, place)
	}
}
