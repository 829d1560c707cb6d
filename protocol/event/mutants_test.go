package event_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// posted is an entry of an event with who signed it.
type posted struct {
	by    string
	entry []byte
}

// kinds are an event with an entry of every kind, each of which counts.
func kinds(t *testing.T) (w *world, list []posted) {
	w = newWorld(t, func(e *bulletin.Event) {
		e.Seating[0], e.Apart, e.Draw, e.Drawers, e.Commit = bulletin.SeatByPlan, true, bulletin.DrawTable, 3, ""
	})
	add := func(by string, what any) {
		e := w.sign(by, what)
		testmust.Do(t, w.h.TakeEntry(e, w.next()))
		list = append(list, posted{by, e.Bytes()})
	}
	tell := func(by string, kind bulletin.NoticeKind, body any) {
		add(by, &bulletin.Notice{Format: bulletin.NoticeFormat, Event: w.h.ID, Seen: w.h.Head, By: w.key(by), Kind: kind, Body: w.body(body)})
	}
	decide := func(by string, kind bulletin.DecisionKind, body any) {
		add(by, &bulletin.Decision{Format: bulletin.DecisionFormat, Event: w.h.ID, Parent: w.h.Head, By: w.key(by), Kind: kind, Body: w.body(body)})
	}
	for _, name := range players(8) {
		tell(name, bulletin.Register, bulletin.RegisterBody{Name: wire.Text(name), Draw: true})
	}
	decide("organiser", bulletin.DecideRoster, w.h.NextRoster(w.size))
	decide("organiser", bulletin.DecidePlan, bulletin.PlanBody{Round: 1, Part: 1, Parts: 1, Tables: [][]int{{1, 2, 3, 4}, {5, 6, 7, 8}}})
	decide("organiser", bulletin.DecideGroups, bulletin.GroupsBody{Groups: [][]int{{1, 2}, {3, 4, 5}}})
	drawn := w.sit(w.drawGenesis(1))
	decide("organiser", bulletin.DecideDraw, bulletin.DrawBody{Table: drawn.ID.String(), Secret: []byte{}})
	parts := testmust.Have(event.NextRound(w.h, w.tables))(t)
	decide("organiser", bulletin.DecideRound, parts[0])
	w.play()
	tell("player-1", bulletin.Skip, bulletin.RoundBody{Round: 2})
	tell("player-2", bulletin.Withdraw, bulletin.RoundBody{Round: 2})
	tell("player-3", bulletin.Call, bulletin.CallBody{Table: w.tables[1].ID})
	decide("arbiter", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RulePenalty, About: bulletin.RulingSubject{Player: 1}, Points: []bulletin.PlayerPoints{{Player: 1, Points: -5}}, Grounds: []wire.Hash{}})
	tell("player-1", bulletin.Appeal, bulletin.AppealBody{Ruling: w.h.Head})
	decide("jury", bulletin.DecideRuling, bulletin.RulingBody{Do: bulletin.RuleUphold, About: bulletin.RulingSubject{Entry: w.h.Head.String()}, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}})
	decide("organiser", bulletin.DecideArbiters, bulletin.ArbitersBody{Arbiters: []string{}, Jury: []string{}})
	decide("organiser", bulletin.DecideRemark, bulletin.RemarkBody{Text: "Lunch."})
	decide("organiser", bulletin.DecideFinal, event.NextFinal(w.h, w.tables, w.size))
	return w, list
}

// replay takes entries as a log has them; those that do not parse concern no event. It
// returns the history, and how many counted.
func (w *world) replay(entries [][]byte) (h *event.History, counted int) {
	h = testmust.Have(event.Open(w.sign("organiser", w.terms), 0))(w.t)
	for i, entry := range entries {
		if e, err := bulletin.Parse(entry); err == nil && h.TakeEntry(e, uint64(1000+i)) == nil {
			counted++
		}
	}
	return h, counted
}

// An entry that counts although somebody other than its signer has altered one of its bytes.
func TestAlteredEntries(t *testing.T) {
	w, list := kinds(t)
	h, _ := w.replay(nil)
	cancel := w.sign("organiser", &bulletin.Decision{Format: bulletin.DecisionFormat, Event: h.ID, Parent: h.ID, By: w.key("organiser"), Kind: bulletin.DecideCancel, Body: w.body(bulletin.RemarkBody{Text: "Snow."})})
	notAltered(t, h, cancel.Bytes(), 1000)
	for altered := range alterations(t, w.sign("organiser", w.terms).Bytes()) {
		if e, err := bulletin.Parse(altered); err == nil {
			_, err := event.Open(e, 0)
			testmust.Holdf(t, err != nil, "another announcement: %.80q", altered)
		}
	}
	for i, entry := range entriesOf(list) {
		notAltered(t, h, entry, uint64(1000+i))
		e, err := bulletin.Parse(entry)
		if err == nil {
			err = h.TakeEntry(e, uint64(1000+i)) // above all that it names
		}
		testmust.Do(t, err, "entry", i)
	}
}

