package bench

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite/group"
	"github.com/pakli/pakli/protocol/transcript"
)

// leastTime is the least time of a task in microseconds, or 0 if it was not measured.
type leastTime float64

// takeTime measures f, which does n things. It repeats short tasks a few times, so that code and
// tables are in the processor's caches, as for a multiplication.
func (l *leastTime) takeTime(n int, f func() error) error {
	for first, i := time.Now(), 0; i < 4 && (i == 0 || time.Since(first) < 10*time.Millisecond); i++ {
		begin := time.Now()
		if err := f(); err != nil {
			return err
		}
		if d := leastTime(time.Since(begin).Seconds() * 1e6 / float64(n)); *l == 0 || d < *l {
			*l = d
		}
	}
	return nil
}

// bench measures one suite through the interfaces of package proof alone.
type bench struct {
	ctx    context.Context
	suite  proof.Prover
	quick  bool
	passes int
	unit   *leastTime // one multiplication

	x, to        proof.Secret
	deck, tarock proof.Deck // of 110 and of 42 cards
	both         proof.Key
	encoding     proof.Encoding // of the cards and tokens of both seats
}

// task is one kind of proof to measure.
type task struct {
	figure
	// prepare makes everything that exists before the message. It returns a function that makes the
	// message and may be called again.
	prepare func() (func() (proofMessage, error), error)
	many    []proofMessage // verified as a batch
	spent   time.Duration
}

// proofMessage is a proof with the values that come with it, as bytes. read parses those values and
// returns the statement.
type proofMessage struct {
	proof []byte
	read  func() (proof.Statement, error)
	size  int // of the proof in a log, in bytes
}

// Limits of one task: the time to verify a batch, and the time of all passes.
const (
	batchTime = 2 * time.Second
	taskTime  = 4 * time.Second
)

func (m *bench) runTasks() ([]*figure, error) {
	if err := m.makeSeats(); err != nil {
		return nil, err
	}
	tasks, list := m.tasks(), []*figure(nil)
	for _, t := range tasks {
		if err := m.fillBatch(t); err != nil {
			return nil, fmt.Errorf("%s: %w", t.Proof, err)
		}
		list = append(list, &t.figure)
	}
	for range m.passes {
		for _, t := range tasks {
			if t.spent > taskTime {
				continue
			}
			if err := m.timeOnce(t); err != nil {
				return nil, fmt.Errorf("%s: %w", t.Proof, err)
			}
		}
	}
	return list, nil
}

// makeSeats makes two seats and the decks.
func (m *bench) makeSeats() (err error) {
	if m.x, err = m.suite.NewSecret(rand.Reader); err != nil {
		return err
	}
	if m.to, err = m.suite.NewSecret(rand.Reader); err != nil {
		return err
	}
	if m.deck, err = m.deckOf(110); err != nil {
		return err
	}
	if m.tarock, err = m.deckOf(42); err != nil {
		return err
	}
	keys := []proof.Key{m.x.Key(), m.to.Key()}
	if m.both, err = m.suite.Encoding().Joint(keys); err != nil {
		return err
	}
	m.encoding, err = proof.DealEncoding(m.suite.Encoding(), keys, m.deck)
	return err
}

func (m *bench) deckOf(n int) (proof.Deck, error) {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprint("face ", i)
	}
	d, err := card.NewDeck("bench", names)
	if err != nil {
		return nil, err
	}
	return m.suite.Encoding().Deck(d)
}

// fillBatch makes the messages of a task's batch, or fewer if they are slow to verify.
func (m *bench) fillBatch(t *task) error {
	for len(t.many) < t.Batch {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		create, err := t.prepare()
		if err != nil {
			return err
		}
		begin := time.Now()
		one, err := create()
		if err != nil {
			return err
		}
		making := time.Since(begin)
		t.many = append(t.many, one)
		if len(t.many) == 1 {
			t.Bytes = one.size
			begin = time.Now()
			if err := m.verifyBatch(one); err != nil {
				return err
			}
			t.Batch = min(t.Batch, max(2, int(batchTime/max(making, time.Since(begin)))))
		}
	}
	return nil
}

