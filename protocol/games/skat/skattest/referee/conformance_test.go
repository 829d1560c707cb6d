package referee

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/games/skat"
	"github.com/pakli/pakli/protocol/games/skat/auction"
	"github.com/pakli/pakli/protocol/games/skat/deck"
	"github.com/pakli/pakli/protocol/table"

	"github.com/pakli/pakli/protocol/table/tabletest"
)

// A condition that is missing: somebody whose cards are others than he says would make a
// move that the referee, who sees them, calls illegal.
func TestLies(t *testing.T) {
	var configs []tabletest.Config
	chosen := thorough.Some(t, 4, 2)
	for i, o := range []map[string]string{
		{},
		{"concede": "off", "claim": "off", "ramsch": "schieber"},
		{"early": "prove", "kontra": "any", "null-overbid": "lose", "concede": "one"},
		{"score": "bierlachs", "bock": "lost60+grandhand+kontra+re", "kontra": "bid18", "ramsch": "simple", "seats-draw": "on"},
	} {
		if !chosen(i) {
			continue
		}
		c := tabletest.Config{Seats: 3, Deals: 3, Options: o, AnySum: true, Playouts: 6}
		c.Invariant, c.Legal = Watch()
		configs = append(configs, c)
	}
	tabletest.Run(t, game, configs...)
}

// only offers some of the moves.
type only struct {
	skat.Rules
	offer func(skat.Move) bool
}

func (o only) Moves(s skat.State, v table.View) []skat.Move {
	return slices.DeleteFunc(o.Rules.Moves(s, v), func(m skat.Move) bool { return !o.offer(m) })
}

// Moves that lead to what is seldom met by chance: a null at a low bid, a Ramsch.
func anything(skat.Move) bool { return true }

func nulls(m skat.Move) bool {
	return (m.Call == nil || *m.Call <= 18) && (m.Announce == nil || m.Announce.Game == deck.Null)
}

func grands(m skat.Move) bool {
	return (m.Call == nil || *m.Call <= 18) && (m.Announce == nil || m.Announce.Game == deck.Grand)
}

func passes(m skat.Move) bool { return m.Call == nil || *m.Call == auction.Pass }

// A referee who looks away: rules that forget one of the proofs, or ask for one that is
// not due, must be noticed.
func TestForgottenProofs(t *testing.T) {
	forget := func(ids ...string) func(table.Terms) table.Terms {
		return func(terms table.Terms) table.Terms {
			terms.Prove = slices.DeleteFunc(slices.Clone(terms.Prove), func(c table.Condition) bool { return slices.Contains(ids, c.Claim) })
			return terms
		}
	}
	played := map[string]string{"concede": "off", "claim": "off"}
	chosen := thorough.Some(t, 9, 4)
	for i, m := range []struct {
		name    string
		offer   func(skat.Move) bool
		options map[string]string
		change  func(table.Terms) table.Terms
	}{
		{"P-VOID", anything, played, forget("P-VOID")},
		{"P-NOTRUMP", anything, played, forget("P-NOTRUMP")},
		{"P-NOJACK", grands, played, forget("P-NOJACK")},
		{"P-VOIDN", nulls, played, forget("P-VOIDN")},
		{"D-NOJACK", passes, map[string]string{"ramsch": "schieber", "concede": "off"}, forget("D-NOJACK")},
		{"M-WITH", anything, map[string]string{"early": "prove"}, forget("M-WITH")},
		{"M-WITHOUT", anything, map[string]string{"early": "prove"}, forget("M-WITHOUT")},
		{"asked twice", anything, played, func(terms table.Terms) table.Terms {
			terms.Prove = append(slices.Clone(terms.Prove), terms.Prove...)
			return terms
		}},
		{"a card not turned up", anything, played, func(terms table.Terms) table.Terms {
			terms.Open = nil
			return terms
		}},
	} {
		if !chosen(i) {
			continue
		}
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			c := tabletest.Config{Seats: 3, Deals: 4, Options: m.options, AnySum: true, Playouts: 40}
			c.Invariant, c.Legal = Watch()
			tabletest.Noticed(t, tabletest.Mutant(only{skat.Rules{}, m.offer}, m.change), c)
		})
	}
}
