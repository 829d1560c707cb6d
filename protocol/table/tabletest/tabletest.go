package tabletest

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// Config is one way to play a game.
type Config struct {
	Seats   int
	Deals   int // 0 means 1
	Options map[string]string
	Suite   proof.Suite   // nil means the clear suite
	Fouls   wire.FoulRule // empty means to refuse them
	Ends    *wire.Ends    // of a table/v2; nil means a table/v1

	// Playouts is the number of games that Run plays with all attacks; 0 means 10. The environment
	// variable PAKLI_PLAYOUTS, a number, multiplies it. Without PAKLI_TESTS=thorough it is an eighth;
	// with it, three times as many are also played without attacks.
	Playouts int
	// Limit is a number of messages that no playout comes near; 0 means 10,000.
	Limit int
	// Sum is the sum of the scores, unless AnySum is set: in some games one does not lose what another
	// wins.
	Sum    int
	AnySum bool
	// Invariant, if set, is checked after every message.
	Invariant func(*Table) error
	// Legal, if set, is the judgement of a seat that sees all cards about a move: nil if the move keeps
	// to the rules. It is a second implementation, without conditions and proofs.
	Legal func(t *Table, seat table.Seat, move json.RawMessage) error
}

func (c Config) withDefaults() Config {
	if c.Deals == 0 {
		c.Deals = 1
	}
	if c.Options == nil {
		c.Options = map[string]string{}
	}
	if c.Suite == nil {
		c.Suite = clear.Suite{}
	}
	if c.Fouls == "" {
		c.Fouls = wire.RefuseFouls
	}
	if c.Playouts == 0 {
		c.Playouts = 10
	}
	if c.Limit == 0 {
		c.Limit = 10_000
	}
	return c
}

// String names the configuration: "3 seats 2 deals pack=52 clear-clear/v1".
func (c Config) String() string {
	c = c.withDefaults()
	words := []string{fmt.Sprintf("%d seats %d deals", c.Seats, c.Deals)}
	for _, k := range slices.Sorted(maps.Keys(c.Options)) {
		words = append(words, k+"="+c.Options[k])
	}
	return strings.Join(append(words, strings.ReplaceAll(c.Suite.Name(), "/", "-")), " ")
}

// Run holds game to its contract under every configuration.
func Run(t *testing.T, game table.Game, configs ...Config) {
	for _, c := range configs {
		t.Run(c.String(), func(t *testing.T) {
			t.Parallel()
			attacked, plain := c.withDefaults().Playouts*Patience(), 3
			if !testmust.Thorough() {
				attacked, plain = (attacked+7)/8, 0 // where nothing is attacked, nothing else is seen
			}
			for seed := range uint64(attacked * (1 + plain)) {
				if err := playout(game, c, seed, seed < uint64(attacked)); err != nil {
					t.Fatalf("playout with seed %d: %v", seed, err)
				}
			}
		})
	}
}

// Patience is the factor in PAKLI_PLAYOUTS.
func Patience() int {
	n, err := strconv.Atoi(os.Getenv("PAKLI_PLAYOUTS"))
	if err != nil {
		return 1
	}
	return max(n, 1)
}

// PlayDeals plays tables by their numbers, side by side, until so many deals are over: many with
// PAKLI_TESTS=thorough, few without, or as many as PAKLI_DEALS says. It reports whether they were
// enough for rare events to have come up.
func PlayDeals(t *testing.T, many, few int, play func(number int) (deals int, err error)) bool {
	t.Helper()
	wanted := few
	if testmust.Thorough() {
		wanted = many
	}
	if n, err := strconv.Atoi(os.Getenv("PAKLI_DEALS")); err == nil {
		wanted = n
	}
	var tables, deals atomic.Int64
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Go(func() {
			for int(deals.Load()) < wanted && !t.Failed() {
				number := int(tables.Add(1)) - 1
				n, err := play(number)
				if deals.Add(int64(n)); err != nil {
					t.Errorf("table %d: %v", number, err)
				}
			}
		})
	}
	all.Wait()
	return wanted >= many
}

// playout plays one game, and returns the first promise that is broken.
func playout(game table.Game, c Config, seed uint64, attacked bool) error {
	t, err := New(game, c, seed)
	if err != nil {
		return err
	}
	t.prints = append(t.prints, Fingerprint(t.State))
	for len(t.State.Duties()) > 0 {
		if len(t.Entries) > t.Config.Limit {
			return fmt.Errorf("not over after %d messages", t.Config.Limit)
		}
		if err := t.playStep(attacked); err != nil {
			return fmt.Errorf("after message %d: %w", t.State.CountApplied(), err)
		}
	}
	if err := t.checkResult(); err != nil || !attacked {
		return err
	}
	return t.checkHistory()
}

