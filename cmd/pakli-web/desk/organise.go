package desk

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// This file has the calls of those who decide: the organiser, arbiters and the jury. Each decision
// rests on the event as it was verified here.

// eventKind is a preset of events.
type eventKind struct {
	Kind   string `json:"kind"`
	Game   string `json:"game"`
	Deals  int    `json:"deals"`
	Rounds int    `json:"rounds"`
	Sizes  []int  `json:"sizes"`
	Places []int  `json:"places"` // table sizes that the game allows
	Draw   string `json:"draw"`
}

// evening is a club's evening with any game: short, and drawn without a table.
const evening = "evening"

// eventKinds lists the presets: those of clubs, and an evening of each game.
func eventKinds(_ *Desk, _ context.Context, _ struct{}) (any, error) {
	var list []eventKind
	for _, k := range organiser.Kinds() {
		list = append(list, eventKind{k.Name, k.Game, k.Deals, k.Rounds, k.Sizes, tableSizes(k.Game, k.Options), bulletin.DrawTable})
	}
	for _, g := range games.Catalogue() {
		if places := tableSizes(g.Name(), map[string]string{}); g.IsPlayed && len(places) > 0 {
			size := places[len(places)-1]
			if slices.Contains(places, 4) {
				size = 4
			}
			list = append(list, eventKind{evening, g.Name(), 4, 3, []int{size}, places, bulletin.DrawCommit})
		}
	}
	return list, nil
}

// tableSizes returns the numbers of players that a game allows.
func tableSizes(game string, options map[string]string) (list []int) {
	terms := wire.Genesis{Format: wire.TableFormat2, Game: game, Suite: suite.Default, Options: options, Deals: 1, Fouls: wire.WarnFouls}
	for n := wire.MinSeats; n <= wire.MaxSeats; n++ {
		if table.CheckPlayable(&terms, n, catalogue()) == nil {
			list = append(list, n)
		}
	}
	return list
}

// eventDraft is a person's form for an event.
type eventDraft struct {
	tableAddress
	Kind     string   `json:"kind"`
	Game     string   `json:"game"`
	Name     string   `json:"name"`
	Venue    string   `json:"venue"`
	Page     string   `json:"page"`
	From     string   `json:"from"`
	To       string   `json:"to"`
	Deals    int      `json:"deals"`
	Rounds   int      `json:"rounds"`
	Sizes    []int    `json:"sizes"`
	Draw     string   `json:"draw"`
	Max      int      `json:"max"`
	Late     int      `json:"late"`
	Apart    bool     `json:"apart"`
	Seating  string   `json:"seating"` // of all rounds; ranked: of the last one; "": the usual one
	Points   string   `json:"points"`  // by places; "": payments count
	Bye      string   `json:"bye"`     // points; "": the average
	Forfeit  int      `json:"forfeit"`
	Protest  int      `json:"protest"` // minutes
	Clock    string   `json:"clock"`   // its name; "": none
	Times    string   `json:"times"`   // for a move, in a deal, and more for each move, in seconds; "": those of the clock's name
	Keepers  []string `json:"keepers"`
	Arbiters []string `json:"arbiters"`
	Jury     []string `json:"jury"`
	Own      bool     `json:"own"`  // the organiser is an arbiter too
	Seat     string   `json:"seat"` // the organiser's name
	Sign     bool     `json:"sign"` // sign and announce it; otherwise only show what would be signed
}

