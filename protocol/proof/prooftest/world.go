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
	rand       io.Reader // deterministic: a failure can be repeated
	secrets    []proof.Secret
	keys       []proof.Key
	joint      proof.Key
	faces      card.Deck
	deck       proof.Deck
	neighbours []proved // neighbours in a batch, made once
	locks      bool     // every seat shuffles under its own key
}

func newWorld(t testing.TB, s proof.Prover, deckSize int) *world {
	s = settle(s)
	w := &world{t: t, suite: s, enc: s.Encoding(), rand: rand.NewChaCha8([32]byte{'w'})}
	for range 3 {
		w.addSeat()
	}
	var err error
	w.joint, err = w.enc.Joint(w.keys)
	w.fatal(err)
	w.faces = deckOf(t, "prooftest", deckSize)
	w.deck, err = w.enc.Deck(w.faces)
	w.fatal(err)
	w.enc, err = proof.Seated(w.enc, w.keys, w.deck)
	w.fatal(err)
	w.locks = w.opensAlone()
	return w
}

// slow reports whether elements have thousands of bits: then small decks must do.
func (w *world) slow() bool { return len(w.keys[0].Bytes()) > 200 }

// opensAlone reports whether a card that one seat has shuffled under the joint key is
// under that seat's key alone, as in a suite of locks.
func (w *world) opensAlone() bool {
	x := w.secrets[0]
	out, _, err := x.Shuffle(w.here().context(), w.joint, w.deck.Cards()[:2], again(0))
	w.fatal(err)
	_, open := w.deck.Face(w.stripped(out[0], x))
	return open
}

