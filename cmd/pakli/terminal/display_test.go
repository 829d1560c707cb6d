package terminal

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/scene/scenetest"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/play"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// A text of the conversation is missing in a language or lacks a value.
func TestTexts(t *testing.T) {
	t.Parallel()
	scenetest.CheckTexts(t, texts, regexp.MustCompile(`^(command\.(hint))$`))
}

// played has a table of every game of the catalogue.
var played = sync.OnceValue(func() (list []*tabletest.Table) {
	for _, g := range games.Catalogue() {
		p := testmust.Need(tabletest.Play(g.Rules, tabletest.Config{Seats: g.Scene.Players(), Deals: 2}, 5))
		list = append(list, p)
	}
	return list
})

// position returns a table as a seat sees it.
func position(t testing.TB, p *tabletest.Table, s *table.State, seat table.Seat) scene.Position {
	t.Helper()
	view := testmust.Have(play.See(s, seat, p.Hands[seat].Secret))(t)
	return scene.SeatPosition(s, view)
}

// everyQuestion calls do at every question to a seat, each time in another language and style,
// including the presentation of a game without its own. By default it visits one of "of" states of a
// long table.
func everyQuestion(t testing.TB, of int, do func(d Display, p scene.Position, ask scene.Ask)) {
	n, tried := 0, rand.N(of)
	t.Logf("states that are %d modulo %d", tried, of)
	for _, p := range played() {
		for _, name := range []string{p.Game.Name(), "unheard-of/v1"} {
			for i, s := range p.States {
				if !testmust.Thorough() && len(p.States) > 100 && i%of != tried {
					continue
				}
				for seat := range table.Seat(s.Seats()) {
					at := position(t, p, s, seat)
					if !at.OwesMove() {
						continue
					}
					n++
					d := testmust.Have(For(name, scene.Languages()[n%3], Style{ASCII: n%2 == 0, Width: 60 + n%2*20}))(t)
					do(d, at, d.game.Ask(at))
				}
			}
		}
	}
}

// A person can type everything offered as it is shown, by number or name, with the same meaning.
// Otherwise the person could not do what the rules allow.
func TestEveryPartCanBeTyped(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	everyQuestion(t, 8, func(d Display, p scene.Position, ask scene.Ask) {
		free, tried := ask.FreeParts(), 3
		if testmust.Thorough() {
			tried = len(free)
		}
		for _, i := range random.Perm(len(free))[:min(len(free), tried)] {
			label := d.style.finish(d.voice(p.Table).Text(free[i].Label))
			lines := []string{label, strings.ToUpper(label), string(free[i].Pick)}
			if d.areNumbered(p, free) {
				lines = append(lines, strconv.Itoa(i+1))
			}
			for _, line := range lines {
				picked, _, err := d.ReadPicks(p, nil, line)
				testmust.Requiref(t, err == nil && slices.Equal(picked, []scene.Pick{free[i].Pick}),
					"%s is read as %v, %v, want %s", line, picked, err, free[i].Pick)
			}
		}
	})
}

// A refusal must name a rule, and questions and texts must have words in every language.
func TestRefusals(t *testing.T) {
	t.Parallel()
	rule := regexp.MustCompile(`(R|OPT)-[A-Z0-9]+`)
	unsaid := regexp.MustCompile(`\[[a-z]+\.|%!|\{[a-z]+\}`)
	barred := 0
	everyQuestion(t, 4, func(d Display, p scene.Position, ask scene.Ask) {
		for _, part := range ask.Parts {
			if part.Why == nil {
				continue
			}
			barred++
			_, _, err := d.ReadPicks(p, nil, string(part.Pick))
			testmust.Requiref(t, err != nil && rule.MatchString(err.Error()), "%s is refused with %v", part.Pick, err)
		}
		for _, text := range []string{d.Hand(p), d.Table(p), d.Score(p), d.Question(p, ask, scene.Note{}), d.BarredText(p, ask)} {
			testmust.Requiref(t, strings.HasSuffix(text, "\n") && !unsaid.MatchString(text), "text %q", text)
			for line := range strings.Lines(text) {
				if visible(strings.TrimSuffix(line, "\n")) > d.style.Width && strings.Contains(strings.TrimLeft(line, " "), " ") && !strings.Contains(line, `"`) {
					t.Fatalf("%d characters, the terminal has %d: %s", visible(line), d.style.Width, line)
				}
			}
			testmust.Requiref(t, !d.style.ASCII || !strings.ContainsFunc(text, func(r rune) bool { return r > '~' }), "not in ASCII: %q", text)
		}
	})
	testmust.Hold(t, barred >= 25, barred, "parts were barred: the test tests nothing")
}

// Several picks in a line are one answer, and an incomplete answer leads to another question. Few
// states ask for several picks.
func TestSeveralPicks(t *testing.T) {
	t.Parallel()
	several := 0
	everyQuestion(t, 1, func(d Display, p scene.Position, ask scene.Ask) {
		var line []string
		for part := ask.FreeParts()[0]; ; {
			line = append(line, d.voice(p.Table).Text(part.Label))
			picked, a, err := d.ReadPicks(p, nil, strings.Join(line, ", "))
			testmust.Requiref(t, err == nil && len(picked) == len(line), "%q is read as %v, %v", line, picked, err)
			if a.Move != nil {
				break
			}
			several++
			part = a.Ask.FreeParts()[0]
			again, b, err := d.ReadPicks(p, picked, d.voice(p.Table).Text(part.Label))
			testmust.Requiref(t, err == nil && len(again) == len(picked)+1 && (b.Move == nil) == (len(b.Ask.Parts) > 0 && b.Move == nil),
				"after %v, %s is read as %v, %v", picked, part.Pick, again, err)
		}
	})
	testmust.Hold(t, several != 0, "no answer has several picks: the test tests nothing")
}

