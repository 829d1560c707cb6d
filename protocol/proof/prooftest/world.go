package prooftest

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/transcript"
)

// world is a table of three seats, as far as a suite sees one.
type world struct {
	t          testing.TB
	suite      proof.Prover
	enc        proof.Encoding
	rand       io.Reader // deterministic, so that a failure can be repeated
	secrets    []proof.Secret
	keys       []proof.Key
	joint      proof.Key
	faces      card.Deck
	deck       proof.Deck
	neighbours []provedStatement // other proofs in a batch, made once
	locks      bool              // every seat shuffles under its own key
}

func newWorld(t testing.TB, s proof.Prover, deckSize int) *world {
	s = settleSuite(s)
	w := &world{t: t, suite: s, enc: s.Encoding(), rand: rand.NewChaCha8([32]byte{'w'})}
	for range 3 {
		w.addSeat()
	}
	var err error
	w.joint, err = w.enc.Joint(w.keys)
	w.failOnError(err)
	w.faces = deckOf(t, "prooftest", deckSize)
	w.deck, err = w.enc.Deck(w.faces)
	w.failOnError(err)
	w.enc, err = proof.DealEncoding(w.enc, w.keys, w.deck)
	w.failOnError(err)
	w.locks = w.opensAlone()
	return w
}

// isSlow reports whether elements have thousands of bits; then only small decks are tried.
func (w *world) isSlow() bool { return len(w.keys[0].Bytes()) > 200 }

// opensAlone reports whether a card that one seat has shuffled under the joint key is under that seat's
// key alone, as in a suite of locks.
func (w *world) opensAlone() bool {
	x := w.secrets[0]
	out, _, err := x.Shuffle(w.honestPlace().context(), w.joint, w.deck.Cards()[:2], restoredRandom(0))
	w.failOnError(err)
	_, open := w.deck.Face(w.stripTokens(out[0], x))
	return open
}

// unstatedField is the field of a statement that its proof does not cover. For a Shuffle the suite
// states either the joint key or who shuffles.
func (w *world) unstatedField(s proof.Statement) string {
	switch _, shuffle := s.(proof.Shuffle); {
	case !shuffle:
		return ""
	case w.locks:
		return "Key"
	}
	return "By"
}

func (w *world) addSeat() {
	x, err := w.suite.NewSecret(w.rand)
	w.failOnError(err)
	w.secrets, w.keys = append(w.secrets, x), append(w.keys, x.Key())
}

