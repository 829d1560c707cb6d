package fivecarddraw_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games/fivecarddraw"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
)

// follows are the stages that may come after a stage, and before the next move or step.
var follows = map[fivecarddraw.Stage][]fivecarddraw.Stage{
	fivecarddraw.Shuffling:  {fivecarddraw.Picking, fivecarddraw.Dealing},
	fivecarddraw.Picking:    {fivecarddraw.Dealing, fivecarddraw.Drawing},
	fivecarddraw.Dealing:    {fivecarddraw.Betting, fivecarddraw.Exchanging, fivecarddraw.Shuffling, fivecarddraw.Over},
	fivecarddraw.Betting:    {fivecarddraw.Exchanging, fivecarddraw.Shuffling, fivecarddraw.Opening, fivecarddraw.Over},
	fivecarddraw.Returning:  {fivecarddraw.Mixing},
	fivecarddraw.Mixing:     {fivecarddraw.Exchanging, fivecarddraw.Drawing},
	fivecarddraw.Exchanging: {fivecarddraw.Returning, fivecarddraw.Picking, fivecarddraw.Drawing, fivecarddraw.BetAfter, fivecarddraw.Showing},
	fivecarddraw.Drawing:    {fivecarddraw.Exchanging, fivecarddraw.BetAfter, fivecarddraw.Showing},
	fivecarddraw.BetAfter:   {fivecarddraw.Showing, fivecarddraw.Opening, fivecarddraw.Shuffling, fivecarddraw.Over},
	fivecarddraw.Showing:    {fivecarddraw.Opening, fivecarddraw.Shuffling, fivecarddraw.Over},
	fivecarddraw.Opening:    {fivecarddraw.Shuffling, fivecarddraw.Over},
	fivecarddraw.Disclosing: {fivecarddraw.Shuffling},
}

// FD-R-13 to FD-R-17, FD-R-27, FD-R-34, FD-R-43, FD-P-01 to FD-P-07, FD-P-09: a message that must prove more or
// less than is due, a seat that folded and gives no tokens, a card opened that stays
// closed, or a stage that does not come when it should.
func TestDue(t *testing.T) {
	for i, c := range append(slices.Clone(shapes), again) {
		of := game
		if c.Deals = 4; i == len(shapes) {
			c.Deals, of = 1, eager
		}
		for seed := range uint64(2) {
			played := testmust.Have(tabletest.Play(of, c, seed))(t)
			for at, entry := range played.Entries[1:] {
				e := testmust.Have(wire.Parse(entry))(t)
				before, _ := table.Public[fivecarddraw.State](played.States[at])
				after, _ := table.Public[fivecarddraw.State](played.States[at+1])
				if from, to := before.Stage, after.Stage; from != to && !slices.Contains(follows[from], to) {
					t.Fatalf("shape %d, entry %d: %s comes after %s", i, at+1, to, from)
				}
				statements := testmust.Have(played.States[at].Statements(table.Seat(e.Message.Seat), e.Message.Kind, e.Message.Body))(t)
				if what := wrong(t, before, table.Seat(e.Message.Seat), e.Message, statements); what != "" {
					t.Fatalf("shape %d, entry %d, stage %s: %s: %+v", i, at+1, before.Stage, what, statements)
				}
			}
		}
	}
}

// wrong is what is not as 92.10 says in the statements of a message.
func wrong(t *testing.T, s fivecarddraw.State, seat table.Seat, m *wire.Message, statements []proof.Statement) string {
	t.Helper()
	switch m.Kind {
	case table.Key:
		return one[proof.Ownership](statements)
	case table.Shuffle:
		if !slices.Contains(s.Deal.In, seat) {
			return "a seat that is out shuffles"
		}
		return one[proof.Shuffle](statements)
	case table.Return:
		for _, s := range statements {
			if _, ok := s.(proof.Transfer); !ok {
				return "a card comes back without a proof"
			}
		}
		if len(statements) != len(s.Deal.Away[seat]) {
			return "another number of cards comes back"
		}
		return ""
	case table.Mix:
		return one[proof.Shuffle](statements)
	case table.Show:
		n := 0
		for other, places := range s.Deal.Coming {
			if other != int(seat) {
				n += len(places)
			}
		}
		if s.Stage == fivecarddraw.Dealing && n != 5*(len(s.Deal.In)-1) {
			return "another number of cards is dealt"
		}
		return tokens(statements, n)
	}
	var body wire.MoveBody
	var move fivecarddraw.Move
	testmust.Do(t, wire.DecodeBody(m.Body, &body))
	testmust.Do(t, wire.DecodeMove(body.Move, &move))
	n := len(move.Show)
	for _, c := range deref(move.Openers) {
		if !slices.ContainsFunc(s.Deal.Shown, func(h fivecarddraw.Hand) bool {
			return h.Seat == seat && slices.Contains(s.Deal.Hands[seat], c.Card)
		}) {
			n++
		}
	}
	return tokens(statements, n)
}

