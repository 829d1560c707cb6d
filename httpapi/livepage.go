package httpapi

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/names"
	"github.com/pakli/pakli/ledger/admission"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/wire"
)

// The page of an event while it is played: without script, loaded again every ten seconds.
//
//go:embed livepage.html
var livePageText string

var livePage = sync.OnceValue(func() *template.Template { return template.Must(template.New("live").Parse(livePageText)) })

// livePageView is what the page is made of.
type livePageView struct {
	Lang, Name, Counts string
	ID                 wire.Hash
	Over               bool
	T                  map[string]string
	Cancelled          string // why
	Calls              []string
	Rounds             []liveRound // the newest first
	Ranks              []liveRank
	names              names.Roster
}

type liveRound struct {
	Title  string
	Tables []liveTable
	Byes   string
}

type liveTable struct {
	Number                int
	Players, State, Waits string
}

type liveRank struct{ Rank, Player, Total string }

// liveTexts are the words of the page, by language.
var liveTexts = map[string]map[string]string{
	"en": {"state": "As this server computes it (the page reloads every ten seconds):", "round": "Round %d", "byes": "Bye:", "ranks": "Ranks so far", "standings": "Standings", "calls": "An arbiter is called", "final": "final", "cancelled": "The organiser has cancelled the event:",
		"server": "Nobody has to believe this page: it is what this server says. Anybody can compute all of it from the log:",
		"sound":  "over", "adjudicated": "over (adjudicated)", "unfinished": "in play", "foul": "FOUL", "cannot check": "cannot check", "": "not begun", "players": "%d players", "tables": "tables %s: %d", "waits": "waits for %s", "left": "%s, %d s left", "out": "disqualified", "at": "table %s"},
	"de": {"state": "Wie dieser Server es berechnet (die Seite lädt alle zehn Sekunden neu):", "round": "Runde %d", "byes": "Freilos:", "ranks": "Rangliste bis jetzt", "standings": "Rangliste", "calls": "Ein Schiedsrichter wird gerufen", "final": "abgeschlossen", "cancelled": "Der Veranstalter hat abgesagt:",
		"server": "Dieser Seite muss niemand glauben: Sie ist, was dieser Server sagt. Jeder kann alles aus dem Protokoll nachrechnen:",
		"sound":  "zu Ende", "adjudicated": "zu Ende (mit Entscheidung)", "unfinished": "im Spiel", "foul": "VERSTOSS", "cannot check": "nicht prüfbar", "": "nicht begonnen", "players": "%d Spieler", "tables": "Tische %s: %d", "waits": "wartet auf %s", "left": "%s, noch %d s", "out": "disqualifiziert", "at": "Tisch %s"},
	"hu": {"state": "Ahogy ez a szerver számolja (az oldal tíz másodpercenként frissül):", "round": "%d. forduló", "byes": "Szabadnapos:", "ranks": "Eddigi állás", "standings": "Végeredmény", "calls": "Játékvezetőt hívnak", "final": "lezárva", "cancelled": "A rendező lemondta a versenyt:",
		"server": "Ennek az oldalnak senkinek sem kell hinnie: ezt a szerver mondja. Bárki kiszámíthatja mindezt a naplóból:",
		"sound":  "vége", "adjudicated": "vége (döntéssel)", "unfinished": "játékban", "foul": "VÉTSÉG", "cannot check": "nem ellenőrizhető", "": "el sem kezdődött", "players": "%d játékos", "tables": "asztal, %s: %d", "waits": "%s következik", "left": "%s, még %d mp", "out": "kizárva", "at": "%s. asztal"},
}

// liveLanguage is the language that is asked for, or preferred, or English.
func liveLanguage(r *http.Request) string {
	wanted := append([]string{r.URL.Query().Get("lang")}, strings.Split(r.Header.Get("Accept-Language"), ",")...)
	for _, tag := range wanted {
		tag, _, _ = strings.Cut(strings.TrimSpace(tag), ";")
		tag, _, _ = strings.Cut(strings.ToLower(tag), "-")
		if liveTexts[tag] != nil {
			return tag
		}
	}
	return "en"
}