// alterations are an entry with one bit of every other byte changed; if there is time, with each of each.
func alterations(t *testing.T, entry []byte) iter.Seq[[]byte] {
	bits, chosen := []byte{1}, testmust.SomeOf(t, 2, 1)
	if testmust.Thorough() {
		bits = []byte{1, 2, 4, 8, 16, 32, 64, 128}
	}
	return func(yield func([]byte) bool) {
		for at := range entry {
			if !chosen(at % 2) {
				continue
			}
			for _, bit := range bits {
				altered := bytes.Clone(entry)
				if altered[at] ^= bit; !yield(altered) {
					return
				}
			}
		}
	}
}

func notAltered(t *testing.T, h *event.History, entry []byte, index uint64) {
	t.Helper()
	for altered := range alterations(t, entry) {
		if e, err := bulletin.Parse(altered); err == nil {
			_, err := h.CheckEntry(e, index)
			testmust.Holdf(t, err != nil, "entry %d survives: %.80q", index, altered)
		}
	}
}

func entriesOf(list []posted) (entries [][]byte) {
	for _, p := range list {
		entries = append(entries, p.entry)
	}
	return entries
}

// A person who may sign an entry signs another in its place. Whatever it says, it counts only as that
// person's or is void; it crashes nobody, and what others signed about players stays as it was.
func TestOthersSignedBySigners(t *testing.T) {
	w, list := kinds(t)
	entries := entriesOf(list)
	for i, p := range list {
		before, _ := w.replay(entries[:i])
		all := w.variants(p)
		chosen := testmust.SomeOf(t, len(all), len(all))
		for n, altered := range all {
			if !chosen(n) {
				continue
			}
			if e, err := bulletin.Parse(altered); err != nil {
				continue
			} else if _, err := before.CheckEntry(e, uint64(1000+i)); err != nil {
				continue
			}
			changed := append([][]byte{}, entries...)
			changed[i] = altered
			h, _ := w.replay(changed)
			event.Judge(h, w.tables, uint64(2000+i), event.Options{}) // which must not panic
			for _, player := range h.Players {
				if notice := h.NoticeByHash(player.Notice); notice == nil || notice.By != player.Key || string(player.Name) != nameOf(player.Key) && p.by != nameOf(player.Key) {
					t.Errorf("entry %d, variant %d: number %d is %s with the key %s", i, n, player.Number, player.Name, player.Key)
				}
			}
		}
	}
}

func nameOf(key string) string { return key[:bytes.IndexByte([]byte(key), '+')] }

// variants are what the signer of an entry could have signed instead: each number, hash and
// text of it another one, each list empty.
func (w *world) variants(p posted) (list [][]byte) {
	line, _, _ := bytes.Cut(p.entry, []byte("\n"))
	var parsed any
	d := json.NewDecoder(bytes.NewReader(line))
	d.UseNumber()
	testmust.Do(w.t, d.Decode(&parsed))
	var values []string
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		case json.Number:
			values = append(values, v.String())
		case string:
			values = append(values, fmt.Sprintf("%q", v))
		}
	}
	walk(parsed)
	others := []string{`0`, `1`, `2`, `9`, `65535`, `""`, `"` + w.h.ID.String() + `"`, `[]`, `true`}
	for _, value := range values {
		for _, other := range others {
			changed := bytes.Replace(line, []byte(":"+value), []byte(":"+other), 1)
			if reflect.DeepEqual(changed, line) {
				changed = bytes.Replace(line, []byte(value), []byte(other), 1)
			}
			signed, err := note.Sign(&note.Note{Text: string(changed) + "\n"}, w.signers[p.by])
			if err == nil {
				list = append(list, signed)
			}
		}
	}
	return list
}

// BenchmarkJudge judges an event of a thousand players, which takes longer than a moment.
func BenchmarkJudge(b *testing.B) {
	w := large(b, 1000)
	b.ResetTimer()
	for range b.N {
		event.Judge(w.h, w.tables, w.size, event.Options{})
	}
}
