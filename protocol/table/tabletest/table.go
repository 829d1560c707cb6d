// Package tabletest is the conformance of games, and tables to test with.
//
// [Run] holds a game to its contract by playing it. Random playouts end; Apply is pure; every move
// offered can be proved; every proof is needed and bound to its place; what a dishonest log or another
// seat could have made is void, what a seat made itself is foul, and no honest seat is ever blamed.
// Every kind of message in every playout is attacked, without any work for the game.
//
// What only the game can know is in its [Config]: an invariant over public state and true hands, and a
// second, naive opinion about which moves are legal when all cards lie open. With the latter, the suite
// also tries moves that are right only for other hands than the true ones, and so finds conditions that
// are missing; [MutantGame] shows that it does.
//
// A [Table] is a whole table in one hand: the secrets of all seats, the state and the history. It is
// deterministic in its seed, and the tests of other packages use it to make histories, honest and
// dishonest ones.
package tabletest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
)

// Table is a table with the secrets of all its seats.
type Table struct {
	Game      table.Game
	Config    Config
	Organiser note.Signer
	Hands     []player.Hand // by seat
	State     *table.State
	Entries   [][]byte       // those applied, genesis first
	States    []*table.State // after each of Entries
	Random    io.Reader      // for secrets, masks and proofs
	Choice    *rand.Rand     // for who moves, and which move

	tokens *sync.Map             // results that play.Peek multiplies, by secret and card
	prints [][32]byte            // fingerprints of States when they were new, in a game with attacks
	proofs map[table.Kind][]byte // of one applied message of each kind

	secrets [][]proof.Secret // by seat, in the order of its card keys; Hands have the last
	locks   []seatLocks      // by seat
}

// New opens a table. The seed decides everything that happens at it.
func New(game table.Game, c Config, seed uint64) (*Table, error) {
	t := emptyTable(game, c, seed)
	c = t.Config
	genesis := &wire.Genesis{
		Format: wire.TableFormat, Game: game.Name(), Suite: c.Suite.Name(), Options: c.Options,
		Deals: c.Deals, Fouls: c.Fouls, Nonce: make([]byte, wire.NonceBytes),
	}
	binary.BigEndian.PutUint64(genesis.Nonce, seed)
	var err error
	if t.Organiser, genesis.Organiser, err = newSigner(t.Random, "organiser"); err != nil {
		return nil, err
	}
	for i := range c.Seats {
		vkey, err := t.joinSeat(table.Seat(i))
		if err != nil {
			return nil, err
		}
		genesis.Seats = append(genesis.Seats, vkey)
	}
	if c.Ends != nil {
		makeTableV2(genesis, *c.Ends)
	}
	return t, t.openTable(genesis)
}

// emptyTable is a table without seats.
func emptyTable(game table.Game, c Config, seed uint64) *Table {
	return &Table{Game: game, Config: c.withDefaults(), tokens: new(sync.Map), proofs: map[table.Kind][]byte{}, Random: randomStream("random", seed), Choice: rand.New(randomStream("choice", seed))}
}

// randomStream is a stream of random numbers for one purpose.
func randomStream(purpose string, seed uint64) *rand.ChaCha8 {
	var key [32]byte
	copy(key[8:], purpose)
	binary.BigEndian.PutUint64(key[:], seed)
	return rand.NewChaCha8(key)
}

func newSigner(random io.Reader, name string) (note.Signer, string, error) {
	skey, vkey, err := note.GenerateKey(random, name)
	if err != nil {
		return nil, "", err
	}
	s, err := note.NewSigner(skey)
	return s, vkey, err
}

func (t *Table) joinSeat(seat table.Seat) (vkey string, err error) {
	h := player.Hand{Seat: seat}
	if h.Signer, vkey, err = newSigner(t.Random, fmt.Sprintf("seat-%d", seat)); err != nil {
		return "", err
	}
	return vkey, t.sitNext(h)
}

// sitNext gives the next seat to a hand.
func (t *Table) sitNext(h player.Hand) error {
	own := seatLocks{}
	h.Locks, h.Chain = own, new(player.Chain)
	t.Hands, t.secrets, t.locks = append(t.Hands, h), append(t.secrets, nil), append(t.locks, own)
	return t.drawSecret(h.Seat)
}