// timeOnce measures each time of a task once, and multiplications in between.
func (m *bench) timeOnce(t *task) error {
	begin := time.Now()
	defer func() { t.spent += time.Since(begin) }()
	create, err := t.prepare()
	if err != nil {
		return err
	}
	for _, step := range []struct {
		to *leastTime
		n  int
		do func() error
	}{
		{&t.Prove, 1, func() error { _, err := create(); return err }},
		{&t.Verify, 1, func() error { return m.verifyBatch(t.many[0]) }},
		{&t.Each, len(t.many), func() error { return m.verifyBatch(t.many...) }},
	} {
		if err := step.to.takeTime(step.n, step.do); err != nil {
			return err
		}
		if err := m.multiply(); err != nil {
			return err
		}
	}
	return m.ctx.Err()
}

var benchElement = group.Ristretto255().HashToElement("pakli/bench")

func (m *bench) multiply() error {
	s, err := group.Ristretto255().RandomScalar(rand.Reader)
	if err != nil {
		return err
	}
	return m.unit.takeTime(1, func() error { group.Mul(s, benchElement); return nil })
}

var benchContext = transcript.Bind("bench", "bench", transcript.Table{}, transcript.Deck{}, transcript.Keys{}, 1, transcript.Parent{}, "bench", 0).Slot(0)

// verifyBatch verifies messages from bytes as one batch.
func (m *bench) verifyBatch(list ...proofMessage) error {
	b := m.suite.NewBatch()
	for i, msg := range list {
		b.Label(uint64(i))
		s, err := msg.read()
		if err != nil {
			return err
		}
		if err := m.suite.Verify(benchContext, s, msg.proof, b); err != nil {
			return err
		}
	}
	return b.Check()
}

func (m *bench) tasks() []*task {
	sizes, batch, tokens := []int{20, 32, 42, 52, 78, 110}, 64, 1000
	if m.quick {
		sizes, batch, tokens = []int{4}, 2, 2
	}
	var list []*task
	add := func(name string, n int, prepare func() (func() (proofMessage, error), error)) {
		list = append(list, &task{figure: figure{Proof: name, Batch: n}, prepare: prepare})
	}
	for _, n := range sizes {
		add(fmt.Sprintf("shuffle of %d", n), batch, m.prepareShuffle(n))
	}
	add("key", batch, m.prepareKey)
	add("token", tokens, m.prepareTokens(1))
	add("33 tokens", batch, m.prepareTokens(33))
	if proof.Proves(m.suite, "transfer") {
		add("hand-over", batch, m.transfer)
	}
	for _, c := range conditions {
		if proof.Proves(m.suite, "condition") {
			add(c.name, batch, m.condition(c))
		}
	}
	return list
}

func (m *bench) prove(s proof.Statement, w proof.Witness, read func() (proof.Statement, error)) (proofMessage, error) {
	p, err := m.x.Prove(benchContext, s, w, rand.Reader)
	return proofMessage{p, read, proof.JoinedLogLen(m.suite, s, p)}, err
}

// prepareShuffle shuffles the deck of the shuffle before, as a table does.
func (m *bench) prepareShuffle(n int) func() (func() (proofMessage, error), error) {
	in := m.deck.Cards()[:n]
	return func() (func() (proofMessage, error), error) {
		return func() (proofMessage, error) {
			s := proof.Shuffle{Key: m.both, By: m.x.Key(), In: in}
			out, w, err := m.x.Shuffle(benchContext, s.Key, in, rand.Reader)
			if err != nil {
				return proofMessage{}, err
			}
			s.Out, in = out, out
			bytes := encodeAll(out)
			return m.prove(s, w, func() (_ proof.Statement, err error) {
				t := s
				t.Out, err = parseAll(bytes, m.encoding.ParseMasked)
				return t, err
			})
		}, nil
	}
}

func (m *bench) prepareKey() (func() (proofMessage, error), error) {
	return func() (proofMessage, error) {
		x, err := m.suite.NewSecret(rand.Reader)
		if err != nil {
			return proofMessage{}, err
		}
		p, err := x.Prove(benchContext, proof.Ownership{Key: x.Key()}, nil, rand.Reader)
		bytes := x.Key().Bytes()
		return proofMessage{p, func() (proof.Statement, error) {
			k, err := m.suite.Encoding().ParseKey(bytes)
			return proof.Ownership{Key: k}, err
		}, len(p)}, err
	}, nil
}