// terms returns the terms of a draft.
func (a eventDraft) terms() *bulletin.Event {
	e := organiser.UsualTerms()
	e.Game = a.Game
	for _, k := range organiser.Kinds() {
		if k.Name == a.Kind && k.Game == a.Game {
			k.FillIn(e)
		}
	}
	e.Name, e.Venue, e.Page, e.From, e.To = wire.Text(a.Name), wire.Text(a.Venue), wire.Text(a.Page), a.From, a.To
	e.Deals, e.Rounds, e.Sizes, e.Draw = a.Deals, a.Rounds, a.Sizes, a.Draw
	if e.Draw == bulletin.DrawCommit {
		e.Drawers = 0
	}
	e.Registration.Max, e.Registration.Late = a.Max, a.Late
	e.Arbiters, e.Jury = append(e.Arbiters, a.Arbiters...), append(e.Jury, a.Jury...)
	switch a.Seating {
	case string(bulletin.SeatAtRandom):
		e.Seating = nil
	case string(bulletin.SeatByRank):
		e.Seating = []bulletin.Seating{bulletin.SeatByRank}
	case string(bulletin.SeatByPlan):
		e.Seating = slices.Repeat([]bulletin.Seating{bulletin.SeatByPlan}, max(0, min(e.Rounds, wire.MaxRound)))
	}
	if e.Rounds >= 1 && e.Rounds <= wire.MaxRound {
		organiser.FillSeating(e)
	}
	if e.Apart, e.Protest = a.Apart, a.Protest*60; a.Forfeit != 0 {
		e.Ends.Late, e.Ends.Forfeit = wire.LateForfeit, a.Forfeit
	}
	if e.Places, _ = wholeNumbers(a.Points); len(e.Places) > 0 {
		e.Score = bulletin.ScorePlaces
	}
	if points, _ := wholeNumbers(a.Bye); len(points) == 1 {
		e.Bye = bulletin.Bye{Points: points[0]}
	}
	if clock, named := organiser.Clocks[a.Clock]; named {
		if times, _ := wholeNumbers(a.Times); len(times) == 3 {
			clock.Move, clock.Bank, clock.Increment = times[0], times[1], times[2]
		}
		clock.Keepers, clock.Lines, clock.Quorum = append([]string{}, a.Keepers...), []string{}, len(a.Keepers)/2+1
		e.Clock = clock
	}
	return e
}

// wholeNumbers reads numbers separated by commas or spaces.
func wholeNumbers(text string) (list []int, err error) {
	list = []int{}
	for _, word := range strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == ' ' }) {
		n, wrong := strconv.Atoi(word)
		list, err = append(list, n), errors.Join(err, wrong)
	}
	return list, err
}

// mistake is an error in a field of a draft. Why is in English, or "" if the field is enough.
type mistake struct {
	Field string `json:"field"`
	Why   string `json:"why"`
}

// mistakes returns all mistakes of a draft.
func (a eventDraft) mistakes(today string) []mistake {
	list := []mistake{}
	wrong := func(is bool, field, why string) {
		if is {
			list = append(list, mistake{field, why})
		}
	}
	wrong(strings.TrimSpace(a.Name) == "", "name", "")
	for field, text := range map[string]string{"name": a.Name, "venue": a.Venue, "page": a.Page} {
		if err := wire.Text(text).Check(); err != nil {
			wrong(true, field, err.Error())
		}
	}
	isDate := func(s string) bool {
		t, err := time.Parse(time.DateOnly, s)
		return err == nil && t.Format(time.DateOnly) == s
	}
	wrong(a.From != "" && (!isDate(a.From) || a.From < today), "from", "")
	wrong(a.To != "" && (!isDate(a.To) || a.To < a.From), "to", "")
	wrong(a.Rounds < 1 || a.Rounds > wire.MaxRound, "rounds", "")
	wrong(a.Deals < 1 || a.Deals > wire.MaxDeals, "deals", "")
	wrong(a.Max < 2 || a.Max > bulletin.MaxPlayers, "max", "")
	wrong(a.Late < 0 || a.Late > a.Rounds, "late", "")
	for field, keys := range map[string][]string{"arbiters": a.Arbiters, "jury": a.Jury} {
		if err := wire.CheckVerifiers(field, append([]string{}, keys...), wire.MaxArbiters); err != nil {
			wrong(true, field, err.Error())
		}
	}
	e := a.terms()
	e.Deals = max(1, e.Deals) // reported above already
	outOfBounds := func(n int) bool { return n < -bulletin.MaxPoints || n > bulletin.MaxPoints }
	_, err := wholeNumbers(a.Points)
	wrong(err != nil || len(e.Places) > slices.Max(append([]int{0}, e.Sizes...)) || slices.ContainsFunc(e.Places, outOfBounds), "points", "")
	points, err := wholeNumbers(a.Bye)
	wrong(err != nil || len(points) > 1 || outOfBounds(e.Bye.Points), "bye", "")
	wrong(a.Forfeit < 0 || a.Forfeit > wire.MaxNumber, "forfeit", "")
	wrong(a.Protest < 0 || a.Protest > wire.MaxNumber/60 || a.Protest > 0 && a.Clock == "", "protest", "")
	times, err := wholeNumbers(a.Times)
	wrong(err != nil || len(times) != 0 && len(times) != 3 || len(times) > 0 && a.Clock == "", "times", "")
	wrong((a.Clock == "") != (len(a.Keepers) == 0), "keepers", "")
	for _, key := range a.Keepers {
		if _, err := tlog.ParseCosignerKey(key); err != nil {
			wrong(true, "keepers", err.Error())
		}
	}
	if err := e.Terms().CheckTerms(); err != nil && len(list) == 0 {
		wrong(true, "times", err.Error())
	}
	wrong(a.Apart && a.Seating == string(bulletin.SeatByPlan), "apart", "")
	for _, seats := range e.Sizes {
		if err := organiser.CheckSize(e, seats); err != nil {
			wrong(true, "sizes", err.Err.Error())
		}
	}
	return list
}