func (t *Table) drawSecret(seat table.Seat) error {
	prover, err := proof.ProverOf(t.Config.Suite)
	if err != nil {
		return err
	}
	if t.Hands[seat].Secret, err = prover.NewSecret(t.Random); err == nil {
		t.secrets[seat] = append(t.secrets[seat], t.Hands[seat].Secret)
		t.locks[seat][len(t.secrets[seat])] = shuffledSecret{lock: t.Hands[seat].Secret.Bytes()}
	}
	return err
}

// Secret is the secret of the card key that a seat has, or will post next, in a state of the table.
func (t *Table) Secret(s *table.State, seat table.Seat) proof.Secret {
	return t.secrets[seat][s.KeyNumber(seat)-1]
}

// renewSecrets draws the secrets of those card keys that are for a further deal.
func (t *Table) renewSecrets() error {
	for seat := range t.Hands {
		if t.State.KeyNumber(table.Seat(seat)) == len(t.secrets[seat]) {
			continue
		}
		if err := t.drawSecret(table.Seat(seat)); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) openTable(genesis *wire.Genesis) error {
	entry, err := wire.Sign(genesis, t.Organiser)
	if err != nil {
		return err
	}
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	if t.State, err = table.Open(e, t.Catalogue()); err != nil {
		return err
	}
	t.keepEntry(entry)
	return nil
}

// Catalogue has the table's game and suite, and nothing else.
func (t *Table) Catalogue() table.Catalogue {
	return table.Catalogue{
		Game:  func(name string) (table.Game, bool) { return t.Game, name == t.Game.Name() },
		Suite: func(name string) (proof.Suite, bool) { return t.Config.Suite, name == t.Config.Suite.Name() },
	}
}

// Play plays a table to its end and returns it.
func Play(game table.Game, c Config, seed uint64) (*Table, error) {
	t, err := New(game, c, seed)
	if err != nil {
		return nil, err
	}
	return t, t.Play(-1)
}

// Play plays n messages, or to the end if n is negative.
func (t *Table) Play(n int) error {
	for ; n != 0 && len(t.State.Duties()) > 0; n-- {
		if len(t.Entries) > t.Config.Limit {
			return fmt.Errorf("tabletest: not over after %d messages", t.Config.Limit)
		}
		entry, err := t.Next()
		if err != nil {
			return err
		}
		if err := t.Add(entry); err != nil {
			return err
		}
	}
	return nil
}

// PlayUntil plays until somebody owes a duty of the kind, and returns the duty.
func (t *Table) PlayUntil(k table.Kind) (table.Duty, error) {
	for len(t.State.Duties()) > 0 {
		for _, d := range t.State.Duties() {
			if d.Kind == k {
				return d, nil
			}
		}
		if err := t.Play(1); err != nil {
			return table.Duty{}, err
		}
	}
	return table.Duty{}, fmt.Errorf("tabletest: the table was over before a duty to %s", k)
}

// Next makes an honest message for one of the things that are due, chosen at random, or disputes a card
// instead. It leaves the state as it is.
func (t *Table) Next() ([]byte, error) {
	type choice struct {
		seat  table.Seat
		duty  table.Duty
		moves []json.RawMessage
	}
	var choices []choice
	for _, d := range t.State.Duties() {
		for _, seat := range d.Seats {
			c := choice{seat, d, []json.RawMessage{nil}}
			if d.Kind == table.Move {
				c.moves = t.Moves(seat)
			}
			if len(c.moves) > 0 {
				choices = append(choices, c)
			}
		}
	}
	if len(choices) == 0 {
		return nil, fmt.Errorf("tabletest: nothing can be done about %v", t.State.Duties())
	}
	c := choices[t.Choice.IntN(len(choices))]
	if disputed, is := t.Hands[c.seat].DisputedCard(t.State); is {
		return t.HonestMessage(c.seat, table.Duty{Kind: table.Dispute, Cards: []table.Card{disputed}}, nil)
	}
	return t.HonestMessage(c.seat, c.duty, c.moves[t.Choice.IntN(len(c.moves))])
}

// HonestMessage makes an honest message of seat; move is nil unless d is to move.
func (t *Table) HonestMessage(seat table.Seat, d table.Duty, move json.RawMessage) ([]byte, error) {
	return t.Hands[seat].SignMessage(t.State, d, move, t.Random)
}

// Sign makes any message of seat on the head, true or not.
func (t *Table) Sign(seat table.Seat, k table.Kind, body any, proofs ...[]byte) ([]byte, error) {
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return nil, err
	}
	return wire.Sign(&wire.Message{
		Format: wire.MessageFormat, Table: t.State.ID(), Parent: t.State.Head(),
		Seat: int(seat), Kind: k, Body: raw, Proofs: append([][]byte{}, proofs...),
	}, t.Hands[seat].Signer)
}

