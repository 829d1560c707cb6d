package fivecarddraw_test

import (
	"slices"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// deferred runs a test at a table whose suite defers, where fouls are refused and where
// they are recorded.
func deferred(t *testing.T, seats, deals int, o options, test func(*played)) {
	t.Helper()
	bothPolicies(t, func(t *testing.T, fouls wire.Fouls) {
		test(sit(t, tabletest.Config{Seats: seats, Deals: deals, Options: o, Suite: clear.Deferred{}, Fouls: fouls}, 3))
	})
}

// slips adds what a cheat says in place of the next honest message, which is applied, and
// returns its seat and its place.
func (p *played) slips(change func(*wire.Message)) (table.Seat, int) {
	p.Helper()
	entry := testmust.Have(p.Forge(testmust.Have(p.Next())(p.T), change))(p.T)
	testmust.Do(p.T, p.Add(entry))
	return table.Seat(p.Parsed(entry).Seat), len(p.Entries) - 1
}

// Cheat 1, where nothing is proved: a second ace in the shuffle; a card masked for keys that
// nobody has. Who holds it, or sees it opened, need not know whose doing it was.
func TestBadShuffleIsDisclosed(t *testing.T) {
	for _, o := range []options{{"disclose": "table"}, {"disclose": "deal"}, {"draw": "one-by-one", "showdown": "all"}} {
		deferred(t, 3, 2, o, func(p *played) {
			p.due(table.Shuffle)
			seat, at := p.slips(func(m *wire.Message) {
				in, key := p.State.Deck()
				order := make([]uint16, len(in))
				for i := range order {
					order[i] = uint16(i / 2 * 2) // every second card, twice
				}
				doubled, _, err := clear.Arrange(key, in, order, p.Random)
				testmust.Do(p.T, err)
				verifiertest.Edited(func(v [][]byte) [][]byte {
					for i, c := range doubled {
						v[i] = c.Bytes()
					}
					return v
				})(m)
			})
			testmust.Do(p.T, p.Play(-1))
			verifiertest.Blamed(p.T, p.Table, "every second card twice", seat, table.CheckStep, at)
		})
	}
}

// A deal that is over and of which nothing is checked yet is not counted as one that is proved.
func TestUncheckedDealsDoNotCount(t *testing.T) {
	deferred(t, 3, 2, options{"disclose": "table"}, func(p *played) {
		p.due(table.Disclose)
		if counted := p.State.Sheet().Deals; len(counted) > 0 {
			p.Errorf("before anything is disclosed %d deals count", len(counted))
		}
		testmust.Do(p.T, p.Play(-1))
		result, _ := p.State.Result()
		if sheet := p.State.Sheet(); len(sheet.Deals) != 2 || !slices.Equal(sheet.Sums(3), result) {
			p.Errorf("when all is checked the deals are %v, and the result is %v", sheet, result)
		}
	})
}

// Cheat 3, where nothing is proved: tokens that make the cards of another seat others, or none.
func TestFalseTokenIsDisclosed(t *testing.T) {
	deferred(t, 3, 1, options{"showdown": "all"}, func(p *played) {
		p.due(table.Show)
		seat, at := p.slips(verifiertest.Edited(func(v [][]byte) [][]byte { slices.Reverse(v); return v }))
		testmust.Do(p.T, p.Play(-1))
		verifiertest.Blamed(p.T, p.Table, "tokens exchanged", seat, table.CheckStep, at)
	})
}

// Cheat 21: another lock, a false order, the lock of a seat that has not shuffled this deal:
// a foul there and then.
func TestFalseDisclosure(t *testing.T) {
	deferred(t, 2, 2, options{"rules": "by-email"}, func(p *played) {
		p.due(table.Disclose)
		lock := func(name string, check table.Check, change func(*wire.DisclosedDeal)) lie {
			return p.Forged(name, check, testmust.Have(p.Next())(p.T), func(m *wire.Message) {
				var b wire.DiscloseBody
				testmust.Do(p.T, wire.DecodeBody(m.Body, &b))
				change(&b.Deals[0])
				m.Body = testmust.Have(wire.EncodeBody(b))(p.T)
			})
		}
		p.caught([]lie{
			lock("another lock", table.CheckLock, func(d *wire.DisclosedDeal) { d.Lock[len(d.Lock)-1] ^= 1 }),
			lock("a false order", table.CheckLock, func(d *wire.DisclosedDeal) { slices.Reverse(d.Order) }),
			lock("another deal", table.CheckValues, func(d *wire.DisclosedDeal) { d.Deal++ }),
		})
	})
}

// Cheat 21, FD-P-08, FD-R-56: a seat that says nothing. It is named, alone; with disclose=deal before the next
// deal is shuffled. The verdict stays open, and the score is what the table agreed on.
func TestSilentSeat(t *testing.T) {
	for _, o := range []options{{}, {"disclose": "deal"}, {"disclose": "deal", "silent": "forfeits"}, {"silent": "forfeits"}} {
		deferred(t, 3, 2, o, func(p *played) {
			p.due(table.Disclose)
			if deal := public(p.Table).Deal.Number; deal == 1 != (o["disclose"] == "deal") {
				t.Fatalf("locks are due in deal %d", deal)
			}
			for _, seat := range []table.Seat{2, 0} {
				testmust.Do(p.T, p.Add(testmust.Have(p.Message(seat, table.Duty{Kind: table.Disclose}, nil))(p.T)))
			}
			r := verifiertest.NewLog(p.T, p.Table).Verify(p.T)
			if r.Verdict != verifier.Unfinished || len(r.Owing) != 1 || !slices.Equal(r.Owing[0].Duty.Seats, []table.Seat{1}) || r.Result != nil {
				p.Errorf("%s with %v, owing %+v; want seat B alone", r.Verdict, r.Result, r.Owing)
			}
			if f := r.Forfeit; (f != nil) != (o["silent"] == "forfeits") || f != nil && f.Seat != 1 {
				p.Errorf("forfeits %+v", f)
			}
			testmust.Do(p.T, p.Play(-1))
			if r := verifiertest.NewLog(p.T, p.Table).Verify(p.T); r.Verdict != verifier.Sound {
				p.Errorf("late, and all is well: %s, %v", r.Verdict, r.Findings)
			}
		})
	}
}

// Cheat 21: a seat disputes a good card, so as not to lose.
func TestFalseDispute(t *testing.T) {
	deferred(t, 2, 1, options{"rules": "by-email"}, func(p *played) {
		p.say("any", "any", "to 5")
		seat := p.due(table.Move)
		entry := testmust.Have(p.Sign(seat, table.Dispute, wire.DisputeBody{Card: int(public(p.Table).Deal.Hands[seat][2])}))(p.T)
		testmust.Do(p.T, p.Add(entry))
		at := len(p.Entries) - 1
		testmust.Do(p.T, p.Play(-1))
		verifiertest.Blamed(p.T, p.Table, "a good card", seat, table.CheckDispute, at)
	})
}