// draftEvent returns what would be signed and its mistakes, or signs and announces the event.
func draftEvent(d *Desk, ctx context.Context, a eventDraft) (any, error) {
	wrong, e := a.mistakes(time.Now().Format(time.DateOnly)), a.terms()
	if !a.Sign || len(wrong) > 0 {
		if a.Own {
			e.Arbiters = append(e.Arbiters, "") // placeholder for the new organiser's key
		}
		if len(wrong) > 0 {
			return map[string]any{"wrong": wrong, "terms": []string{}}, nil
		}
		return map[string]any{"wrong": wrong, "terms": organiser.DescribeTerms(e, a.Lang), "game": e.Game, "preset": e.Options["preset"]}, nil
	}
	c, err := d.clientOf(a.tableAddress)
	if err != nil {
		return nil, err
	}
	if !e.Clock.IsNone() {
		if has, err := c.HasCosigners(ctx); err != nil || !has {
			return map[string]any{"wrong": []mistake{{"clock", ""}}, "terms": []string{}}, err
		}
	}
	s, err := d.makeSeat(a.Seat, false)
	if err != nil {
		return nil, err
	}
	if a.Own {
		e.Arbiters = append(e.Arbiters, s.VerifierKey())
	}
	entry, err := organiser.Announce(e, s.Signer(), s.VerifierKey())
	if err != nil {
		return nil, errors.Join(err, s.Close(), d.host.Remove(s.about.ID))
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	if _, err := c.Announce(ctx, entry); err != nil {
		return nil, err
	}
	return map[string]any{"code": codeOf(wire.HashEntry(entry))}, nil
}

// doNextStep takes the organiser's next step if the call names it, since the page may be out of date.
// For the same reason it accepts no registration after those that the page showed.
func doNextStep(d *Desk, ctx context.Context, c *client.Client, k *contest, a struct {
	eventCall
	Steps []organiser.Step `json:"steps"`
	Shown uint64           `json:"shown"` // above the newest registration that the page showed
}) (any, error) {
	if k.seen == nil {
		return nil, ErrNoSeat
	}
	s := k.state()
	o, err := d.officer(c, k.id, func(key string) bool { return key == s.History.Terms.Organiser })
	if err != nil {
		return nil, err
	}
	step := s.Next()
	if !slices.Contains(a.Steps, step) || step == organiser.Accept && s.History.CountUnanswered(a.Shown) == 0 {
		return "", nil
	}
	switch step {
	case organiser.Accept:
		_, err = o.Decide(ctx, s.History.Head, bulletin.DecideRoster, s.History.NextRoster(a.Shown))
	case organiser.Plan:
		_, err = o.PublishPlans(ctx, s.History)
	case organiser.Draw:
		_, err = o.BeginDraw(ctx, s)
		if _, begun := errors.AsType[*event.DrawOpenError](err); begun {
			err = nil
		}
	case organiser.Seat:
		_, err = o.SeatRound(ctx, s)
	case organiser.Start:
		err = o.StartRound(ctx, s)
	case organiser.Publish:
		err = o.PublishFinal(ctx, s)
	}
	return step, departing(err)
}

// DepartureError says that a server refused a decision that departs from the event's method.
type DepartureError struct {
	What event.DepartureKind
	Err  error
}

func (e *DepartureError) Error() string { return e.Err.Error() }
func (e *DepartureError) Unwrap() error { return e.Err }

func departing(err error) error {
	if what := organiser.DepartureRefused(err); what != "" {
		return &DepartureError{what, err}
	}
	return err
}

// drawLots makes the seats of this browser shuffle at the draw's table until it is over.
func drawLots(d *Desk, ctx context.Context, a eventCall) (any, error) {
	_, k, err := d.lockContest(ctx, a)
	if err != nil {
		return nil, err
	}
	h := k.history()
	k.mu.Unlock()
	first, err := d.genesisOf(ctx, a.tableAddress)
	if err != nil {
		return nil, err
	}
	g := first.Genesis()
	if g.Event != h.ID.String() || g.Game != event.DrawGame || g.Organiser != h.Terms.Organiser || g.Round != 0 {
		return nil, errors.New("this table is no draw of the event")
	}
	all, err := d.seatRecords()
	for _, one := range all {
		if err == nil && slices.Contains(g.Seats, one.Key) {
			err = d.shuffleAt(ctx, a.tableAddress, one)
		}
	}
	return nil, err
}

// shuffleAt plays a seat at a table of the draw, where nobody has a choice.
func (d *Desk) shuffleAt(ctx context.Context, a tableAddress, one seatRecord) error {
	s, err := d.openSeat(one)
	if err != nil {
		return err
	}
	defer s.Close()
	for wait := pause; ; wait = min(2*wait, most) {
		err := d.shuffleOnce(ctx, a, s)
		if err == nil || errors.Is(err, player.ErrFoul) || !client.IsPassing(err) {
			return err
		}
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (d *Desk) shuffleOnce(ctx context.Context, a tableAddress, s *seat) error {
	c, err := d.believingClient(ctx, a, s)
	if err != nil {
		return err
	}
	p, err := player.Sit(ctx, s.Identity, tablelog.New(a.Table, tablelog.Options{Server: c}), a.Table, catalogue(), player.Bot(newRand()), rand.Reader)
	if err != nil {
		return err
	}
	return p.Play(ctx)
}

// decision is a decision of an official of this browser.
type decision struct {
	eventCall
	Kind     bulletin.DecisionKind `json:"kind"` // ruling, remark, cancel, arbiters or groups
	Do       string                `json:"do"`
	Place    [2]int                `json:"place"` // round and number of a table; 0: none
	Deal     int                   `json:"deal"`
	Player   int                   `json:"player"`
	Round    int                   `json:"round"`
	Points   []pointsOf            `json:"points"`
	Instead  string                `json:"instead"` // id or code of a table
	On       string                `json:"on"`      // the hash of a ruling
	Reason   string                `json:"reason"`
	Arbiters []string              `json:"arbiters"`
	Jury     []string              `json:"jury"`
	Groups   [][]int               `json:"groups"`
	Sign     bool                  `json:"sign"` // sign and post it; otherwise only show what it would change
}

// pointsOf are points for a player, by number.
type pointsOf struct {
	Player int `json:"player"`
	Points int `json:"points"`
}

// closeInEvent ends a table of an event that stands still. The payments of its finished deals count.
func closeInEvent(d *Desk, ctx context.Context, c *client.Client, k *contest, a struct {
	eventCall
	Reason string `json:"reason"`
}) (any, error) {
	return nil, d.actInEvent(ctx, c, k, a.Table, wire.KindClose, wire.CloseBody{Reason: wire.Text(a.Reason)})
}

// reseatInEvent gives a seat to a player of the event who has accepted it.
func reseatInEvent(d *Desk, ctx context.Context, c *client.Client, k *contest, a struct {
	eventCall
	Seat   int    `json:"seat"`
	By     string `json:"by"` // the key of the substitute
	Accept string `json:"accept"`
}) (any, error) {
	accept, err := wire.ParseBinary(a.Accept, ed25519.SignatureSize)
	if err != nil {
		return nil, err
	}
	return nil, d.actInEvent(ctx, c, k, a.Table, wire.KindReseat, wire.ReseatBody{Seat: a.Seat, Key: a.By, Accept: accept})
}

// actInEvent signs an act at a table of an event, as its organiser or an arbiter. The server says
// which entry the act follows; if that is false, the act is void.
func (d *Desk) actInEvent(ctx context.Context, c *client.Client, k *contest, id wire.Hash, kind wire.Kind, body any) error {
	if k.seen == nil {
		return ErrNoSeat
	}
	h := k.seen.History
	at := slices.IndexFunc(k.seen.Sheets, func(t *event.Table) bool { return t.ID == id && t.Terms.Organiser == h.Terms.Organiser })
	if at < 0 {
		return errors.New("this table is none of the event's")
	}
	terms := k.seen.Sheets[at].Terms
	o, err := d.officer(c, k.id, func(key string) bool { return key == terms.Organiser || slices.Contains(terms.Arbiters, key) })
	if err != nil {
		return err
	}
	if b, is := body.(wire.ReseatBody); is && h.PlayerByKey(b.Key) == nil {
		return errors.New("who is to sit down is no player of this event")
	}
	now, err := c.Table(ctx, id)
	if err != nil {
		return err
	}
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return err
	}
	entry, err := wire.Sign(&wire.Act{Format: wire.ActFormat, Table: id, Parent: now.Head, By: o.Key, Kind: kind, Body: raw}, o.Signer)
	if err == nil {
		_, err = c.Post(ctx, id, entry)
	}
	return err
}

// change is a change of the standings by a decision.
type change struct {
	Name     string `json:"name"`
	Before   int    `json:"before"`
	After    int    `json:"after"`
	WasRank  int    `json:"wasRank"`
	WillRank int    `json:"willRank"`
}

// body is the body of a decision.
func (a decision) body(s organiser.State) (any, error) {
	switch a.Kind {
	case bulletin.DecideRemark, bulletin.DecideCancel:
		return bulletin.RemarkBody{Text: wire.Text(a.Reason)}, nil
	case bulletin.DecideGroups:
		return bulletin.GroupsBody{Groups: append([][]int{}, a.Groups...)}, nil
	case bulletin.DecideArbiters:
		return bulletin.ArbitersBody{Arbiters: append([]string{}, a.Arbiters...), Jury: append([]string{}, a.Jury...)}, nil
	}
	b := bulletin.RulingBody{Do: a.Do, About: bulletin.RulingSubject{Deal: a.Deal, Player: a.Player, Round: a.Round, Entry: a.On}, Points: []bulletin.PlayerPoints{}, Grounds: []wire.Hash{}, Reason: wire.Text(a.Reason)}
	for _, p := range a.Points {
		b.Points = append(b.Points, bulletin.PlayerPoints(p))
	}
	if a.Place[0] > 0 {
		at := slices.IndexFunc(s.Tables, func(t event.SeatedPlace) bool {
			return t.Round == a.Place[0] && t.Number == a.Place[1] && t.Table != nil
		})
		if at < 0 {
			return nil, fmt.Errorf("the event has no table %d/%d", a.Place[0], a.Place[1])
		}
		b.About.Table = s.Tables[at].Table.ID.String()
	}
	if a.Instead != "" {
		at := slices.IndexFunc(s.Sheets, func(t *event.Table) bool {
			return t.ID.String() == a.Instead || t.ID.HasCode(strings.ToUpper(a.Instead))
		})
		if at < 0 {
			return nil, fmt.Errorf("no table of the event has the code %.20q", a.Instead)
		}
		b.Instead = s.Sheets[at].ID.String()
	}
	return b, nil
}

// decideInEvent returns what a decision would change, or posts it.
func decideInEvent(d *Desk, ctx context.Context, c *client.Client, k *contest, a decision) (any, error) {
	if k.seen == nil {
		return nil, ErrNoSeat
	}
	s := k.state()
	body, err := a.body(s)
	if err != nil {
		return nil, err
	}
	arbiters, jury := s.History.Officials()
	o, err := d.officer(c, k.id, func(key string) bool {
		switch {
		case a.Kind == bulletin.DecideRemark:
			return s.History.MayDecide(key)
		case a.Kind != bulletin.DecideRuling:
			return key == s.History.Terms.Organiser
		case a.Do == bulletin.RuleUphold || a.Do == bulletin.RuleOverturn:
			return slices.Contains(jury, key)
		}
		return slices.Contains(arbiters, key)
	})
	if err != nil {
		return nil, err
	}
	if !a.Sign {
		return k.effect(ctx, s, o, a.Kind, body)
	}
	_, err = o.Decide(ctx, s.History.Head, a.Kind, body)
	return nil, departing(err)
}

// effect returns how a decision would change the standings. It applies the decision to a copy of the
// event, which refuses it as the log would. The entry signed for that is not posted.
func (k *contest) effect(ctx context.Context, s organiser.State, o *organiser.Organiser, kind bulletin.DecisionKind, body any) ([]change, error) {
	h, err := event.Open(k.entries[0], k.indexes[0])
	if err != nil {
		return nil, err
	}
	for i := 1; i < len(k.entries) && k.indexes[i] < s.Size; i++ {
		_ = h.TakeEntry(k.entries[i], k.indexes[i])
	}
	o.Try = func(_ context.Context, _ bulletin.DecisionKind, entry []byte, _ json.RawMessage) error {
		parsed, err := bulletin.Parse(entry)
		if err == nil {
			err = h.TakeEntry(parsed, s.Size)
		}
		return err
	}
	if _, err := o.Decide(ctx, s.History.Head, kind, body); err != nil {
		return nil, err
	}
	was := map[int]event.Standing{}
	for _, row := range s.Standings {
		was[row.Number] = row
	}
	list := []change{}
	for _, row := range event.Judge(h, s.Sheets, s.Size+1, event.Options{}).Standings {
		if old := was[row.Number]; old.Total != row.Total || old.Rank != row.Rank {
			list = append(list, change{row.Name, old.Total, row.Total, old.Rank, row.Rank})
		}
	}
	return list, nil
}
