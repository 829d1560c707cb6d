package admission_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// dishonest returns a log of a whole game with what an operator and a cheater
// could have put between its entries. A foul is tried in every third.
func dishonest(t testing.TB, random *rand.Rand) (*memory, *party) {
	t.Helper()
	log, p := newMemory(t), newParty(t, wire.RefuseFouls)
	testmust.Do(t, p.Play(-1))
	foulAt := random.IntN(3 * len(p.Entries))
	for i, e := range p.Entries {
		for random.IntN(3) == 0 {
			old := p.Entries[random.IntN(i+1)]
			switch random.IntN(5) {
			case 0:
				log.put([]byte("rubbish"))
			case 1:
				log.put(old) // repeated
			case 2:
				log.put(p.Entries[random.IntN(len(p.Entries))]) // perhaps before its time
			case 3:
				log.put(old[:random.IntN(len(old))])
			case 4:
				if random.IntN(len(p.Entries)) > i && i > 1 {
					log.put(p.foul(p.Entries[1+random.IntN(i-1)])) // on a parent that is past
				}
			}
		}
		if i == foulAt && i > 0 {
			log.put(p.foul(e))
		}
		log.put(e)
	}
	return log, p
}

// A server whose replay differs from the verifier's would promise what is void,
// or refuse what is due.
func TestReplayIsTheVerifiers(t *testing.T) {
	fouls, logs := 0, 12
	if thorough.Tests() {
		logs = 40
	}
	for seed := range uint64(logs) {
		log, p := dishonest(t, rand.New(rand.NewPCG(seed, 1)))
		report := testmust.Have(verifier.Verify(t.Context(), log, verifier.Options{Table: p.id(), Log: []note.Verifier{log.key}, Catalogue: catalogue}))(t)
		a := open(t, log, admission.Options{})
		applied, void := 0, 0
		var foul *admission.Logged
		for _, e := range entries(t, a, p.id())[1:] {
			switch {
			case e.Fault == nil:
				applied++
			case e.Fault.Class == table.Void && foul == nil:
				void++
			case e.Fault.Class == table.Foul:
				foul = &e
			}
		}
		if applied != report.Applied || void != report.Voided || (foul != nil) != (report.Verdict == verifier.Foul) {
			t.Errorf("log %d: %d applied, %d void, foul %v; the verifier says %d, %d, %s", seed, applied, void, foul != nil, report.Applied, report.Voided, report.Verdict)
			continue
		}
		if foul != nil {
			fouls++
			found := report.Findings[0]
			if foul.Index != *found.Index || foul.Fault.Seat != *found.Seat || foul.Fault.Check != found.Check {
				t.Errorf("log %d: foul %+v %v, the verifier says %+v", seed, foul.Entry, foul.Fault, found)
			}
		}
	}
	if fouls == 0 || fouls == logs {
		t.Errorf("%d of %d logs have a foul: this tests less than it should", fouls, logs)
	}
}

// Whatever is posted, admission must not panic, and the log must hold nothing
// but what was answered with a receipt.
func FuzzPost(f *testing.F) {
	p := newParty(f, wire.RefuseFouls)
	due := p.key(0)
	f.Add(p.genesis())
	f.Add(due)
	f.Add(p.foul(due))
	f.Add(p.forge(due, func(m *wire.Message) { m.Kind = wire.KindShuffle }))
	f.Add(p.forge(due, func(m *wire.Message) { m.Body = []byte(`{"key":""}`) }))
	f.Add(bytes.Replace(due, []byte(`"seat":0`), []byte(`"seat":1`), 1))
	f.Add([]byte(messageStart))
	f.Add([]byte(nil))
	f.Add(make([]byte, wire.MaxEntry+1))
	f.Fuzz(func(t *testing.T, entry []byte) {
		log := newMemory(t)
		a := open(t, log, admission.Options{})
		post(t, a, p.genesis())
		got, err := a.Post(t.Context(), entry)
		if err != nil && size(t, log) != 1 {
			t.Errorf("refused (%v), and stored", err)
		}
		if err == nil && got.Receipt.Verify(entry, log.key) != nil {
			t.Error("accepted without a receipt")
		}
	})
}

const messageStart = `{"pakli":"message/v1","table":"`