func deckOf(t testing.TB, name string, n int) card.Deck {
	t.Helper()
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("face %d", i)
	}
	d, err := card.NewDeck(name, names)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (w *world) failOnError(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// place is the place of a proof: the arguments of transcript.Bind.
type place struct {
	suite  transcript.Suite
	rules  transcript.Rules
	table  transcript.Table
	deck   transcript.Deck
	keys   transcript.Keys
	deal   transcript.Deal
	parent transcript.Parent
	kind   transcript.Kind
	seat   transcript.Seat
	slot   uint16
}

func (p place) context() transcript.Context {
	return transcript.Bind(p.suite, p.rules, p.table, p.deck, p.keys, p.deal, p.parent, p.kind, p.seat).Slot(p.slot)
}

// honestPlace is the place of the honest proofs of w.
func (w *world) honestPlace() place {
	return place{
		suite: transcript.Suite(w.suite.Name()), rules: "prooftest/v1",
		table: transcript.Table{ID: [32]byte{1}}, deck: transcript.Deck{ID: w.faces.ID()}, keys: transcript.Keys{Hash: [32]byte{2}},
		deal: 3, parent: transcript.Parent{Hash: [32]byte{4}}, kind: "test", seat: 1, slot: 5,
	}
}

// provedStatement is a statement with an honest proof at a place.
type provedStatement struct {
	name      string
	at        place
	statement proof.Statement
	proof     []byte
}

func (w *world) proveHere(name string, x proof.Secret, s proof.Statement, wit proof.Witness) provedStatement {
	w.t.Helper()
	p := provedStatement{name: name, at: w.honestPlace(), statement: s}
	var err error
	if p.proof, err = x.Prove(p.at.context(), s, wit, w.rand); err != nil {
		w.t.Fatalf("%s: prove: %v", name, err)
	}
	return p
}

// verifyAlone returns nil if p verifies in a batch of its own.
func (w *world) verifyAlone(p provedStatement) error {
	b := w.suite.NewBatch()
	if err := w.suite.Verify(p.at.context(), p.statement, p.proof, b); err != nil {
		return err
	}
	return b.Check()
}

// shuffleCards returns the deck, or other cards, shuffled under the joint key: by one seat, or if every
// seat has a lock of its own by all of them.
func (w *world) shuffleCards(in []proof.MaskedCard) []proof.MaskedCard {
	w.t.Helper()
	by := w.secrets[:1]
	if w.locks {
		by = w.secrets
	}
	for _, x := range by {
		out, _, err := x.Shuffle(w.honestPlace().context(), w.joint, in, w.rand)
		w.failOnError(err)
		in = out
	}
	return in
}

// stripTokens takes tokens off a card one after another; each is made for the card that the one before
// left.
func (w *world) stripTokens(c proof.MaskedCard, by ...proof.Secret) proof.MaskedCard {
	for _, x := range by {
		c = w.enc.Strip(c, x.Token(c))
	}
	return c
}

// provesRelation reports whether the suite proves a relation. If it does not, there is no honest proof,
// and proved values are zero.
func (w *world) provesRelation(relation string) bool { return proof.Proves(w.suite, relation) }

// onlyProved leaves out the relations that the suite does not prove.
func onlyProved(list ...provedStatement) []provedStatement {
	return slices.DeleteFunc(list, func(p provedStatement) bool { return p.statement == nil })
}

// dealHand returns the first n cards of a fresh deal, masked under seat's key alone, and their faces.
func (w *world) dealHand(seat, n int) ([]proof.MaskedCard, []card.Face) {
	w.t.Helper()
	cards := w.shuffleCards(w.deck.Cards())[:n]
	hand, faces := make([]proof.MaskedCard, n), make([]card.Face, n)
	for i, c := range cards {
		hand[i] = w.stripTokens(c, slices.Delete(slices.Clone(w.secrets), seat, seat+1)...)
		var ok bool
		if faces[i], ok = w.deck.Face(w.stripTokens(hand[i], w.secrets[seat])); !ok {
			w.t.Fatal("a card with all tokens taken off has no face")
		}
	}
	return hand, faces
}

func (w *world) proveOwnership(seat int) provedStatement {
	return w.proveHere("ownership", w.secrets[seat], proof.Ownership{Key: w.keys[seat]}, nil)
}

// proveShuffle proves a shuffle of n cards: of the open deck (first) or of a shuffled one.
func (w *world) proveShuffle(n int, first bool) provedStatement {
	w.t.Helper()
	in := w.deck.Cards()[:n]
	if !first {
		in = w.shuffleCards(in)
	}
	out, wit, err := w.secrets[1].Shuffle(w.honestPlace().context(), w.joint, in, w.rand)
	w.failOnError(err)
	return w.proveHere(fmt.Sprintf("shuffle of %d", n), w.secrets[1], proof.Shuffle{Key: w.joint, By: w.keys[1], In: in, Out: out}, wit)
}

// handShuffle proves a shuffle of a hand of n cards under its holder's key.
func (w *world) handShuffle(n int) provedStatement {
	w.t.Helper()
	if !w.provesRelation(proof.Permute) {
		return provedStatement{}
	}
	in, _ := w.dealHand(1, n)
	out, wit, err := w.secrets[1].Shuffle(w.honestPlace().context(), w.keys[1], in, w.rand)
	w.failOnError(err)
	return w.proveHere(fmt.Sprintf("shuffle of a hand of %d", n), w.secrets[1], proof.Shuffle{Key: w.keys[1], By: w.keys[1], In: in, Out: out}, wit)
}

func (w *world) proveReveal(n int) provedStatement {
	w.t.Helper()
	s := proof.Reveal{Key: w.keys[1], Cards: w.shuffleCards(w.deck.Cards())[:n]}
	for _, c := range s.Cards {
		s.Tokens = append(s.Tokens, w.secrets[1].Token(c))
	}
	return w.proveHere(fmt.Sprintf("reveal of %d", n), w.secrets[1], s, nil)
}

func (w *world) proveTransfer() provedStatement {
	w.t.Helper()
	if !w.provesRelation("transfer") {
		return provedStatement{}
	}
	hand, _ := w.dealHand(1, 1)
	moved, wit, err := w.secrets[1].Transfer(w.honestPlace().context(), hand[0], w.keys[2], w.rand)
	w.failOnError(err)
	s := proof.Transfer{From: w.keys[1], To: w.keys[2], Old: hand[0], New: moved}
	return w.proveHere("transfer", w.secrets[1], s, wit)
}

// proveCondition proves that between min and max of a hand of n cards are in a set, which contains
// exactly the first inside of them and others more faces of the deck.
func (w *world) proveCondition(n, inside, others, min, max int) provedStatement {
	w.t.Helper()
	if !w.provesRelation("condition") {
		return provedStatement{}
	}
	hand, faces := w.dealHand(1, n)
	set := card.SetOf(faces[:inside]...)
	for f := 0; f < w.faces.Len() && others > 0; f++ {
		if !card.SetOf(faces...).Has(card.Face(f)) {
			set, others = set.AddFace(card.Face(f)), others-1
		}
	}
	s := proof.Condition{Key: w.keys[1], Deck: w.deck, Cards: hand, Set: set, Min: min, Max: max}
	return w.proveHere(fmt.Sprintf("condition %d..%d of %d", min, max, n), w.secrets[1], s, nil)
}

// honestProofs returns at least one small proof of each relation.
func (w *world) honestProofs() []provedStatement {
	w.t.Helper()
	list := onlyProved(
		w.proveOwnership(1),
		w.proveShuffle(2, true),
		w.proveShuffle(5, false),
		w.handShuffle(3),
		w.proveReveal(1),
		w.proveReveal(3),
		w.proveTransfer(),
		w.proveCondition(1, 1, 1, 1, 1),
		w.proveCondition(3, 2, 1, 1, 3),
		w.proveCondition(3, 2, 1, 2, 2),
	)
	return append(list, w.arrangedProofs()...)
}

// firstLabel returns the first label that a batch blames, or an error of another kind.
func firstLabel(err error) (uint64, error) {
	all, err := blamedLabels(err)
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// blamedLabels returns the labels that a batch blames, or an error of another kind.
func blamedLabels(err error) ([]uint64, error) {
	var wrong *proof.BatchError
	if errors.As(err, &wrong) && len(wrong.Labels) > 0 {
		return wrong.Labels, nil
	}
	return nil, fmt.Errorf("no *proof.BatchError: %v", err)
}