// The face of another seat would reveal hidden cards. The text about a message must follow from the
// public states and the message.
func TestCourse(t *testing.T) {
	t.Parallel()
	for _, tag := range scene.Languages() {
		for _, p := range played() {
			d := testmust.Have(For(p.Game.Name(), tag, Style{ASCII: true}))(t)
			var course []string
			for i := 1; i < len(p.Entries); i++ {
				e := testmust.Have(wire.Parse(p.Entries[i]))(t)
				course = append(course, d.Course(p.States[i-1], p.States[i], e.Message)...)
			}
			text := strings.Join(course, "\n")
			worded := games.Scene(p.Game.Name()).Texts(tag) != nil // other games show moves as they are in the log
			if worded && (strings.Contains(text, "[") || strings.Count(text, d.say("payments", "payments", "")[:5]) < 2) {
				t.Errorf("%s, %s: %s", p.Game.Name(), tag, text)
			}
			t.Logf("%s", text)
		}
	}
}

// A terminal that cannot show symbols gets none, a file gets no colours unless somebody asks for
// them, and the language is the reader's.
func TestEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		env      map[string]string
		ascii    bool
		colour   bool
		language string
	}{
		{map[string]string{}, true, false, "en"},
		{map[string]string{"LANG": "C", "TERM": "xterm"}, true, true, "en"},
		{map[string]string{"LANG": "hu_HU.UTF-8", "TERM": "xterm"}, false, true, "hu"},
		{map[string]string{"LANG": "de_AT.utf8", "TERM": "dumb"}, false, false, "de"},
		{map[string]string{"LC_ALL": "C", "LANG": "hu_HU.UTF-8"}, true, false, "en"},
		{map[string]string{"LC_MESSAGES": "de_DE.UTF-8", "LANG": "fr_FR.UTF-8", "TERM": "xterm", "NO_COLOR": "1"}, false, false, "de"},
		{map[string]string{"LANG": "fr_FR.UTF-8"}, false, false, "en"},
	} {
		getenv := func(name string) string { return c.env[name] }
		got := StyleOf(getenv, true)
		if got.ASCII != c.ascii || got.Colour != c.colour || scene.PreferredTag(getenv) != c.language || StyleOf(getenv, false).Colour {
			t.Errorf("%v: %+v, %s", c.env, got, scene.PreferredTag(getenv))
		}
	}
}

// FuzzRead types anything at any question. Nothing may panic, and a text read as a move must be a
// move that the rules accept.
func FuzzRead(f *testing.F) {
	for _, line := range []string{"", ",", "pass", "three", "hold", "packet 2", "packet x", "annul:d", "play", "play I dec", "dec", "discard", "discard HQ HQ",
		"♥Q ♦R", "discard 10", "call", "call XX", "call 10, trull", "count 8 ultimo", "contra", "contra game trull", "1 2", "0", "-1", "SKIZ", "Skíz", "pagát", "kh", "ſ", "İ", "\xff"} {
		f.Add(line)
	}
	type question struct {
		d Display
		p scene.Position
	}
	var list []question // one question of each kind in each language
	seen := map[string]bool{}
	everyQuestion(f, 4, func(d Display, p scene.Position, ask scene.Ask) {
		kind := d.game.Name() + d.language.Tag + ask.Parts[len(ask.Parts)-1].Group + ask.Prompt.ID
		if !seen[kind] {
			seen[kind], list = true, append(list, question{d, p})
		}
	})
	f.Fuzz(func(t *testing.T, line string) {
		for _, q := range list {
			if _, a, err := q.d.ReadPicks(q.p, nil, line); err == nil && a.Move != nil {
				testmust.Do(t, testmust.ErrorOf(q.p.Table.TurnedCards(q.p.View.Seat, *a.Move)), line, "is read as", *a.Move, "which the rules refuse")
			}
		}
	})
}

// An amount cannot be typed alone, with its verb or in a language; or one out of range is accepted.
func TestAmounts(t *testing.T) {
	t.Parallel()
	game, _ := games.Lookup("five-card-draw/v1")
	p := testmust.Have(tabletest.New(game, tabletest.Config{Seats: 3, Options: map[string]string{"limit": "none"}}, 1))(t)
	duty := testmust.Have(p.PlayUntil(table.Move))(t)
	at := position(t, p, p.State, duty.Seats[0])
	for tag, lines := range map[string][]string{"en": {"37", "to 37", "to:37", "bet 37", "BET 37"}, "de": {"37", "setzen 37"}, "hu": {"37", "hívok 37"}} {
		d := testmust.Have(For(game.Name(), tag, Style{Width: 80}))(t)
		for _, line := range lines {
			_, a, err := d.ReadPicks(at, nil, line)
			testmust.Holdf(t, err == nil && a.Move != nil && string(*a.Move) == `{"to":37}`, "%s: %q is read as %v, %v", tag, line, a.Move, err)
		}
		for _, line := range []string{"1", "200", "to 0", "37 38", "check 37"} {
			if _, a, err := d.ReadPicks(at, nil, line); err == nil && a.Move != nil {
				t.Errorf("%s: %q is read as %s", tag, line, *a.Move)
			} else if !strings.Contains(err.Error(), "199") && !strings.HasSuffix(line, "37") && !strings.HasSuffix(line, "38") {
				t.Errorf("%s: of %q is said: %v; want what may be bet", tag, line, err)
			}
		}
	}
}
