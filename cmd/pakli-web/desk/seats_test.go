package desk_test

import (
	"testing"
	"time"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/bundle"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/wire"
)

// create begins a table of these seats. Anybody may organise it.
func (p page) create(at place, keys ...string) wire.Hash {
	p.Helper()
	club := newVault(p.T, "club")
	entry := testmust.Have(wire.Sign(&wire.Genesis{
		Format: wire.TableFormat, Game: "schwarzer-peter/v1", Suite: suite.Default, Options: map[string]string{}, Deals: 1,
		Fouls: wire.RefuseFouls, Organiser: club.VerifierKey(), Seats: keys, Nonce: make([]byte, wire.NonceBytes),
	}, club.Signer()))(p.T)
	testmust.Have(at.dial(p.T).Create(p.Context(), entry))(p.T)
	return wire.HashEntry(entry)
}

// Two seats of one program at one table: one that sees the other's cards, answers for the
// other, or is asked and cannot follow the game's own advice; a vault that is held twice;
// a seat that is made anew where there was one.
func TestSeatsOfAProgram(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	keys := make([]string, 2)
	for id, name := range map[string]string{"v1": "anna", "v2": "bela"} {
		var made, again desk.SeatKey
		p.must("seat.open", map[string]any{"id": id, "name": name}, &made)
		p.must("seat.open", map[string]any{"id": id, "name": "csilla"}, &again)
		if made != again || made.Name != name || made.ID != id {
			t.Fatalf("%+v, and again %+v", made, again)
		}
		keys[id[1]-'1'] = made.Key
	}
	p.at["table"] = p.create(at, keys...)
	for _, id := range []string{"v1", "v2"} {
		p.must("seat.sit", map[string]any{"seat": id}, nil)
	}
	testmust.Fail(t, p.call("seat.open", map[string]any{"id": "v1"}, nil), "a vault that is held was opened")
	err := p.call("hint.picks", map[string]any{"seat": "v3"}, nil)
	testmust.FailSaying(t, err, "not open here", "a seat that does not sit here")
	for ended := map[string]bool{}; len(ended) < 2; {
		select {
		case e := <-b.events:
			switch {
			case e.State == "stopped":
				t.Fatalf("stopped: %s", e.Text)
			case e.Seat != "v1" && e.Seat != "v2":
				t.Fatalf("an event of the seat %q", e.Seat)
			case e.Event == "ended":
				ended[e.Seat] = true
			case e.View != nil:
				p.ownCards(e)
			}
			if e.Ask != nil {
				var h desk.Hint
				p.must("hint.picks", map[string]any{"seat": e.Seat}, &h)
				p.must("answer", map[string]any{"seat": e.Seat, "picks": h.Picks}, nil)
			}
		case <-time.After(time.Minute):
			t.Fatal("nothing happens any more")
		}
	}
	b.secret(t)
	p.must("seat.open", map[string]any{"id": "v1"}, nil) // it was let go
}

// ownCards fails if a seat was shown a hand of another.
func (p page) ownCards(e event) {
	p.Helper()
	you := map[string]int{"v1": 0, "v2": 1}[e.Seat]
	for _, z := range e.View.Zones {
		for _, c := range z.Cards {
			if z.Layout == "hand" && *z.Seat != you && c.Face != "" {
				p.Fatalf("%s sees %s of seat %d", e.Seat, c.Face, *z.Seat)
			}
		}
	}
	if e.View.You == nil || *e.View.You != you {
		p.Fatalf("%s is shown the view of seat %v", e.Seat, e.View.You)
	}
}

// Two tabs that take in one seat at one instant: each sees no such seat yet, and the seat is
// here twice, which could sign two messages on one parent.
func TestTwoTabsImport(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p, q := open(t, b, at), open(t, b, at)
	var made desk.SeatKey
	var copied struct{ File string }
	p.must("seat.make", map[string]any{"name": "anna"}, &made)
	p.must("seat.export", map[string]any{"id": made.ID}, &copied)
	p.must("seat.remove", map[string]any{"id": made.ID}, nil)
	taken := func(p page) error {
		_, err := p.desk.Call(t.Context(), "seat.import", []byte("{}"), []byte(copied.File))
		return err
	}
	var second error
	b.looked = func() { second = taken(q) }
	if err := taken(p); err != nil || second == nil || len(b.vaults) != 1 {
		t.Errorf("one tab: %v, the other: %v, %d seats", err, second, len(b.vaults))
	}
}

// Evidence of several tables under several checkpoints, which could be of two histories;
// a verdict on something else than the file; a table that is passed over.
func TestEvidenceIsUnderOneCheckpoint(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	var ids []wire.Hash
	for range 2 {
		ids = append(ids, p.practice("schwarzer-peter/v1", "bela"))
	}
	var e desk.Evidence
	p.must("evidence", map[string]any{"tables": ids}, &e)
	if len(e.Tables) != 2 || e.Size < 2 {
		t.Fatalf("%d tables of %d entries", len(e.Tables), e.Size)
	}
	for i, one := range e.Tables {
		file, err := bundle.Parse(one.Bundle)
		if err != nil || file.Table != ids[i] || one.Table != ids[i] || file.Checkpoint.Size != e.Size || one.Verdict != "unfinished" || one.Own {
			t.Errorf("table %d: %+v, %v", i, one.Answer, err)
		}
	}
	err := p.call("evidence", map[string]any{"tables": []wire.Hash{{1}}}, nil)
	testmust.Fail(t, err, "there is evidence of no table")
}