func deref(cards *[]fivecarddraw.Shown) []fivecarddraw.Shown {
	if cards == nil {
		return nil
	}
	return *cards
}

func one[S proof.Statement](statements []proof.Statement) string {
	if len(statements) == 1 {
		if _, ok := statements[0].(S); ok {
			return ""
		}
	}
	return "another statement is due"
}

// tokens says whether one Reveal is of n cards, or nothing is proved if there are none.
func tokens(statements []proof.Statement, n int) string {
	switch {
	case n == 0 && len(statements) == 0:
		return ""
	case one[proof.Reveal](statements) != "":
		return "a Reveal is due, and nothing else"
	case len(statements[0].(proof.Reveal).Cards) != n:
		return "another number of tokens is due"
	}
	return ""
}

// modest is the clear suite without hand-overs and conditions.
type modest struct{ clear.Suite }

func (modest) Proves(relation string) bool {
	return slices.Contains([]string{"ownership", "shuffle", "reveal"}, relation)
}

// A table that does not open over a suite of locks, which proves what this game needs and
// no more; or that comes to need more in the course of play.
func TestNeeds(t *testing.T) {
	for _, need := range (fivecarddraw.Rules{}).Needs(table.Config{}) {
		if !(modest{}).Proves(need) {
			t.Errorf("needs %s", need)
		}
	}
	if _, err := tabletest.Play(game, tabletest.Config{Seats: 4, Deals: 3, Suite: modest{}}, 1); err != nil {
		t.Error(err)
	}
}

// 92.2: a table that agrees on disclosure, and whose suite has nothing to disclose; one of a suite that defers
// and does not open; discards that come back where nothing is handed over.
func TestSuitesOfOptions(t *testing.T) {
	for _, c := range []struct {
		suite proof.Suite
		o     options
		word  string
	}{
		{clear.Suite{}, options{"disclose": "table"}, "leave them out"}, {clear.Suite{}, options{"silent": "waits"}, "leave them out"},
		{clear.Deferred{}, options{"disclose": "deal", "silent": "forfeits"}, ""}, {clear.Deferred{}, nil, ""},
		{clear.Deferred{}, options{"rules": "by-email", "disclose": "table"}, ""}, {clear.Suite{}, options{"rules": "by-email"}, ""},
		{modest{}, options{"reshuffle": "discards"}, "no proof of transfer"},
	} {
		_, err := tabletest.New(game, tabletest.Config{Seats: 2, Options: c.o, Suite: c.suite}, 1)
		if (err == nil) != (c.word == "") || err != nil && !strings.Contains(err.Error(), c.word) {
			t.Errorf("%s, %v: %v, want %q", c.suite.Name(), c.o, err, c.word)
		}
	}
}

// A kernel that does not ask for the tokens that a move owes: cards shown with other faces
// than they have must be noticed, or the conformance of this game means nothing.
func TestMissingTokensAreNoticed(t *testing.T) {
	closed := func(table.Terms) table.Terms { return table.Terms{} }
	c := tabletest.Config{Seats: 2, Deals: 6, Playouts: 10, Options: options{"showdown": "all", "stack": "1000"}, Legal: legal}
	tabletest.Noticed(t, tabletest.Mutant(fivecarddraw.Rules{}, closed), c)
	c.Options = options{"openers": "jacks", "stack": "1000"}
	tabletest.Noticed(t, tabletest.Mutant(fivecarddraw.Rules{}, closed), c)
}