// prepareTokens makes tokens for n cards of a shuffled deck.
func (m *bench) prepareTokens(n int) func() (func() (proofMessage, error), error) {
	return func() (func() (proofMessage, error), error) {
		cards, _, err := m.x.Shuffle(benchContext, m.both, m.deck.Cards()[:n], rand.Reader)
		return func() (proofMessage, error) {
			s := proof.Reveal{Key: m.x.Key(), Cards: cards}
			for _, c := range s.Cards {
				s.Tokens = append(s.Tokens, m.x.Token(c))
			}
			bytes := encodeAll(s.Tokens)
			return m.prove(s, nil, func() (_ proof.Statement, err error) {
				t := s
				t.Tokens, err = parseAll(bytes, m.encoding.ParseToken)
				return t, err
			})
		}, err
	}
}

func (m *bench) transfer() (func() (proofMessage, error), error) {
	cards, _, err := m.x.Shuffle(benchContext, m.both, m.deck.Cards()[:2], rand.Reader)
	return func() (proofMessage, error) {
		old := m.encoding.Strip(cards[0], m.to.Token(cards[0])) // which only x can read
		moved, w, err := m.x.Transfer(benchContext, old, m.to.Key(), rand.Reader)
		if err != nil {
			return proofMessage{}, err
		}
		s := proof.Transfer{From: m.x.Key(), To: m.to.Key(), Old: old, New: moved}
		bytes := moved.Bytes()
		return m.prove(s, w, func() (_ proof.Statement, err error) {
			t := s
			t.New, err = m.encoding.ParseMasked(bytes)
			return t, err
		})
	}, err
}

// handCondition is a condition on cards: the first inside of them lie in the first set faces of a
// deck of 42, and the statement says that between min and max of them do.
type handCondition struct {
	name                         string
	cards, inside, set, min, max int
}

var conditions = []handCondition{
	{"all of 9 in 20 (no trump)", 9, 9, 20, 9, 9},
	{"none of 9 in 5 (not of the suit led)", 9, 0, 5, 0, 0},
	{"none of 9 in 1 (called card not mine)", 9, 0, 1, 0, 0},
	{"none of 9 in 3 (no honour)", 9, 0, 3, 0, 0},
	{"1 in 20", 1, 1, 20, 1, 1},
	{"at least 1 of 9 in 3", 9, 1, 3, 1, 9},
	{"exactly 8 of 9 in 22", 9, 8, 22, 8, 8},
}

func (m *bench) condition(h handCondition) func() (func() (proofMessage, error), error) {
	return func() (func() (proofMessage, error), error) {
		s := proof.Condition{Key: m.x.Key(), Deck: m.tarock, Min: h.min, Max: h.max}
		for f := range h.set {
			s.Set = s.Set.AddFace(card.Face(f))
		}
		var err error
		s.Cards, err = m.dealHand(h)
		return func() (proofMessage, error) {
			return m.prove(s, nil, func() (proof.Statement, error) { return s, nil })
		}, err
	}
}

// dealHand returns the cards of a hand, from a shuffled deck.
func (m *bench) dealHand(h handCondition) ([]proof.MaskedCard, error) {
	cards, _, err := m.x.Shuffle(benchContext, m.x.Key(), m.tarock.Cards(), rand.Reader)
	if err != nil {
		return nil, err
	}
	var in, out []proof.MaskedCard
	for _, c := range cards {
		f, _ := m.tarock.Face(m.suite.Encoding().Strip(c, m.x.Token(c)))
		if int(f) < h.set {
			in = append(in, c)
		} else {
			out = append(out, c)
		}
	}
	return append(in[:h.inside:h.inside], out[:h.cards-h.inside]...), nil
}

func encodeAll[T interface{ Bytes() []byte }](list []T) [][]byte {
	bytes := make([][]byte, len(list))
	for i, v := range list {
		bytes[i] = v.Bytes()
	}
	return bytes
}

// parseAll parses all values.
func parseAll[T any](bytes [][]byte, parse func([]byte) (T, error)) ([]T, error) {
	list := make([]T, len(bytes))
	for i, b := range bytes {
		var err error
		if list[i], err = parse(b); err != nil {
			return nil, err
		}
	}
	return list, nil
}