// Prove proves any statement with the secret of a seat, for a slot of its next message of a kind.
func (t *Table) Prove(seat table.Seat, k table.Kind, slot uint16, s proof.Statement, w proof.Witness) ([]byte, error) {
	return t.Hands[seat].Secret.Prove(t.State.Context(seat, k).Slot(slot), s, w, t.Random)
}

// Add applies an entry, with proofs checked at once. If it fails, the table
// stays as it is.
func (t *Table) Add(entry []byte) error {
	e, err := wire.Parse(entry)
	if err != nil {
		return err
	}
	next, err := t.State.Apply(e, table.Facts{})
	if err != nil {
		return err
	}
	t.State = next
	t.keepEntry(entry)
	if m := e.Message; m != nil && len(m.Proofs) > 0 {
		t.proofs[m.Kind] = m.Proofs[0]
	}
	return t.renewSecrets()
}

func (t *Table) keepEntry(entry []byte) {
	t.Entries = append(t.Entries, entry)
	t.States = append(t.States, t.State)
}

// Apply parses an entry and applies it to s, with proofs checked at once.
func Apply(s *table.State, entry []byte) (*table.State, error) {
	e, err := wire.Parse(entry)
	if err != nil {
		return nil, err
	}
	return s.Apply(e, table.Facts{})
}

// Hand returns the true faces of a seat's hand.
func (t *Table) Hand(seat table.Seat) map[table.Card]card.Face {
	return t.readFaces(seat, play.Peek)
}

// DealtFaces returns the true faces of the cards dealt to a seat, at the time of the deal.
func (t *Table) DealtFaces(seat table.Seat) map[table.Card]card.Face {
	return t.readFaces(seat, play.PeekDealt)
}

func (t *Table) readFaces(seat table.Seat, peek func(*table.State, table.Seat, proof.Secret) (map[table.Card]card.Face, error)) map[table.Card]card.Face {
	secret := t.Hands[seat].Secret
	if t.tokens != nil { // a table made in another way has none
		secret = remembering{secret, t.tokens}
	}
	faces, err := peek(t.State, seat, secret)
	if err != nil {
		panic(fmt.Sprintf("tabletest: seat %d cannot read its cards: %v", seat, err))
	}
	return faces
}

// remembering is a secret that makes the token of a card only once: the suites ask a hand for its faces
// many times between two messages.
type remembering struct {
	proof.Secret
	tokens *sync.Map
}

func (r remembering) Token(m proof.MaskedCard) proof.Token {
	name := string(r.Bytes()) + string(m.Bytes())
	if made, is := r.tokens.Load(name); is {
		return made.(proof.Token)
	}
	made := r.Secret.Token(m)
	r.tokens.Store(name, made)
	return made
}

// View is what a seat sees, with its true cards.
func (t *Table) View(seat table.Seat) table.View {
	return play.View(t.State, seat, t.Hand(seat), t.DealtFaces(seat))
}

// Moves lists the moves offered to a seat, which sees its true cards.
func (t *Table) Moves(seat table.Seat) []json.RawMessage { return t.movesSeeing(t.View(seat)) }

// Choose is the move of the game's bot, which sees the seat's true cards, or nil to wait.
func (t *Table) Choose(seat table.Seat, r *rand.Rand) (json.RawMessage, error) {
	return play.Choose(t.State, t.View(seat), r)
}

// movesSeeing lists the moves that would be offered to a seat that sees v.
func (t *Table) movesSeeing(v table.View) []json.RawMessage {
	moves, err := play.Moves(t.State, v)
	if err != nil {
		panic(fmt.Sprintf("tabletest: moves of seat %d: %v", v.Seat, err))
	}
	return moves
}

// Forge changes a message of a seat and signs it again, as only that seat can.
func (t *Table) Forge(entry []byte, change func(*wire.Message)) ([]byte, error) {
	e, err := wire.Parse(entry)
	if err != nil {
		return nil, err
	}
	by := t.Hands[e.Message.Seat].Signer
	change(e.Message)
	return wire.Sign(e.Message, by)
}
