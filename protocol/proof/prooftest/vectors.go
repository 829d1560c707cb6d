package prooftest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// CheckVectors holds the suite to a file of vectors, which other implementations can read too: the file
// is what this package would write, and each vector is judged as it expects. With update, the file is
// written anew. A suite that differs from another only in some relations needs only those, given by
// patterns of their names; no patterns mean all relations.
func CheckVectors(t *testing.T, s proof.Prover, file string, update bool, only ...string) {
	s = settleSuite(s)
	want := slices.DeleteFunc(makeVectors(newWorld(t, s, 6)), func(v vector) bool {
		named := func(pattern string) bool { is, _ := path.Match(pattern, v.Name); return is }
		return len(only) > 0 && !slices.ContainsFunc(only, named)
	})
	text := jsonLines(t, want)
	if update {
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if has, err := os.ReadFile(file); err != nil || !bytes.Equal(has, text) {
		t.Errorf("%s is out of date (%v): go generate writes it", file, err)
	}
	for _, r := range readVectors(t, s, file) {
		t.Run(r.Name, r.judgeVector)
	}
}

// SomeVectors judges one accepted and one refused vector of each relation, from the file alone.
func SomeVectors(t *testing.T, s proof.Prover, file string) {
	type kind struct {
		relation string
		accepted bool
	}
	seen := map[kind]bool{}
	for _, r := range readVectors(t, settleSuite(s), file) {
		if k := (kind{r.Relation, r.Expect == "success"}); !seen[k] {
			seen[k] = true
			t.Run(r.Name, r.judgeVector)
		}
	}
}

func jsonLines(t *testing.T, list []vector) []byte {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	for _, v := range list {
		if err := e.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

// vector is a line of a file: a statement at its place, with a proof; or a deal. A card is its bytes,
// or "face" and a number if it is open.
type vector struct {
	Name     string           `json:"name"`
	Comment  string           `json:"comment"`
	Expect   string           `json:"expect"`          // success, malformed, wrong or, for a disclosure, order
	Check    string           `json:"check,omitempty"` // the check that a table says has failed (50.4)
	Suite    transcript.Suite `json:"suite"`
	Rules    transcript.Rules `json:"rules,omitempty"`
	Table    octets           `json:"table,omitempty"`
	Deck     octets           `json:"deck,omitempty"`
	Keys     octets           `json:"keys,omitempty"`
	Deal     transcript.Deal  `json:"deal,omitempty"`
	Parent   octets           `json:"parent,omitempty"`
	Kind     transcript.Kind  `json:"kind,omitempty"`
	Seat     transcript.Seat  `json:"seat,omitempty"`
	Slot     uint16           `json:"slot,omitempty"`
	DeckName string           `json:"deckName"`
	Faces    []string         `json:"faces"`
	SeatKeys []octets         `json:"seatKeys,omitempty"` // for a deal, or where cards are read with the keys of their deal
	Relation string           `json:"relation,omitempty"`
	Family   proof.Family     `json:"family,omitempty"`
	Key      octets           `json:"key,omitempty"`
	By       octets           `json:"by,omitempty"`
	From     octets           `json:"from,omitempty"`
	To       octets           `json:"to,omitempty"`
	In       []string         `json:"in,omitempty"`
	Out      []string         `json:"out,omitempty"`
	Old      string           `json:"old,omitempty"`
	New      string           `json:"new,omitempty"`
	Open     []octets         `json:"open,omitempty"`
	Secrets  []octets         `json:"secrets,omitempty"`
	Joint    octets           `json:"joint,omitempty"`
	Cards    []string         `json:"cards,omitempty"`
	Tokens   []octets         `json:"tokens,omitempty"`
	Shows    card.Face        `json:"shows,omitempty"`
	Set      []card.Face      `json:"set,omitempty"`
	Min      int              `json:"min,omitempty"`
	Max      int              `json:"max,omitempty"`
	// In a suite that defers this is no proof but what the seat will disclose: its lock, and for a
	// shuffle the order behind it.
	Proof octets `json:"proof,omitempty"`
}

// octets are bytes that are written in hexadecimal.
type octets []byte

func (o octets) MarshalText() ([]byte, error) { return hex.AppendEncode(nil, o), nil }

func (o *octets) UnmarshalText(text []byte) (err error) {
	*o, err = hex.AppendDecode(nil, text)
	return err
}

// octetsOf are the encodings of values.
func octetsOf[V interface{ Bytes() []byte }](values ...V) []octets {
	var list []octets
	for _, v := range values {
		list = append(list, v.Bytes())
	}
	return list
}

// makeVectors returns the deal, and for each relation honest proofs and failures.
func makeVectors(w *world) []vector {
	list := []vector{w.dealVector()}
	add := func(name, expect, comment string, p provedStatement) {
		list = append(list, w.proofVector(name, expect, comment, p))
	}
	for _, r := range []struct {
		name    string
		p       provedStatement
		comment string // for the wrong one
		wrong   func(proof.Statement) proof.Statement
	}{
		{"ownership", w.proveOwnership(1), "the key is another seat's", changeStatement(func(s *proof.Ownership) { s.Key = w.keys[2] })},
		{"shuffle-first", w.proveShuffle(6, true), "the open cards come in another order",
			changeStatement(func(s *proof.Shuffle) { s.In = append(slices.Clone(s.In[1:]), s.In[0]) })},
		{"shuffle-two", w.proveShuffle(2, false), "the cards after the shuffle come in another order",
			changeStatement(func(s *proof.Shuffle) { s.Out = []proof.MaskedCard{s.Out[1], s.Out[0]} })},
		{"shuffle-hand", w.handShuffle(3), "a card is duplicated and another dropped",
			changeStatement(func(s *proof.Shuffle) { s.Out = []proof.MaskedCard{s.Out[0], s.Out[1], s.Out[0]} })},
		{"reveal", w.proveReveal(3), "two tokens are exchanged",
			changeStatement(func(s *proof.Reveal) { s.Tokens = []proof.Token{s.Tokens[0], s.Tokens[2], s.Tokens[1]} })},
		{"transfer", w.proveTransfer(), "another card is handed over", changeStatement(func(s *proof.Transfer) { s.New = w.strangerCard() })},
		{"condition-one", w.proveCondition(1, 1, 2, 1, 1), "the card is another",
			changeStatement(func(s *proof.Condition) { s.Cards = []proof.MaskedCard{w.strangerCard()} })},
		{"condition-some", w.proveCondition(3, 2, 1, 1, 3), "the cards come in another order",
			changeStatement(func(s *proof.Condition) { s.Cards = []proof.MaskedCard{s.Cards[1], s.Cards[0], s.Cards[2]} })},
		{"condition-exactly", w.proveCondition(3, 2, 0, 2, 2), "the cards come in another order",
			changeStatement(func(s *proof.Condition) { s.Cards = []proof.MaskedCard{s.Cards[2], s.Cards[1], s.Cards[0]} })},
		{"condition-none", w.proveCondition(3, 0, 2, 0, 0), "a card is another",
			changeStatement(func(s *proof.Condition) { s.Cards = []proof.MaskedCard{s.Cards[0], s.Cards[1], w.strangerCard()} })},
		{"condition-half", w.proveCondition(6, 3, 0, 3, 3), "the set is its complement, of which the same is true",
			changeStatement(func(s *proof.Condition) { s.Set = s.Set.Complement(w.faces) })},
	} {
		if r.p.statement == nil {
			continue // the suite does not prove this relation
		}
		add(r.name, "success", "an honest "+proof.RelationName(r.p.statement), r.p)
		q := r.p
		q.statement = r.wrong(r.p.statement)
		if s, ok := q.statement.(proof.Shuffle); ok && w.isDeferred(s) {
			add(r.name+"-statement", "order", r.comment, q)
			s = r.p.statement.(proof.Shuffle)
			s.Out = append([]proof.MaskedCard{w.strangerCard()}, s.Out[1:]...)
			q.statement = s
			add(r.name+"-card", "wrong", "a card after the shuffle is another", q)
		} else {
			add(r.name+"-statement", "wrong", r.comment, q)
		}
		if w.isDeferred(r.p.statement) {
			w.addDisclosureFailures(r.name, r.p, add)
			continue
		}
		w.addFailures(r.name, r.p, add)
	}
	// In a large deck some conditions have a shorter proof: by inequality, and by subset with and
	// without a filler. For one among all faces threshold is the only way.
	large, larger := newWorld(w.t, w.suite, 25), newWorld(w.t, w.suite, 32)
	for _, c := range []struct {
		name string
		w    *world
		p    provedStatement
	}{
		{"condition-few", large, large.proveCondition(4, 4, 1, 4, 4)},
		{"condition-subset", larger, larger.proveCondition(4, 4, 1, 4, 4)},
		{"condition-subset-whole", larger, larger.proveCondition(4, 4, 0, 4, 4)},
		{"condition-any", w, w.proveCondition(2, 2, w.faces.Len()-2, 2, 2)},
	} {
		if c.p.statement == nil {
			continue
		}
		list = append(list, c.w.proofVector(c.name, "success", "an honest condition", c.p))
		c.w.addFailures(c.name, c.p, func(name, expect, comment string, p provedStatement) {
			list = append(list, c.w.proofVector(name, expect, comment, p))
		})
	}
	if w.arrangingSecret() == nil {
		return list
	}
	exchanged := changeStatement(func(s *proof.Arrange) { s.Out = []proof.MaskedCard{s.Out[1], s.Out[0], s.Out[2]} })
	for _, r := range []struct {
		name    string
		p       provedStatement
		comment string // for the wrong one
		wrong   func(proof.Statement) proof.Statement
	}{
		{"arrange-cut", w.proveArrangement(proof.Cut, 3, false), "two cards are exchanged after the cut", exchanged},
		{"arrange-insert", w.proveArrangement(proof.Insert, 3, true), "two cards are exchanged after the insertion", exchanged},
		{"arrange-one", w.proveArrangement(proof.Cut, 1, false), "the card is another", changeStatement(func(s *proof.Arrange) { s.Out = []proof.MaskedCard{w.strangerCard()} })},
		{"mint-known", w.proveMint(4), "the face is another", changeStatement(func(s *proof.Mint) { s.Set = card.SetOf(3) })},
		{"mint-private", w.proveMint(4, 1, 5), "the card is another", changeStatement(func(s *proof.Mint) { s.Card = w.strangerCard() })},
	} {
		add(r.name, "success", "an honest "+proof.RelationName(r.p.statement), r.p)
		q := r.p
		q.statement = r.wrong(r.p.statement)
		add(r.name+"-statement", "wrong", r.comment, q)
		w.addFailures(r.name, r.p, add)
	}
	return list
}

// changeStatement turns a change of one type of statement into a change of any statement.
func changeStatement[S proof.Statement](change func(*S)) func(proof.Statement) proof.Statement {
	return func(s proof.Statement) proof.Statement {
		changed := s.(S)
		change(&changed)
		return changed
	}
}

// scalarFirst are the vectors of proofs that begin with a scalar.
var scalarFirst = map[string]bool{"condition-one": true, "condition-some": true, "condition-any": true}

// addFailures adds the failures that every relation has.
func (w *world) addFailures(name string, p provedStatement, add func(name, expect, comment string, p provedStatement)) {
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
		zero = "wrong" // zero is a scalar
	}
	bytes("first field zero", zero, func(b []byte) []byte { return append(make([]byte, field), b[field:]...) })
	bytes("last field changed", "wrong", func(b []byte) []byte { b[len(b)-field] ^= 1; return b })
	for _, e := range otherPlaces(p.at) {
		if e.name == "another suite" {
			continue // a reader of vectors has only one suite
		}
		q := p
		q.at = e.value
		add(name+"-"+strings.ReplaceAll(e.name, " ", "-"), "wrong", "the proof was made for another place: "+e.name, q)
	}
}

// addDisclosureFailures adds the failures of what is disclosed in place of a proof.
func (w *world) addDisclosureFailures(name string, p provedStatement, add func(name, expect, comment string, p provedStatement)) {
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

// proofVector is the vector of a statement and its proof.
func (w *world) proofVector(name, expect, comment string, p provedStatement) vector {
	v := vector{
		Name: name, Comment: comment, Expect: expect,
		Suite: p.at.suite, Rules: p.at.rules, Table: p.at.table.ID[:], Deck: p.at.deck.ID[:], Keys: p.at.keys.Hash[:], Deal: p.at.deal,
		Parent: p.at.parent.Hash[:], Kind: p.at.kind, Seat: p.at.seat, Slot: p.at.slot,
		DeckName: w.faces.Name(), Faces: w.faceNames(), Relation: proof.RelationName(p.statement), Proof: p.proof,
	}
	if expect != "success" {
		v.Check = w.failedCheck(p.statement, expect)
	}
	if readsByDeal(w.suite) {
		v.SeatKeys = octetsOf(w.keys[:3]...)
	}
	w.writeStatement(&v, p.statement)
	return v
}

// readsByDeal reports whether cards and tokens are read with the keys of their deal.
func readsByDeal(s proof.Suite) bool {
	_, ok := s.Encoding().(interface {
		DealEncoding(keys []proof.Key, d proof.Deck) (proof.Encoding, error)
	})
	return ok
}

// failedCheck is the check that a table says has failed, in the words of 50.4.
func (w *world) failedCheck(s proof.Statement, expect string) string {
	switch {
	case w.isDeferred(s) && expect == "wrong":
		return "D2-step"
	case w.isDeferred(s):
		return "D1-lock"
	}
	relations := []string{"ownership", "shuffle", "reveal", "transfer", "condition", "arrange", "mint"}
	return fmt.Sprintf("P%d-%s", 1+slices.Index(relations, proof.RelationName(s)), proof.RelationName(s))
}

func (w *world) faceNames() []string {
	var list []string
	for f := range w.faces.Len() {
		list = append(list, w.faces.FaceName(card.Face(f)))
	}
	return list
}

// writeStatement writes a statement into its vector.
func (w *world) writeStatement(v *vector, s proof.Statement) {
	switch s := s.(type) {
	case proof.Ownership:
		v.Key = s.Key.Bytes()
	case proof.Shuffle:
		v.Key, v.In, v.Out = s.Key.Bytes(), w.spellCards(s.In...), w.spellCards(s.Out...)
		if w.locks {
			v.By = s.By.Bytes()
		}
	case proof.Reveal:
		v.Key, v.Cards, v.Tokens = s.Key.Bytes(), w.spellCards(s.Cards...), octetsOf(s.Tokens...)
	case proof.Transfer:
		v.From, v.To = s.From.Bytes(), s.To.Bytes()
		v.Old, v.New = w.spellCards(s.Old)[0], w.spellCards(s.New)[0]
	case proof.Condition:
		v.Key, v.Cards, v.Set, v.Min, v.Max = s.Key.Bytes(), w.spellCards(s.Cards...), s.Set.Faces(), s.Min, s.Max
	case proof.Arrange:
		v.Family, v.Key, v.In, v.Out = s.Family, s.Key.Bytes(), w.spellCards(s.In...), w.spellCards(s.Out...)
	case proof.Mint:
		v.Key, v.Cards, v.Set = s.Key.Bytes(), w.spellCards(s.Card), s.Set.Faces()
	default:
		w.t.Fatalf("prooftest: no vector of %T", s)
	}
}

// spellCards are cards as vectors write them.
func (w *world) spellCards(cards ...proof.MaskedCard) []string {
	var list []string
	open := w.deck.Cards()
	for _, c := range cards {
		text := hex.EncodeToString(c.Bytes())
		if f := slices.IndexFunc(open, func(o proof.MaskedCard) bool { return bytes.Equal(o.Bytes(), c.Bytes()) }); f >= 0 {
			text = fmt.Sprintf("face %d", f)
		}
		list = append(list, text)
	}
	return list
}

// dealVector is a deck, three secrets and a card with all its tokens.
func (w *world) dealVector() vector {
	v := vector{
		Name: "deal", Comment: "open cards, secrets, keys, joint key; a masked card, its tokens, its face", Expect: "success",
		Suite: transcript.Suite(w.suite.Name()), DeckName: w.faces.Name(), Faces: w.faceNames(), SeatKeys: octetsOf(w.keys...),
		Open: octetsOf(w.deck.Cards()...), Secrets: octetsOf(w.secrets...), Joint: w.joint.Bytes(),
	}
	c := w.shuffleCards(w.deck.Cards())[0]
	v.Cards = w.spellCards(c)
	for _, x := range w.secrets { // each token is for the card that the one before left
		v.Tokens = append(v.Tokens, x.Token(c).Bytes())
		c = w.stripTokens(c, x)
	}
	var ok bool
	if v.Shows, ok = w.deck.Face(c); !ok {
		w.t.Fatal("card without a face")
	}
	return v
}

// vectorReader is a vector that has been read.
type vectorReader struct {
	vector
	t     *testing.T
	suite proof.Prover
	enc   proof.Encoding // encoding of the deal whose keys the vector has, or else of the suite
	deck  proof.Deck
}

// readVectors reads the vectors of a file.
func readVectors(t *testing.T, s proof.Prover, file string) []*vectorReader {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var list []*vectorReader
	for line := range bytes.Lines(text) {
		r := &vectorReader{t: t, suite: s, enc: s.Encoding()}
		r.failOnError(json.Unmarshal(line, &r.vector))
		if n := len(list); n > 0 && list[n-1].hasDealOf(r.vector) {
			r.enc, r.deck = list[n-1].enc, list[n-1].deck
		} else {
			r.setUp()
		}
		list = append(list, r)
	}
	if len(list) == 0 {
		t.Fatalf("no vectors in %s", file)
	}
	return list
}

func (v vector) hasDealOf(o vector) bool {
	same := func(a, b octets) bool { return bytes.Equal(a, b) }
	return slices.Equal(v.Faces, o.Faces) && slices.EqualFunc(v.SeatKeys, o.SeatKeys, same)
}

// setUp makes the deck, and the encoding for those who hold its cards.
func (r *vectorReader) setUp() {
	r.t.Helper()
	names, err := card.NewDeck(r.DeckName, r.Faces)
	r.failOnError(err)
	r.deck, err = r.enc.Deck(names)
	r.failOnError(err)
	if len(r.SeatKeys) > 0 {
		r.enc, err = proof.DealEncoding(r.enc, r.parseSeatKeys(), r.deck)
		r.failOnError(err)
	}
}

func (r *vectorReader) failOnError(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *vectorReader) proofPlace() place {
	return place{
		suite: r.Suite, rules: r.Rules, table: transcript.Table{ID: [32]byte(r.Table)}, deck: transcript.Deck{ID: [32]byte(r.Deck)},
		keys: transcript.Keys{Hash: [32]byte(r.Keys)}, deal: r.Deal, parent: transcript.Parent{Hash: [32]byte(r.Parent)},
		kind: r.Kind, seat: r.Seat, slot: r.Slot,
	}
}

// parseKey reads the key of a seat, or the joint key of the seats whose keys the vector has.
func (r *vectorReader) parseKey(b octets) proof.Key {
	r.t.Helper()
	if len(r.SeatKeys) > 0 {
		if joint, err := r.enc.Joint(r.parseSeatKeys()); err == nil && bytes.Equal(joint.Bytes(), b) {
			return joint
		}
	}
	k, err := r.suite.Encoding().ParseKey(b)
	r.failOnError(err)
	return k
}

// parseSeatKeys reads the keys of the seats.
func (r *vectorReader) parseSeatKeys() (list []proof.Key) {
	r.t.Helper()
	for _, b := range r.SeatKeys {
		k, err := r.suite.Encoding().ParseKey(b)
		r.failOnError(err)
		list = append(list, k)
	}
	return list
}

func (r *vectorReader) parseCards(spelled ...string) []proof.MaskedCard {
	r.t.Helper()
	var list []proof.MaskedCard
	for _, text := range spelled {
		var f int
		if _, err := fmt.Sscanf(text, "face %d", &f); err == nil {
			list = append(list, r.deck.Cards()[f])
			continue
		}
		b, err := hex.DecodeString(text)
		r.failOnError(err)
		c, err := r.enc.ParseMasked(b)
		r.failOnError(err)
		list = append(list, c)
	}
	return list
}

func (r *vectorReader) parseTokens() []proof.Token {
	r.t.Helper()
	var list []proof.Token
	for _, b := range r.Tokens {
		k, err := r.enc.ParseToken(b)
		r.failOnError(err)
		list = append(list, k)
	}
	return list
}

func (r *vectorReader) parseStatement() proof.Statement {
	r.t.Helper()
	switch r.Relation {
	case "ownership":
		return proof.Ownership{Key: r.parseKey(r.Key)}
	case "shuffle":
		s := proof.Shuffle{Key: r.parseKey(r.Key), In: r.parseCards(r.In...), Out: r.parseCards(r.Out...)}
		if len(r.By) > 0 {
			s.By = r.parseKey(r.By)
		}
		return s
	case "reveal":
		return proof.Reveal{Key: r.parseKey(r.Key), Cards: r.parseCards(r.Cards...), Tokens: r.parseTokens()}
	case "transfer":
		return proof.Transfer{From: r.parseKey(r.From), To: r.parseKey(r.To), Old: r.parseCards(r.Old)[0], New: r.parseCards(r.New)[0]}
	case "condition":
		return proof.Condition{Key: r.parseKey(r.Key), Deck: r.deck, Cards: r.parseCards(r.Cards...), Set: card.SetOf(r.Set...), Min: r.Min, Max: r.Max}
	case "arrange":
		return proof.Arrange{Family: r.Family, Key: r.parseKey(r.Key), In: r.parseCards(r.In...), Out: r.parseCards(r.Out...)}
	case "mint":
		return proof.Mint{Key: r.parseKey(r.Key), Deck: r.deck, Card: r.parseCards(r.Cards...)[0], Set: card.SetOf(r.Set...)}
	}
	r.t.Fatalf("relation %q", r.Relation)
	return nil
}

// judgeVector verifies a vector.
func (r *vectorReader) judgeVector(t *testing.T) {
	r.t = t
	if r.Relation == "" {
		r.judgeDeal()
		return
	}
	b, got := r.suite.NewBatch(), "success"
	if err := r.suite.Verify(r.proofPlace().context(), r.parseStatement(), r.Proof, b); err != nil {
		switch got = "malformed"; {
		case errors.Is(err, proof.ErrOrder):
			got = "order"
		case errors.Is(err, proof.ErrWrong):
			got = "wrong" // it was checked at once
		}
	} else if b.Check() != nil {
		got = "wrong"
	}
	if got != r.Expect {
		r.t.Errorf("got %s, want %s", got, r.Expect)
	}
}

func (r *vectorReader) judgeDeal() {
	for f, c := range r.deck.Cards() {
		if !bytes.Equal(c.Bytes(), r.Open[f]) {
			r.t.Errorf("face %d: open card %x, want %x", f, c.Bytes(), r.Open[f])
		}
	}
	c, tokens := r.parseCards(r.Cards...)[0], r.parseTokens()
	var keys []proof.Key
	for i, b := range r.Secrets {
		x, err := r.suite.ParseSecret(b)
		r.failOnError(err)
		keys = append(keys, x.Key())
		if got := x.Key().Bytes(); !bytes.Equal(got, r.SeatKeys[i]) {
			r.t.Errorf("seat %d: key %x, want %x", i, got, r.SeatKeys[i])
		}
		if got := x.Token(c).Bytes(); !bytes.Equal(got, r.Tokens[i]) {
			r.t.Errorf("seat %d: token %x, want %x", i, got, r.Tokens[i])
		}
		c = r.enc.Strip(c, tokens[i])
	}
	joint, err := r.enc.Joint(keys)
	r.failOnError(err)
	if !bytes.Equal(joint.Bytes(), r.Joint) {
		r.t.Errorf("joint key %x, want %x", joint.Bytes(), r.Joint)
	}
	if f, ok := r.deck.Face(c); !ok || f != r.Shows {
		r.t.Errorf("card shows %d (%v), want %d", f, ok, r.Shows)
	}
}

// VectorsInBatch puts every failure among the vectors of a file into a batch of honest ones, at one
// place after another: the batch must refuse it there too, and blame its label. Vectors refused for
// their form reach no batch. Proofs from another place fail by their challenge like others, and are
// left out if only some of each are to be tried.
func VectorsInBatch(t *testing.T, s proof.Prover, file string, some bool) {
	var honest, bad []*vectorReader
	for _, r := range readVectors(t, settleSuite(s), file) {
		switch {
		case r.Relation == "": // the deal
		case r.Expect == "success":
			honest = append(honest, r)
		case r.Expect == "malformed", some && atOthers.MatchString(r.Name):
		default:
			bad = append(bad, r)
		}
	}
	const neighbours = 4
	for i, r := range bad {
		var batch []*vectorReader
		for n := range neighbours {
			batch = append(batch, honest[(i+n)%len(honest)])
		}
		place := i / len(honest) % (neighbours + 1)
		r.refusedAt(slices.Insert(batch, place, r), place)
	}
}

// atOthers matches the variants in which a proof is at another place.
var atOthers = regexp.MustCompile(`-(another|other)-`)

// refusedAt fails the test if a batch of vectors with a bad one at place is accepted, or blames another
// one.
func (r *vectorReader) refusedAt(batch []*vectorReader, place int) {
	r.t.Helper()
	b := r.suite.NewBatch()
	for i, v := range batch {
		b.Label(uint64(i))
		err := r.suite.Verify(v.proofPlace().context(), v.parseStatement(), v.Proof, b)
		if err != nil && i == place {
			return // refused before it reaches the batch
		}
		if err != nil {
			r.t.Fatalf("%s: honest neighbour %d: %v", r.Name, i, err)
		}
	}
	if got, err := firstLabel(b.Check()); err != nil || got != uint64(place) {
		r.t.Errorf("%s: batch blames %d (%v), want %d", r.Name, got, err, place)
	}
}