// getLivePage shows an event to people, by its code or how its id begins.
func (s *eventAPI) getLivePage(w http.ResponseWriter, r *http.Request) error {
	id, err := s.eventCalled(r.PathValue("code"))
	if err != nil {
		return err
	}
	lang := liveLanguage(r)
	page, tag, err := s.madePage(r, "live "+lang+" "+id.String(), func() ([]byte, error) { return s.livePage(r.Context(), id, lang) })
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", mediaHTML)
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Add("Vary", "Accept-Language")
	return s.reads.serveTagged(w, r, page, tag)
}

// madePage makes a page once for as long as the log does not grow, and no table moves on.
func (s *eventAPI) madePage(r *http.Request, name string, of func() ([]byte, error)) (page []byte, tag string, err error) {
	c, err := s.log.Checkpoint(r.Context())
	if err != nil {
		return nil, "", err
	}
	page, err = s.reads.makeAnswer(r, func() ([]byte, error) {
		v := answerVersion{name: name, size: c.Size, moves: s.admission.Moves()}
		if data, known := s.documents.get(v); data != nil {
			tag = known
			return data, nil
		}
		data, err := of()
		if err == nil {
			tag = tagOf(data)
			s.documents.putForever(v, data, tag)
		}
		return data, err
	})
	return page, tag, err
}

// eventCalled is the one event that a person calls so.
func (s *eventAPI) eventCalled(text string) (found wire.Hash, err error) {
	if id, err := wire.ParseHash(text); err == nil {
		return id, nil
	}
	code, err := wire.ReadCode(text, wire.MinCode)
	if err != nil {
		return found, problem(client.MalformedRequest, "%v", err)
	}
	n := 0
	for _, e := range s.admission.Events(0, maxPage*maxPage) {
		if e.ID.HasCode(code) {
			found, n = e.ID, n+1
		}
	}
	if n != 1 {
		return found, problem(client.UnknownEvent, "%d events have the code %.60q", n, text)
	}
	return found, nil
}

func (s *eventAPI) livePage(ctx context.Context, id wire.Hash, lang string) ([]byte, error) {
	waits, err := s.awaitedSeats(ctx, id, liveTexts[lang])
	if err != nil {
		return nil, err
	}
	page := livePageView{Lang: lang, ID: id, T: liveTexts[lang]}
	err = s.judgeEvent(ctx, id, event.LeftOutLayers{}, func(h *event.History, j *event.Judgement) { page.fillPage(h, j, waits) })
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = livePage().Execute(&b, page)
	return b.Bytes(), err
}

// awaitedSeats says for whom play waits at tables of an event that are in play, and for how long yet.
func (s *eventAPI) awaitedSeats(ctx context.Context, id wire.Hash, text map[string]string) (map[wire.Hash]string, error) {
	tables, err := s.eventTables(ctx, id)
	if err != nil {
		return nil, err
	}
	list := map[wire.Hash]string{}
	for _, t := range tables {
		if t.State != event.Unfinished {
			continue
		}
		row, _, err := s.tableRow(ctx, admission.Summary{ID: t.ID, Index: t.Index, Game: t.Terms.Game, Suite: t.Terms.Suite})
		if err != nil || row.row.Standing == nil {
			continue
		}
		list[t.ID] = s.waitsAt(ctx, t.ID, row.row.Standing, text)
	}
	return list, nil
}