// playStep makes an honest message, tries attacks in its place, and applies it.
func (t *Table) playStep(attacked bool) error {
	entry, err := t.Next()
	if err != nil {
		return fmt.Errorf("an honest message cannot be made: %w", err)
	}
	if attacked {
		by := attacker{t}
		if err := by.tryAttacks(entry); err != nil {
			return err
		}
		if err := by.tryLies(); err != nil {
			return err
		}
	}
	if err := t.Add(entry); err != nil {
		return fmt.Errorf("an honest message is refused: %w: %.300s", err, entry)
	}
	if attacked {
		t.prints = append(t.prints, Fingerprint(t.State))
		if err := t.checkPure(); err != nil {
			return err
		}
	}
	if t.Config.Invariant != nil {
		return t.Config.Invariant(t)
	}
	return nil
}

// checkPure applies the last entry again, and other moves to the state before it. That state must be as
// it was before the entry and before all attacks, and the state after it as the entry left it.
func (t *Table) checkPure() error {
	last := len(t.States) - 1
	t.tryOtherMoves(t.States[last-1])
	again, err := Apply(t.States[last-1], t.Entries[last])
	switch {
	case err != nil:
		return fmt.Errorf("applied once, and refused when applied again: %w", err)
	case Fingerprint(again) != t.prints[last]:
		return fmt.Errorf("applying an entry twice gives two states")
	case Fingerprint(t.States[last-1]) != t.prints[last-1]:
		return fmt.Errorf("applying or refusing an entry changed the state before it")
	case Fingerprint(t.State) != t.prints[last]:
		return fmt.Errorf("another move from a state changed what one before it had led to")
	case t.prints[last] == t.prints[last-1]:
		return fmt.Errorf("applying an entry changed nothing")
	}
	return nil
}

// tryOtherMoves lets the rules judge all the moves offered in a state.
func (t *Table) tryOtherMoves(s *table.State) {
	then := *t
	then.State, then.Hands = s, slices.Clone(t.Hands)
	for _, seat := range then.movingSeats() {
		then.Hands[seat].Secret = t.Secret(s, seat)
		for _, move := range then.Moves(seat) {
			s.MoveTerms(seat, move)
		}
	}
}

func (t *Table) checkResult() error {
	result, over := t.State.Result()
	sum := 0
	for _, score := range result {
		sum += score
	}
	switch {
	case !over:
		return fmt.Errorf("nothing is due, but there is no result")
	case len(result) != t.Config.Seats:
		return fmt.Errorf("%d scores for %d seats", len(result), t.Config.Seats)
	case sum != t.Config.Sum && !t.Config.AnySum:
		return fmt.Errorf("scores %v add up to %d and not to %d", result, sum, t.Config.Sum)
	}
	if sheet := t.State.Sheet(); !slices.Equal(sheet.Sums(t.Config.Seats), result) {
		return fmt.Errorf("the sheet %v does not add up to %v", sheet, result)
	}
	return nil
}

// checkHistory replays everything with the proofs in one batch, and checks that no later message
// changed an earlier state.
func (t *Table) checkHistory() error {
	s, err := Replay(t.Entries, t.Catalogue())
	if err != nil {
		return fmt.Errorf("replay in one batch: %w", err)
	}
	if Fingerprint(s) != Fingerprint(t.State) {
		return fmt.Errorf("replay in one batch gives another state")
	}
	for i, s := range t.States {
		if Fingerprint(s) != t.prints[i] {
			return fmt.Errorf("the state after message %d is not what it was", i)
		}
	}
	return nil
}

// Replay applies a history with all proofs in one batch.
func Replay(entries [][]byte, c table.Catalogue) (*table.State, error) {
	var s *table.State
	var b proof.Batch
	for i, entry := range entries {
		e, err := wire.Parse(entry)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(e.Parcel(), entry) {
			return nil, fmt.Errorf("entry %d is kept with other bytes", i)
		}
		if i == 0 {
			if s, err = table.Open(e, c); err != nil {
				return nil, err
			}
			b = s.Suite().NewBatch()
			continue
		}
		b.Label(uint64(i))
		if s, err = s.Apply(e, table.Facts{Batch: b}); err != nil {
			return nil, fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return s, b.Check()
}

// Fingerprint is a hash of everything that can be seen of a state.
func Fingerprint(s *table.State) [32]byte {
	h := sha256.New()
	result, over := s.Result()
	public, err := s.Public()
	fmt.Fprintln(h, s.ID(), s.Head(), s.CountApplied(), s.Deal(), s.Duties(), s.Faces(), s.Foul(), result, over, string(public), err)
	for seat := range table.Seat(s.Seats()) {
		if k := s.CardKey(seat); k != nil {
			fmt.Fprintf(h, "%x", k.Bytes())
		}
		fmt.Fprintln(h, s.Hand(seat), s.DealtCards(seat))
		for _, c := range s.MaskedDealt(s.DealtCards(seat)) {
			fmt.Fprintf(h, "%x\n", c.Bytes())
		}
	}
	cards, _ := s.Deck()
	for _, c := range cards {
		fmt.Fprintf(h, "%x\n", c.Bytes())
	}
	return [32]byte(h.Sum(nil))
}
