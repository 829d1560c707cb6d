package event

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger"
	"github.com/pakli/pakli/ledger/ledgertest"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/events"
)

// listing is a server that shows a true log and arbitrary lists of its events.
type listing struct {
	log  *ledger.Ledger
	rows []wire.Hash
}

func (l *listing) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var answer []byte
	var err error
	switch tile, isTile := tlog.ParseTilePath(strings.TrimPrefix(r.URL.Path, "/")); {
	case isTile == nil:
		answer, err = l.log.Tile(r.Context(), tile)
	case r.URL.Path == "/v1/events":
		var list client.EventList
		for i, id := range l.rows {
			list.Events = append(list.Events, client.Event{ID: id, Index: uint64(i), Name: "Cup"})
		}
		answer, err = json.Marshal(list)
	default:
		var c tlog.Checkpoint
		c, err = l.log.Checkpoint(r.Context())
		answer = c.Note
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
	}
	w.Write(answer)
}

// events logs events, with other entries, until two events begin with the same digit.
func (l *listing) events(t *testing.T, signer note.Signer, vkey string) (one, like wire.Hash) {
	t.Helper()
	begun := map[byte]wire.Hash{}
	for {
		e := testmust.Have(readEvent(strings.NewReader("name = Cup\ngame = schwarzer-peter\n"), "2031-01-01", nil))(t)
		entry := testmust.Have(Announce(e, signer, vkey))(t)
		for _, entry := range [][]byte{entry, append([]byte("no event: "), entry...)} {
			testmust.Have(l.log.Append(t.Context(), entry))(t)
		}
		id := wire.HashEntry(entry)
		if one, twice := begun[id.String()[0]]; twice {
			return one, id
		}
		begun[id.String()[0]] = id
	}
}

// A server lists an event whose id somebody searched for until it had the beginning or the code of
// another's; it lists one of them, both, or one that its log does not have. Nobody is led into one
// for the other. (Attack 35)
func TestTwoEventsOfOneCode(t *testing.T) {
	dir := t.TempDir()
	key := testmust.Have(ledger.CreateKey(dir, "cards.example", rand.Reader))(t)
	o := ledger.Options{Signer: key.Signer, Store: new(ledgertest.Stores)}
	testmust.Do(t, ledger.Create(dir, o))
	l := new(listing)
	l.log = testmust.Have(ledger.Open(dir, o))(t)
	defer l.log.Close()
	one, like := l.events(t, key.Signer, key.Public)
	pages := httptest.NewServer(l)
	defer pages.Close()
	verifier := testmust.Have(note.NewVerifier(key.Public))(t)
	invented := one
	invented[31] ^= 1
	for _, c := range []struct {
		what, text string
		listed     []wire.Hash
		found      bool
	}{
		{"by its code", one.Code()[:wire.MinCode], []wire.Hash{one, like}, true},
		{"by its whole id", one.String(), nil, true},
		{"by how both begin", one.String()[:1], []wire.Hash{one, like}, false},
		{"by how both begin, of which one is listed", one.String()[:1], []wire.Hash{one}, false},
		{"by the code of two that are listed", one.Code()[:wire.MinCode], []wire.Hash{one, invented}, false},
		{"by the code of one that the log does not have", one.Code()[:wire.MinCode], []wire.Hash{invented}, false},
		{"by nothing", "", []wire.Hash{one}, false},
		{"by a code of none", "K7QX2M4P", []wire.Hash{one}, false},
	} {
		server := testmust.Have(client.New(pages.URL, verifier, nil))(t)
		l.rows = c.listed
		id, err := flags.EventNamed(t.Context(), server, c.text)
		testmust.Holdf(t, (err == nil) == c.found && (!c.found || id == one), "%s: %v, %v", c.what, id, err)
	}
}

// A kind of event cannot be played, or a line of the file does not change its terms.
func TestEventKinds(t *testing.T) {
	skey, vkey, err := note.GenerateKey(bytes.NewReader(make([]byte, 32)), "club")
	testmust.Do(t, err)
	signer := testmust.Have(note.NewSigner(skey))(t)
	for _, kind := range kindNames() {
		e := testmust.Have(readEvent(strings.NewReader("rounds = 5\nname = Cup\nkind = "+kind+"\ndeals = 3\n"), "2031-01-01", nil))(t)
		testmust.Holdf(t, e.Rounds == 5 && e.Deals == 3 && len(e.Seating) == 5, "%s: %d rounds, %d deals, seated %v", kind, e.Rounds, e.Deals, e.Seating)
		entry, err := Announce(e, signer, vkey)
		testmust.Holdf(t, err == nil && bulletin.BeginsEvent(entry), "%s: %v", kind, err)
	}
}