func (s *eventAPI) waitsAt(ctx context.Context, id wire.Hash, now *client.Standing, text map[string]string) string {
	var names []string
	for _, duty := range now.Owing {
		for _, seat := range duty.Seats {
			if name := now.Seats[seat].Name; !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if len(names) == 0 {
		return ""
	}
	if clock, err := s.clockDocument(ctx, id); err == nil {
		for _, c := range clock.Seats {
			if i := slices.Index(names, now.Seats[c.Seat].Name); c.Left != nil && i >= 0 {
				names[i] = fmt.Sprintf(text["left"], names[i], *c.Left)
			}
		}
	}
	return fmt.Sprintf(text["waits"], strings.Join(names, ", "))
}

// fillPage puts what an event has come to into the words of the page.
func (p *livePageView) fillPage(h *event.History, j *event.Judgement, waits map[wire.Hash]string) {
	p.Name, p.Over = string(h.Terms.Name), h.Final != nil || h.Canceled != nil
	p.names = rosterOf(h)
	p.countTables(h, j)
	p.listCalls(h, j)
	for _, r := range slices.Backward(h.Rounds) {
		round := liveRound{Title: fmt.Sprintf(p.T["round"], r.Number), Byes: p.playerNames(h, r.Byes)}
		for _, t := range j.Tables {
			if t.Round == r.Number {
				d := placeDocument(t)
				row := liveTable{Number: t.Number, Players: p.playerNames(h, t.Players), State: p.T[string(d.State)]}
				if d.ID != nil {
					row.Waits = waits[*d.ID]
				}
				round.Tables = append(round.Tables, row)
			}
		}
		p.Rounds = append(p.Rounds, round)
	}
	for _, s := range j.Standings {
		rank := fmt.Sprint(s.Rank)
		if s.Rank == 0 {
			rank = p.T["out"]
		}
		p.Ranks = append(p.Ranks, liveRank{rank, p.playerNames(h, []int{s.Number}), pointsText(s.Total, h)})
	}
}

// pointsText are a total as people write it.
func pointsText(total int, h *event.History) string {
	if h.Terms.Score == bulletin.ScorePlaces {
		return fmt.Sprintf("%.2f", float64(total)/event.Sixtieths)
	}
	if total == 0 {
		return "0"
	}
	return strings.Replace(fmt.Sprintf("%+d", total), "-", "−", 1)
}

func (p *livePageView) playerNames(h *event.History, numbers []int) string {
	var list []string
	for _, n := range numbers {
		who := h.PlayerByNumber(n)
		list = append(list, fmt.Sprintf("%d %s", n, p.names.Show(string(who.Name), who.Key)))
	}
	return strings.Join(list, ", ")
}

// countTables says how many players there are, and tables by their states.
func (p *livePageView) countTables(h *event.History, j *event.Judgement) {
	counts := map[event.State]int{}
	for _, t := range j.Tables {
		counts[placeDocument(t).State]++
	}
	parts := []string{fmt.Sprintf(p.T["players"], len(h.Players))}
	for _, state := range slices.Sorted(maps.Keys(counts)) {
		parts = append(parts, fmt.Sprintf(p.T["tables"], p.T[string(state)], counts[state]))
	}
	if h.Final != nil {
		parts = append(parts, p.T["final"])
	}
	if h.Canceled != nil {
		p.Cancelled = p.T["cancelled"] + " " + string(h.Canceled.Body.(*bulletin.RemarkBody).Text)
	}
	p.Counts = strings.Join(parts, "; ") + "."
}

// listCalls are those about tables in play.
func (p *livePageView) listCalls(h *event.History, j *event.Judgement) {
	for _, n := range h.Notices {
		b, is := n.Body.(*bulletin.CallBody)
		who := h.PlayerByKey(n.By)
		for _, t := range j.Tables {
			if is && who != nil && t.Table != nil && t.Table.ID == b.Table && !t.Table.State.IsOver() {
				p.Calls = append(p.Calls, fmt.Sprintf(p.T["at"], fmt.Sprintf("%d/%d", t.Round, t.Number))+": "+p.playerNames(h, []int{who.Number})+". "+string(b.Reason))
			}
		}
	}
}