// unstated is the field of a statement of which its proof says nothing: of a Shuffle
// the suite states the joint key, or who shuffles.
func (w *world) unstated(s proof.Statement) string {
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
	w.fatal(err)
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

func (w *world) fatal(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// place is where a proof belongs: the arguments of transcript.Bind.
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

// here is the place of the honest proofs of w.
func (w *world) here() place {
	return place{
		suite: transcript.Suite(w.suite.Name()), rules: "prooftest/v1",
		table: transcript.Table{ID: [32]byte{1}}, deck: transcript.Deck{ID: w.faces.ID()}, keys: transcript.Keys{Hash: [32]byte{2}},
		deal: 3, parent: transcript.Parent{Hash: [32]byte{4}}, kind: "test", seat: 1, slot: 5,
	}
}

// proved is a statement with an honest proof at a place.
type proved struct {
	name      string
	at        place
	statement proof.Statement
	proof     []byte
}

func (w *world) prove(name string, x proof.Secret, s proof.Statement, wit proof.Witness) proved {
	w.t.Helper()
	p := proved{name: name, at: w.here(), statement: s}
	var err error
	if p.proof, err = x.Prove(p.at.context(), s, wit, w.rand); err != nil {
		w.t.Fatalf("%s: prove: %v", name, err)
	}
	return p
}

// accepts returns nil if p verifies in a batch of its own.
func (w *world) accepts(p proved) error {
	b := w.suite.NewBatch()
	if err := w.suite.Verify(p.at.context(), p.statement, p.proof, b); err != nil {
		return err
	}
	return b.Check()
}

// shuffled returns the deck, or any cards, shuffled under the joint key: by one seat, or
// where every seat has a lock of its own by all of them.
func (w *world) shuffled(in []proof.Masked) []proof.Masked {
	w.t.Helper()
	by := w.secrets[:1]
	if w.locks {
		by = w.secrets
	}
	for _, x := range by {
		out, _, err := x.Shuffle(w.here().context(), w.joint, in, w.rand)
		w.fatal(err)
		in = out
	}
	return in
}

// stripped takes tokens off a card, one after another: each is made on the card that
// the one before it left.
func (w *world) stripped(c proof.Masked, by ...proof.Secret) proof.Masked {
	for _, x := range by {
		c = w.enc.Strip(c, x.Token(c))
	}
	return c
}

// proves reports whether the suite proves a relation. Of one that it does not prove there
// is no honest proof, and the zero proved.
func (w *world) proves(relation string) bool { return proof.Proves(w.suite, relation) }

// there leaves out what the suite does not prove.
func there(list ...proved) []proved {
	return slices.DeleteFunc(list, func(p proved) bool { return p.statement == nil })
}

// hand returns the first n cards of a fresh deal, masked under seat's key
// alone, and their faces.
func (w *world) hand(seat, n int) ([]proof.Masked, []card.Face) {
	w.t.Helper()
	cards := w.shuffled(w.deck.Cards())[:n]
	hand, faces := make([]proof.Masked, n), make([]card.Face, n)
	for i, c := range cards {
		hand[i] = w.stripped(c, slices.Delete(slices.Clone(w.secrets), seat, seat+1)...)
		var ok bool
		if faces[i], ok = w.deck.Face(w.stripped(hand[i], w.secrets[seat])); !ok {
			w.t.Fatal("a card with all tokens taken off has no face")
		}
	}
	return hand, faces
}

func (w *world) ownership(seat int) proved {
	return w.prove("ownership", w.secrets[seat], proof.Ownership{Key: w.keys[seat]}, nil)
}

// shuffle shuffles n cards of the open deck (first) or of a shuffled one.
func (w *world) shuffle(n int, first bool) proved {
	w.t.Helper()
	in := w.deck.Cards()[:n]
	if !first {
		in = w.shuffled(in)
	}
	out, wit, err := w.secrets[1].Shuffle(w.here().context(), w.joint, in, w.rand)
	w.fatal(err)
	return w.prove(fmt.Sprintf("shuffle of %d", n), w.secrets[1], proof.Shuffle{Key: w.joint, By: w.keys[1], In: in, Out: out}, wit)
}

// handShuffle shuffles a hand of n cards under its holder's key.
func (w *world) handShuffle(n int) proved {
	w.t.Helper()
	if !w.proves(proof.Permute) {
		return proved{}
	}
	in, _ := w.hand(1, n)
	out, wit, err := w.secrets[1].Shuffle(w.here().context(), w.keys[1], in, w.rand)
	w.fatal(err)
	return w.prove(fmt.Sprintf("shuffle of a hand of %d", n), w.secrets[1], proof.Shuffle{Key: w.keys[1], By: w.keys[1], In: in, Out: out}, wit)
}

func (w *world) reveal(n int) proved {
	w.t.Helper()
	s := proof.Reveal{Key: w.keys[1], Cards: w.shuffled(w.deck.Cards())[:n]}
	for _, c := range s.Cards {
		s.Tokens = append(s.Tokens, w.secrets[1].Token(c))
	}
	return w.prove(fmt.Sprintf("reveal of %d", n), w.secrets[1], s, nil)
}

func (w *world) transfer() proved {
	w.t.Helper()
	if !w.proves("transfer") {
		return proved{}
	}
	hand, _ := w.hand(1, 1)
	moved, wit, err := w.secrets[1].Transfer(w.here().context(), hand[0], w.keys[2], w.rand)
	w.fatal(err)
	s := proof.Transfer{From: w.keys[1], To: w.keys[2], Old: hand[0], New: moved}
	return w.prove("transfer", w.secrets[1], s, wit)
}

// condition proves that between min and max of a hand of n cards lie in a set
// that has exactly the first inside of them and further others of the deck.
func (w *world) condition(n, inside, others, min, max int) proved {
	w.t.Helper()
	if !w.proves("condition") {
		return proved{}
	}
	hand, faces := w.hand(1, n)
	set := card.SetOf(faces[:inside]...)
	for f := 0; f < w.faces.Len() && others > 0; f++ {
		if !card.SetOf(faces...).Has(card.Face(f)) {
			set, others = set.With(card.Face(f)), others-1
		}
	}
	s := proof.Condition{Key: w.keys[1], Deck: w.deck, Cards: hand, Set: set, Min: min, Max: max}
	return w.prove(fmt.Sprintf("condition %d..%d of %d", min, max, n), w.secrets[1], s, nil)
}

// honest returns one or more proofs of each relation, small ones.
func (w *world) honest() []proved {
	w.t.Helper()
	list := there(
		w.ownership(1),
		w.shuffle(2, true),
		w.shuffle(5, false),
		w.handShuffle(3),
		w.reveal(1),
		w.reveal(3),
		w.transfer(),
		w.condition(1, 1, 1, 1, 1),
		w.condition(3, 2, 1, 1, 3),
		w.condition(3, 2, 1, 2, 2),
	)
	return append(list, w.arranged()...)
}

// label returns the first label that a batch blames, or an error of another kind.
func label(err error) (uint64, error) {
	all, err := labels(err)
	if err != nil {
		return 0, err
	}
	return all[0], nil
}

// labels returns the labels that a batch blames, or an error of another kind.
func labels(err error) ([]uint64, error) {
	var wrong *proof.BatchError
	if errors.As(err, &wrong) && len(wrong.Labels) > 0 {
		return wrong.Labels, nil
	}
	return nil, fmt.Errorf("no *proof.BatchError: %v", err)
}