// Terms that nobody can keep, and malformed lines, are refused.
func TestEventConfRefused(t *testing.T) {
	for text, want := range map[string]string{
		"protest = 60":             "keepers",
		"clock = club":             "--keeper is missing",
		"kind = chess":             "want one of tarokk-cup, skat-series",
		"name":                     "line 1: want a name",
		"name = Cup\ncolour = ":    `line 2: no line is called "colour"`,
		"from = 3.5.2031":          "line 1: from: want a date as 2031-05-03",
		"rounds = three":           "line 1: rounds: want a number from 1 to",
		"rounds = 2\nrounds = 3":   "line 2: rounds is there already, in line 1",
		"seating = random, ranked": "the event has 3",
		"rounds = -1":              "want a number from", "rounds = -1\nseating = ranked": "want a number from", "rounds = 4000000000000000000": "line 1: rounds: want a number from", "players = 0": "line 1: players: want a number from 1 to",
		"keeper = nobody":                      "line 1: keeper",
		"bye = avg":                            `line 1: bye: want average, or points as a number, not "avg"`,
		"from = 2030-12-31":                    "line 1: from: 2030-12-31 is past",
		"from = 2031-05-03\n\nto = 2031-05-02": "line 3: to: 2031-05-02 is before 2031-05-03",
		"rounds = 2\nlate = 3":                 "line 2: late: players may come up to round 3, and the event has 2",
		"sizes = 4, 4":                         "line 1: sizes: want one number of seats, or two different ones",
		"sizes = 1":                            "line 1: sizes: tables of 1",
		"players = 3":                          "line 1: players: 3 have place, and a table needs 4",
		"places = 4, 3, 2, 1, 0":               "line 1: places: points for 5 places, and a table has 4",
		"draw = commit\ndrawers = 2":           "line 2: drawers: with draw = commit",
		"seating = luck":                       "line 1: seating: want one of [random ranked plan]",
		"ties = first":                         "line 1: ties: want one of",
		"fouls = forgive":                      "line 1: fouls: want one of",
		"game = skat\nsizes = 5":               "line 2: tables of 5: ",
		"bye = avg\nfouls = no\nto = 3.5.":     "line 3: to: want a date",
	} {
		testmust.FailSaying(t, testmust.ErrorOf(readEvent(strings.NewReader(text), "2031-01-01", nil)), want, text)
	}
	if _, err := readEvent(strings.NewReader("fouls = no\nbye = avg\nfrom = 2030-01-01"), "2031-01-01", nil); err == nil || strings.Count(err.Error(), "line ") != 3 {
		t.Errorf("three mistakes: %v", err)
	}
	e, err := readEvent(strings.NewReader("\ufeffname = Cup\r\nbye = -3\r\n"), "2031-01-01", nil)
	testmust.Holdf(t, err == nil && e.Name == "Cup" && e.Bye.Points == -3, "a file of another editor: %v", err)
	e, err = readEvent(strings.NewReader(example), "2031-01-01", nil)
	testmust.Holdf(t, err == nil && e.Game == "tarokk/v1" && len(e.Seating) == 3, "the example: %v", err)
	for line := range strings.Lines(example) { // what is commented out is a line, too
		if rest, is := strings.CutPrefix(line, "# "); is && strings.Contains(line, " = ") {
			name, _, _ := strings.Cut(rest, "=")
			testmust.Holdf(t, eventFields[strings.TrimSpace(name)] != nil || strings.Contains("kind clock keeper", strings.TrimSpace(name)) || strings.Contains(name, " "), "the example has a line %q", line)
		}
	}
	for text, want := range map[string]string{"rounds = 2": "[random random]", "seating = ranked": "[ranked ranked ranked]", "rounds = 2\nkind = tarokk-cup": "[random ranked]"} {
		e, err := readEvent(strings.NewReader(text), "2031-01-01", nil)
		testmust.Holdf(t, err == nil && fmt.Sprint(e.Seating) == want, "%q: %v, %v, want %s", text, e, err, want)
	}
	_, own, err := note.GenerateKey(bytes.NewReader(make([]byte, 32)), "club")
	testmust.Do(t, err)
	e, err = readEvent(strings.NewReader("arbiter = club.seat.pub"), "2031-01-01", map[string]string{"club.seat.pub": own})
	testmust.Holdf(t, err == nil && e.Arbiters[0] == own, "the organiser's own key, which is not made yet: %v", err)
	keeper := markstest.NewKeeper(t, "keeper", nil)
	e, err = readEvent(strings.NewReader("protest = 60\nclock = club,move=90\nkeeper = "+keeper.VerifierKey.String()), "2031-01-01", nil)
	testmust.Holdf(t, err == nil && e.Clock.Move == 90 && e.Clock.Quorum == 1 && e.Clock.Bank == 900, "a clock: %v, %+v", err, e)
}

