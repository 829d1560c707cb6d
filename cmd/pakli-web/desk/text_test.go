package desk_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	mathrand "math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/cmd/pakli/terminal"
	"github.com/pakli/pakli/httpapi/client/tablelog"
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

// The text view must equal the terminal's text of the same moment, and typed lines must be able to
// finish a game. The test types a whole deal in German, and compares the texts at every question.
func TestTextIsTheTerminals(t *testing.T) {
	t.Parallel()
	at := serve(t)
	b := newBrowser()
	p := open(t, b, at)
	p.at["lang"] = "de"
	id := p.practice("tarokk/v1", "bela", "csilla", "dezso")
	p.must("sit", nil, nil)
	questions := 0
	for over := false; !over; {
		e := b.until(t, "anything", func(event) bool { return true })
		over = e.View != nil && e.View.Over
		if e.Ask == nil {
			continue
		}
		questions++
		if want := printed(t, p.position(b, at, id, e.Ask.At)); p.says(b, want) {
			p.types(e.Ask)
		}
	}
	testmust.Hold(t, questions != 0, "nothing was asked: the test tests nothing")
	p.sound()
	var said desk.LineResult
	p.must("typed", map[string]any{"line": "stand"}, &said)
	testmust.Holdf(t, said.Command == "score" && strings.Contains(said.Said, "anna"), "a command is answered %+v", said)
}

// says fails if the page's text is not want. It returns false if others moved meanwhile, and then the
// player is asked again.
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

// types answers with the first number of each list until the answer is complete.
func (p page) types(ask *desk.Ask) {
	p.Helper()
	for !ask.Whole {
		var came desk.LineResult
		p.must("typed", map[string]any{"picks": ask.Picked, "line": "1"}, &came)
		if came.Ask == nil && strings.HasPrefix(came.Said, "Du bist nicht dran") {
			return // others have moved, and the question is put again
		}
		testmust.Requiref(p, came.Ask != nil, "typed 1, and was told %+v", came)
		ask = came.Ask
	}
	p.inTime("answer", map[string]any{"picks": ask.Picked}, nil)
}

// printed returns what a terminal prints for the table and then the question.
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

// prompts receives each text that ended with a prompt.
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

// position returns the table after some messages, with the log and the secret of the page's player.
func (p page) position(b *browser, at place, id wire.Hash, applied int) scene.Position {
	p.Helper()
	var s *table.State
	for _, entry := range testmust.Have(tablelog.New(id, tablelog.Options{Server: at.dial(p.T)}).Messages(p.Context(), id, 0, 0))(p.T) {
		e := testmust.Have(wire.Parse(entry))(p.T)
		if s == nil {
			s = testmust.Have(table.Open(e, table.Catalogue{Game: games.Lookup, Suite: suite.Lookup}))(p.T)
		} else if s.CountApplied() < applied {
			s = testmust.Have(s.Apply(e, table.Facts{}))(p.T)
		}
	}
	var mine struct {
		VKey   string
		Tables map[string][]byte
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.vaults {
		if bytes.Contains(r.data["about"], []byte(`"name":"anna"`)) {
			testmust.Do(p.T, json.Unmarshal(r.data[player.SeatRecord], &mine))
		}
	}
	prover := testmust.Have(proof.ProverOf(s.Suite()))(p.T)
	x := testmust.Have(prover.ParseSecret(mine.Tables[id.String()]))(p.T)
	for seat, key := range s.Genesis().Seats {
		if key == mine.VKey {
			return scene.SeatPosition(s, testmust.Have(play.See(s, table.Seat(seat), x))(p.T))
		}
	}
	panic(fmt.Sprintf("anna is not at the table: %v", s.Genesis().Seats))
}

// A page has no name for a game that it offers, or a player cannot read terms that the player agrees
// to. The page must explain the changes of a rule set in its own language.
func TestOptionsInTheLanguageOfThePage(t *testing.T) {
	t.Parallel()
	p := open(t, newBrowser(), place{})
	seen := map[string]string{}
	for _, tag := range []string{"en", "de", "hu"} {
		var list []struct {
			Game    string
			Presets []struct {
				Options []struct{ Name, Meaning string }
			}
		}
		p.must("offer.games", map[string]any{"lang": tag}, &list)
		for _, game := range list {
			if words := testmust.Have(os.ReadFile("../../../httpapi/web/src/words." + tag + ".json"))(t); !strings.Contains(string(words), `"named.`+strings.Split(game.Game, "/")[0]+`"`) {
				t.Errorf("%s: the pages do not know what %s is called", tag, game.Game)
			}
			for _, preset := range game.Presets {
				for _, o := range preset.Options {
					other, told := seen[o.Meaning]
					testmust.Holdf(t, (!told || other == tag) && o.Meaning != "", "%s: %s means %q, as in %q", tag, o.Name, o.Meaning, other)
					seen[o.Meaning] = tag
				}
			}
		}
	}
	testmust.Hold(t, len(seen) >= 10, len(seen), "meanings: the test tests nothing")
}
