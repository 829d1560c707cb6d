package announce_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
)

// book is the standard rule set, with some options set otherwise.
func book(set ...func(*ruleset.Rules)) ruleset.Rules {
	r, _ := ruleset.Preset("book")
	for _, f := range set {
		f(&r)
	}
	return r
}

// public is the beginning of a phase in which seat 0 declares and nothing else
// is known, unless it is set.
func public(set ...func(*announce.Public)) announce.Public {
	p := announce.Public{Partner: auction.Nobody, Ultimo: auction.Nobody}
	for _, f := range set {
		f(&p)
	}
	return p
}

func discarded(tarokks ...int) func(*announce.Public) {
	return func(p *announce.Public) { copy(p.Tarokks[:], tarokks) }
}

func opened(f ...card.Face) func(*announce.Public) {
	return func(p *announce.Public) { p.Opened, p.Tarokks[p.Declarer] = f, len(f) }
}

// invited is a binding invit of f by seat.
func invited(seat int, f card.Face) func(*announce.Public) {
	return func(p *announce.Public) { p.Partner, p.MustCall = seat, &f }
}

func mustUltimo(seat int) func(*announce.Public) {
	return func(p *announce.Public) { p.Ultimo = seat }
}

// scene is a phase under way: each turn is its statements with spaces between.
type scene struct {
	name   string
	rules  ruleset.Rules
	public announce.Public
	before []string
	say    string
}

// speak plays the turns before, which must be legal, and takes the one that the
// scene is about.
func (c scene) speak(t *testing.T) (before, after announce.State, claims []claim.Claim, err error) {
	t.Helper()
	s := announce.New(c.public)
	for _, say := range c.before {
		seat, _ := s.Speaker()
		next, _, err := s.Turn(c.rules, seat, strings.Fields(say))
		if err != nil {
			t.Fatalf("%s: seat %d says %q: %v", c.name, seat, say, err)
		}
		s = next
	}
	seat, _ := s.Speaker()
	after, claims, err = s.Turn(c.rules, seat, strings.Fields(c.say))
	return s, after, claims, err
}

// cards are a player's groups as they really are.
type cards map[claim.Group][]card.Face

// fails returns the id of the first claim that is not true of the cards.
func (c cards) fails(claims []claim.Claim) string {
	for _, cl := range claims {
		n, group := 0, c[cl.Of]
		for _, f := range group {
			if cl.Set.Has(f) {
				n++
			}
		}
		if n < min(cl.Min, len(group)) || n > cl.Max {
			return cl.ID
		}
	}
	return ""
}

// faces reads names with spaces between.
func faces(t testing.TB, names ...string) []card.Face {
	t.Helper()
	var list []card.Face
	for _, name := range names {
		f := testmust.Have(deck.Parse(name))(t)
		list = append(list, f)
	}
	return list
}