// A ruling is about another table than its arbiter means: a stranger began one for the same place,
// before or after, or there is none. An appeal is against another ruling.
func TestWhatIsRuledOn(t *testing.T) {
	counts, ruling := wire.HashEntry([]byte("counts")), wire.HashEntry([]byte("ruling"))
	verified := func() (*events.VerifiedEvent, error) {
		return &events.VerifiedEvent{
			Judgement: &event.Judgement{Tables: []event.SeatedPlace{{Round: 1, Number: 1}, {Round: 1, Number: 2, Table: &event.Table{ID: counts}}}},
			History:   &event.History{Rulings: []*event.Ruling{{Decision: &event.Decision{Hash: ruling, Index: 17}}}},
		}, nil
	}
	for place, want := range map[[2]string]string{{"1", "2"}: counts.String(), {"1", "1"}: "", {"2", "2"}: "", {"0", "1"}: "", {"1", "x"}: ""} {
		got, err := tableAt(verified, place[0], place[1])
		testmust.Holdf(t, got == want && (err == nil) == (want != ""), "table %v: %q, %v", place, got, err)
	}
	for text, want := range map[string]string{"17": ruling.String(), ruling.String()[:8]: ruling.String(), "1": "", ruling.String()[:4]: ""} {
		got, err := rulingNamed(verified, text)
		testmust.Holdf(t, got == want && (err == nil) == (want != ""), "ruling %s: %q, %v", text, got, err)
	}
}

// A ruling, an appeal or a call lacks its subject, or asks for the impossible. The message names the
// flag before any request to a server.
func TestIncompleteSpeech(t *testing.T) {
	for line, missing := range map[string]string{
		"appeal":                          "--ruling",
		"call":                            "--table",
		"rule":                            "--do",
		"rule --do adjust":                "--table",
		"rule --do adjust --table 1/1":    "--points",
		"rule --do penalty --points 1:-5": "--player",
		"rule --do disqualify --player 1": "--round",
		"rule --do replay --table 1/1":    "--instead",
		"rule --do correct":               "--reason",
		"rule --do uphold --table 1/1":    "--do uphold: want one of adjust",
		"rule --do punish --player 1":     "--do punish: want one of adjust",
		"answer --ruling 7":               "--do",
		"answer --do uphold":              "--ruling",
		"answer --ruling 7 --do stands":   "--do stands: want one of uphold, overturn",
		"arbiters":                        "--arbiter",
		"remark":                          "--reason",
		"cancel --yes":                    "--reason",
		"rule --do penalty --player 1 --points 1:-5": "",
		"register": "",
	} {
		words := strings.Fields(line)
		f := command.NewFlags(command.Env{Out: io.Discard, Err: io.Discard}, "pakli event "+words[0], "EVENT")
		p := Speech{Name: words[0]}
		p.addFlags(f)
		testmust.Do(t, f.Read(append(words[1:], "EVENT")))
		err := p.checkFlags()
		testmust.Holdf(t, (err == nil) == (missing == "") && (err == nil || strings.Contains(err.Error(), missing)), "%s: %v, want %s", line, err, missing)
	}
}

// No ruling is found by the entry number that results print.
func TestRulingAsPrinted(t *testing.T) {
	r := &event.Ruling{Decision: &event.Decision{Index: 1424}}
	verified := func() (*events.VerifiedEvent, error) {
		return &events.VerifiedEvent{History: &event.History{Rulings: []*event.Ruling{r}}}, nil
	}
	for _, text := range []string{"1424", "1,424", "1.424", "1\u00a0424"} {
		got, err := rulingNamed(verified, text)
		testmust.Holdf(t, err == nil && got == r.Hash.String(), "%q: %s, %v", text, got, err)
	}
	testmust.Fail(t, testmust.ErrorOf(rulingNamed(verified, "424")), "another number")
}
