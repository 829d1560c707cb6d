package desk_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/cmd/pakli/reading"
	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/wire"
)

// A text view that says something else than the terminal does of the same moment, or a
// game that typed lines cannot finish: a whole deal is played by typing, in German, and at
// every question the page's text is what a terminal prints there.
func TestTextIsTheTerminals(t *testing.T) {
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	p.at["lang"] = "de"
	var id wire.Hash
	p.must("practice", map[string]any{"name": "anna", "bots": []string{"bela", "csilla", "dezso"}, "game": "tarokk/v1", "deals": 1}, &id)
	p.at["table"] = id
	p.must("sit", nil, nil)
	questions := 0
	for over := false; !over; {
		var e event
		select {
		case e = <-b.events:
		case <-time.After(time.Minute):
			t.Fatal("nothing happens any more")
		}
		over = e.View != nil && e.View.Over
		if e.Ask == nil {
			continue
		}
		questions++
		if want := printed(t, p.position(b, at, id, e.Ask.At)); p.says(b, want) {
			p.types(e.Ask)
		}
	}
	if questions == 0 {
		t.Error("nothing was asked: the test tests nothing")
	}
	var v struct{ Verdict string }
	if p.must("verify", nil, &v); v.Verdict != "sound" {
		t.Errorf("verdict %q", v.Verdict)
	}
	var said desk.Typed
	if p.must("typed", map[string]any{"line": "stand"}, &said); said.Command != "score" || !strings.Contains(said.Said, "anna") {
		t.Errorf("a command is answered %+v", said)
	}
}

// says fails if the text of the page is not want; it is false if others moved meanwhile, and
// the player is asked anew.
func (p page) says(b *browser, want string) bool {
	p.Helper()
	var text string
	for range 2400 {
		if p.must("text", nil, &text); text == want {
			return true
		}
		if len(b.events) > 0 {
			return false
		}
		time.Sleep(25 * time.Millisecond)
	}
	p.Fatalf("the page says\n%s\nand the terminal\n%s", text, want)
	return false
}

// types answers with the first number of the list, until the answer is whole.
func (p page) types(ask *desk.Ask) {
	p.Helper()
	for !ask.Whole {
		var came desk.Typed
		p.must("typed", map[string]any{"picks": ask.Picked, "line": "1"}, &came)
		if came.Ask == nil && strings.HasPrefix(came.Said, "Du bist nicht dran") {
			return // others have moved, and it is asked anew
		}
		if came.Ask == nil {
			p.Fatalf("typed 1, and was told %+v", came)
		}
		ask = came.Ask
	}
	p.inTime("answer", map[string]any{"picks": ask.Picked}, nil)
}

// printed is what a terminal prints when the table is asked for, and then the question.
func printed(t *testing.T, p scene.Position) string {
	t.Helper()
	d := testmust.Have(terminal.For(p.Table.Genesis().Game, "de", terminal.Style{}))(t)
	in, typed := io.Pipe()
	prompts := make(prompts, 10)
	person, ctx := terminal.Sit(t.Context(), p, terminal.Options{In: in, Out: &screen{prompts: prompts}, Display: d, Random: mathrand.New(mathrand.NewPCG(1, 1))})
	go person.Choose(t.Context(), p.Table, p.View)
	<-prompts // what it says at first
	go io.WriteString(typed, "table\n")
	text := <-prompts
	typed.Close()
	<-ctx.Done()
	return strings.Replace(text, "\n\n", "\n", 1)
}

// prompts are texts that ended with one.
type prompts chan string

// screen is what a terminal prints.
type screen struct {
	bytes.Buffer
	prompts
}

func (s *screen) Write(b []byte) (int, error) {
	n, err := s.Buffer.Write(b)
	if text, asks := strings.CutSuffix(s.String(), "\n> "); asks {
		s.prompts <- text + "\n"
		s.Reset()
	}
	return n, err
}

// position is the table after some messages, as the log and the secret of the page's
// player have it.
func (p page) position(b *browser, at place, id wire.Hash, applied int) scene.Position {
	p.Helper()
	v, err := note.NewVerifier(at.Key)
	p.no(err)
	c, err := client.New(at.URL, v, nil)
	p.no(err)
	var s *table.State
	entries, err := reading.New(id, reading.Options{Server: c}).Messages(context.Background(), id, 0, 0)
	p.no(err)
	for _, entry := range entries {
		e, err := wire.Parse(entry)
		p.no(err)
		if s == nil {
			s, err = table.Open(e, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup})
		} else if s.Applied() < applied {
			s, err = s.Apply(e, table.Facts{})
		}
		p.no(err)
	}
	var mine struct {
		VKey   string
		Tables map[string][]byte
	}
	b.mu.Lock()
	for _, r := range b.vaults {
		if bytes.Contains(r.data["about"], []byte(`"name":"anna"`)) {
			err = json.Unmarshal(r.data[player.SeatRecord], &mine)
		}
	}
	b.mu.Unlock()
	p.no(err)
	prover, err := proof.ProverOf(s.Suite())
	p.no(err)
	x, err := prover.ParseSecret(mine.Tables[id.String()])
	p.no(err)
	for seat, key := range s.Genesis().Seats {
		if key == mine.VKey {
			view, err := play.See(s, table.Seat(seat), x)
			p.no(err)
			return scene.From(s, view)
		}
	}
	panic(fmt.Sprintf("anna is not at the table: %v", s.Genesis().Seats))
}

func (p page) no(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// Terms that a player agrees to and cannot read: what a rule set changes is told in the
// language of the page.
func TestOptionsInTheLanguageOfThePage(t *testing.T) {
	p := open(t, newBrowser(), place{})
	seen := map[string]string{}
	for _, tag := range []string{"en", "de", "hu"} {
		var list []struct {
			Presets []struct {
				Options []struct{ Name, Meaning string }
			}
		}
		p.must("offer.games", map[string]any{"lang": tag}, &list)
		for _, game := range list {
			for _, preset := range game.Presets {
				for _, o := range preset.Options {
					if other, told := seen[o.Meaning]; told && other != tag || o.Meaning == "" {
						t.Errorf("%s: %s means %q, as in %q", tag, o.Name, o.Meaning, other)
					}
					seen[o.Meaning] = tag
				}
			}
		}
	}
	if len(seen) < 10 {
		t.Errorf("%d meanings: the test tests nothing", len(seen))
	}
}
