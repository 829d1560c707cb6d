package desk

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/scene"
	"github.com/pakli/pakli/protocol/wire"
)

// eventView is an event as a page shows it.
type eventView struct {
	ID        wire.Hash      `json:"id"`
	Code      string         `json:"code"`
	Link      string         `json:"link"`
	QR        QR             `json:"qr"` // of the link
	Name      string         `json:"name"`
	Venue     string         `json:"venue"`
	Page      string         `json:"page"`
	From      string         `json:"from"`
	To        string         `json:"to"`
	Game      string         `json:"game"`
	Preset    string         `json:"preset"`
	Terms     []string       `json:"terms"`
	Drawn     bool           `json:"drawn"`   // by players at a table
	Grouped   bool           `json:"grouped"` // the organiser may name groups that are kept apart
	Groups    [][]int        `json:"groups"`  // by numbers of players
	Options   []differs      `json:"options"`
	Stage     string         `json:"stage"`     // upcoming, running, over, cancelled
	Cancelled string         `json:"cancelled"` // the reason
	Enter     bool           `json:"enter"`     // a player who registers now can still play
	Round     int            `json:"round"`     // last round that is seated
	Of        int            `json:"of"`
	Players   []entrant      `json:"players"`
	Waiting   []entrant      `json:"waiting"` // registrations without an answer
	Alike     []string       `json:"alike"`   // names of both that look alike, with the ends of their keys
	Rounds    []roundView    `json:"rounds"`  // the newest first
	Draw      *tableView     `json:"draw"`    // in play
	Unit      int            `json:"unit"`    // a point is this many of what totals count
	Ranks     []rankView     `json:"ranks"`
	Layers    []event.Layer  `json:"layers"` // that can be left out
	Rulings   []rulingView   `json:"rulings"`
	Remarks   []remarkView   `json:"remarks"`
	Calls     []callView     `json:"calls"`
	Officials []officialView `json:"officials"`
	Own       ownPart        `json:"own"`
	Verified  uint64         `json:"verified"` // entries of the log that were read to verify it; 0: the server's word
	Verdict   string         `json:"verdict"`  // once it was verified
	Departs   []string       `json:"departs"`  // departures in the words of a report
	Protest   int64          `json:"protest"`  // seconds of the time to appeal that keepers have not seen pass
	Step      string         `json:"step"`     // what the organiser does next, once it was verified
}

// entrant is a player, or somebody who has registered.
type entrant struct {
	Number int    `json:"number"`
	Name   string `json:"name"` // distinguishable from other names
	Called string `json:"called"`
	Club   string `json:"club"`
	Key    string `json:"key"`
	Index  uint64 `json:"index"` // of the registration, while it has no answer
	Out    bool   `json:"out"`   // disqualified
	Left   int    `json:"left"`  // the round from which the player has withdrawn; 0: none
	Skips  []int  `json:"skips"`
}

type roundView struct {
	Number int         `json:"number"`
	Tables []tableView `json:"tables"`
	Byes   []string    `json:"byes"`
}

type tableView struct {
	Round   int         `json:"round"`
	Number  int         `json:"number"`
	ID      *wire.Hash  `json:"id"`
	Players []string    `json:"players"`
	Numbers []int       `json:"numbers"`
	State   event.State `json:"state"` // "" if it was not begun
	Stands  string      `json:"stands"`
	Deal    int         `json:"deal"`
	Deals   int         `json:"deals"`
	Waits   []waitView  `json:"waits"`
	Company []string    `json:"company"` // players whom the draw should have kept apart from somebody there
}

// waitView is a seat that a table waits for, and the seconds that it has left.
type waitView struct {
	Name string `json:"name"`
	Left *int64 `json:"left"`
}

type rankView struct {
	Rank   int           `json:"rank"`
	Number int           `json:"number"`
	Name   string        `json:"name"`
	Club   string        `json:"club"`
	Total  int           `json:"total"`
	Rounds []*int        `json:"rounds"`
	Layers []event.Layer `json:"layers"` // that the total rests on
}

type rulingView struct {
	Hash    wire.Hash   `json:"hash"`
	Index   uint64      `json:"index"`
	By      string      `json:"by"`
	Do      string      `json:"do"`
	Table   string      `json:"table"` // place of the table
	Deal    int         `json:"deal"`
	Round   int         `json:"round"`
	Player  string      `json:"player"`
	Points  []pointView `json:"points"`
	On      uint64      `json:"on"` // index of the ruling that it upholds or overturns
	Reason  string      `json:"reason"`
	State   string      `json:"state"` // open, upheld, overturned or empty
	Appeals []callView  `json:"appeals"`
}

type pointView struct {
	Name   string `json:"name"`
	Points int    `json:"points"`
}

type remarkView struct {
	Index uint64 `json:"index"`
	By    string `json:"by"`
	Text  string `json:"text"`
}

// callView is what a player says about a table or a ruling.
type callView struct {
	Index  uint64     `json:"index"`
	Name   string     `json:"name"`
	Table  *tableView `json:"table"`
	Reason string     `json:"reason"`
}

type officialView struct {
	Role  string `json:"role"`
	Name  string `json:"name"`
	Words string `json:"words"` // of the key
	Key   string `json:"key"`
}

// ownPart is the part of this browser's seats in an event.
type ownPart struct {
	Roles  []string   `json:"roles"` // organiser, arbiter, jury
	State  string     `json:"state"` // of the player: "", waiting, accepted, refused, withdrawn, out
	Why    string     `json:"why"`   // of a refusal
	Name   string     `json:"name"`
	Number int        `json:"number"`
	Table  *tableView `json:"table"` // of the last round
	Bye    bool       `json:"bye"`   // in the last round
	Draw   *wire.Hash `json:"draw"`  // the table of the draw in play at which a seat of this browser sits
}

// viewMaker makes the views of an event.
type viewMaker struct {
	*contest
	h      *event.History
	all    plain.Roster
	tables map[wire.Hash]client.Summary // as the server lists them
	places map[string]*tableView        // by the ids of their tables
}

func (d *Desk) eventView(ctx context.Context, c *client.Client, a eventCall, k *contest) (*eventView, error) {
	m := &viewMaker{contest: k, h: k.history(), tables: map[wire.Hash]client.Summary{}, places: map[string]*tableView{}}
	called := mapEach(m.h.Players, func(p *event.Player) string { return string(p.Name) })
	m.all = plain.NewRoster(append(called, mapEach(m.waiting(), func(n *event.Notice) string { return string(n.Body.(*bulletin.RegisterBody).Name) })...), func(name string) string { return name })
	e := m.h.Terms
	link := k.link(a.tableAddress)
	v := &eventView{ID: k.id, Code: codeOf(k.id), Link: link, Name: string(e.Name), Venue: string(e.Venue), Page: string(e.Page), From: e.From, To: e.To, Game: e.Game, Preset: e.Options["preset"], Terms: organiser.DescribeTerms(e, a.Lang), Drawn: e.Draw == bulletin.DrawTable, Grouped: m.h.NamesGroups(), Groups: append([][]int{}, m.h.GroupsAt(^uint64(0))...), Options: []differs{},
		Round: m.h.CountSeated(), Of: e.Rounds, Unit: 1, Players: []entrant{}, Waiting: []entrant{}, Alike: []string{}, Rounds: []roundView{}, Officials: k.officials(), Departs: []string{}}
	if e.Score == bulletin.ScorePlaces {
		v.Unit = event.Sixtieths
	}
	var err error
	if v.QR, err = qrOf(link); err != nil {
		return nil, err
	}
	if v.Options, err = changesOf(a.Lang, e.Game, e.Sizes[0], e.Deals, e.Options, map[string]string{"preset": e.Options["preset"]}); err != nil {
		v.Options = []differs{} // for a game that is not played here
	}
	if err := m.listTables(ctx, c); err != nil {
		return nil, err
	}
	if err := m.rounds(ctx, c, v); err != nil {
		return nil, err
	}
	if v.Ranks, v.Layers, err = m.ranks(ctx, c, a.Without); err != nil {
		return nil, err
	}
	m.entrants(v)
	m.setStage(v)
	m.statements(v)
	if k.seen != nil {
		v.Verified, v.Verdict, v.Step, v.Protest = k.seen.Log.Checkpoint.Size, string(k.seen.Verdict), string(k.state().Next()), k.seen.Protest
		l := scene.LanguageOrEnglish(a.Lang)
		for _, one := range k.seen.Departures {
			player := cmp.Or(m.playerName(one.Player), l.Say("draw.organiser")) // at a table of the draw
			v.Departs = append(v.Departs, l.Say("departure."+string(one.What), "round", one.Round, "table", one.Table, "player", player, "entry", one.Index))
		}
	}
	return v, m.ownPart(d, v)
}

// playerName returns the name of a player by number, or "".
func (m *viewMaker) playerName(n int) string {
	p := m.h.PlayerByNumber(n)
	if p == nil {
		return ""
	}
	return m.all.Show(string(p.Name), p.Key)
}

// keyName returns the name of the player with a key, or of an official from the key itself.
func (m *viewMaker) keyName(key string) string {
	if p := m.h.PlayerByKey(key); p != nil {
		return m.playerName(p.Number)
	}
	name, _, _ := strings.Cut(key, "+")
	return name
}

func (m *viewMaker) playerNames(numbers []int) []string {
	return mapEach(numbers, m.playerName)
}

// listTables asks the server for the state of the event's tables.
func (m *viewMaker) listTables(ctx context.Context, c *client.Client) error {
	for after := (*uint64)(nil); ; {
		list, err := c.Tables(ctx, client.TableFilter{Event: m.id.String()}, after, 256)
		if err != nil {
			return err
		}
		for _, t := range list.Tables {
			m.tables[t.ID] = t
		}
		if after = list.Next; after == nil {
			return nil
		}
	}
}

// rounds adds the seatings and the state of the tables.
func (m *viewMaker) rounds(ctx context.Context, c *client.Client, v *eventView) error {
	for _, r := range m.h.Rounds[:m.h.CountSeated()] {
		places, err := m.placesOf(ctx, c, r)
		if err != nil {
			return err
		}
		company := m.h.UnpartedPlayers(r)
		round := roundView{Number: r.Number, Tables: []tableView{}, Byes: m.playerNames(r.Byes)}
		for _, p := range places {
			t := tableView{Round: r.Number, Number: p.Number, ID: p.ID, Players: m.playerNames(p.Players), Numbers: p.Players, State: event.State(p.State), Deals: m.h.Terms.Deals, Waits: []waitView{}, Company: m.playerNames(company[p.Number-1])}
			if p.ID != nil {
				m.fillTable(ctx, c, &t)
				m.places[p.ID.String()] = &t
			}
			round.Tables = append(round.Tables, t)
		}
		v.Rounds = append([]roundView{round}, v.Rounds...)
	}
	for id, t := range m.tables {
		if t.Game == event.DrawGame && t.Standing != nil && t.State != client.TableOver && t.State != client.TableFoul {
			v.Draw = &tableView{ID: &id, Players: []string{}, Numbers: []int{}, Waits: []waitView{}, Company: []string{}}
			m.fillTable(ctx, c, v.Draw)
		}
	}
	return nil
}

// placesOf returns the places of a round, as verified or else as the server says.
func (m *viewMaker) placesOf(ctx context.Context, c *client.Client, r *event.Round) ([]client.EventPlace, error) {
	if m.seen == nil {
		said, err := c.EventRoundPlaces(ctx, m.id, r.Number)
		return said.Tables, err
	}
	var list []client.EventPlace
	for _, s := range m.seen.Judgement.Tables {
		if s.Round != r.Number {
			continue
		}
		p := client.EventPlace{Round: s.Round, Number: s.Number, Players: s.Players}
		if s.Table != nil {
			p.ID, p.State = &s.Table.ID, string(s.Table.State)
		}
		list = append(list, p)
	}
	return list, nil
}

// fillTable adds how a table stands and whom it waits for.
func (m *viewMaker) fillTable(ctx context.Context, c *client.Client, t *tableView) {
	row, listed := m.tables[*t.ID]
	if !listed || row.Standing == nil {
		return
	}
	t.Stands, t.Deal, t.Deals = string(row.State), row.Deal, row.Deals
	if row.State == client.TableOver || row.State == client.TableFoul {
		return
	}
	left := map[int]*int64{}
	if len(m.h.Terms.Clock.Keepers) > 0 {
		clock, err := c.Clock(ctx, *t.ID)
		for _, s := range clock.Seats {
			if err == nil {
				left[s.Seat] = s.Left
			}
		}
	}
	seen := map[int]bool{}
	for _, duty := range row.Owing {
		for _, seat := range duty.Seats {
			if !seen[seat] && seat >= 0 && seat < len(row.Seats) {
				seen[seat] = true
				t.Waits = append(t.Waits, waitView{m.keyName(row.Seats[seat].Key), left[seat]})
			}
		}
	}
}

// ranks returns the standings without a layer, and the layers that can be left out.
func (m *viewMaker) ranks(ctx context.Context, c *client.Client, without string) ([]rankView, []event.Layer, error) {
	all, err := m.standings(ctx, c, "")
	if err != nil {
		return nil, nil, err
	}
	layers := []event.Layer{}
	for _, l := range []event.Layer{event.Ruled, event.ByClock, event.Agreed} {
		if slices.ContainsFunc(all, func(s event.Standing) bool { _, has := s.Layers[l]; return has }) {
			layers = append(layers, l)
		}
	}
	shown := all
	if without != "" {
		if shown, err = m.standings(ctx, c, without); err != nil {
			return nil, nil, err
		}
	}
	list := []rankView{}
	for _, s := range shown {
		row := rankView{Rank: s.Rank, Number: s.Number, Name: m.all.Show(s.Name, s.Key), Club: s.Club, Total: s.Total, Rounds: append([]*int{}, s.Rounds...), Layers: []event.Layer{}}
		for _, l := range []event.Layer{event.Agreed, event.ByClock, event.Ruled, event.OfTerms} {
			if s.Layers[l] != 0 {
				row.Layers = append(row.Layers, l)
			}
		}
		list = append(list, row)
	}
	return list, layers, nil
}

// entrants adds the players, and registrations without an answer.
func (m *viewMaker) entrants(v *eventView) {
	for _, p := range m.h.Players {
		e := entrant{Number: p.Number, Name: m.playerName(p.Number), Called: string(p.Name), Club: string(p.Club), Key: p.Key, Skips: []int{}}
		e.Out = slices.ContainsFunc(v.Ranks, func(r rankView) bool { return r.Number == p.Number && r.Rank == 0 })
		for _, n := range m.h.Notices {
			if b, is := n.Body.(*bulletin.RoundBody); is && n.By == p.Key {
				if n.Kind == bulletin.Skip {
					e.Skips = append(e.Skips, b.Round)
				} else if e.Left == 0 || b.Round < e.Left {
					e.Left = b.Round
				}
			}
		}
		v.Players = append(v.Players, e)
	}
	for _, n := range m.waiting() {
		b := n.Body.(*bulletin.RegisterBody)
		v.Waiting = append(v.Waiting, entrant{Name: m.all.Show(string(b.Name), n.By), Called: string(b.Name), Club: string(b.Club), Key: n.By, Index: n.Index, Skips: []int{}})
	}
	for _, e := range append(slices.Clone(v.Players), v.Waiting...) {
		if m.all.LooksAlike(e.Called) {
			v.Alike = append(v.Alike, e.Name)
		}
	}
}

// waiting returns the registrations without an answer.
func (m *viewMaker) waiting() (list []*event.Notice) {
	for _, n := range m.h.Notices {
		if n.Kind == bulletin.Register && n.Answer == nil {
			list = append(list, n)
		}
	}
	return list
}

func (m *viewMaker) setStage(v *eventView) {
	switch {
	case m.h.Canceled != nil:
		v.Stage, v.Cancelled = "cancelled", string(m.h.Canceled.Body.(*bulletin.RemarkBody).Text)
	case m.h.Final != nil:
		v.Stage = "over"
	case m.h.CountSeated() > 0 || v.Draw != nil:
		v.Stage = "running"
	default:
		v.Stage = "upcoming"
	}
	r := m.h.Terms.Registration
	v.Enter = m.h.Canceled == nil && m.h.Final == nil && m.h.CountSeated() < max(1, r.Late) && len(m.h.Players) < r.Max && r.Door == ""
}

// statements adds rulings, remarks and calls.
func (m *viewMaker) statements(v *eventView) {
	v.Rulings, v.Remarks, v.Calls = []rulingView{}, []remarkView{}, []callView{}
	index := map[string]uint64{}
	for _, r := range m.h.Rulings {
		index[r.Hash.String()] = r.Index
		one := rulingView{Hash: r.Hash, Index: r.Index, By: m.keyName(r.Decision.By), Do: r.Do, Table: m.placeName(r.About.Table), Deal: r.About.Deal, Round: r.About.Round,
			Player: m.playerName(r.About.Player), Points: []pointView{}, On: index[r.About.Entry], Reason: string(r.Reason), Appeals: []callView{}}
		for _, p := range r.Points {
			one.Points = append(one.Points, pointView{m.playerName(p.Player), p.Points})
		}
		for _, n := range r.Appeals {
			one.Appeals = append(one.Appeals, callView{Index: n.Index, Name: m.keyName(n.By), Reason: string(n.Body.(*bulletin.AppealBody).Reason)})
		}
		switch {
		case r.Overturned != 0:
			one.State = "overturned"
		case r.Upheld != 0:
			one.State = "upheld"
		case len(r.Appeals) > 0:
			one.State = "open"
		}
		v.Rulings = append([]rulingView{one}, v.Rulings...)
	}
	for _, one := range m.h.Decisions {
		if b, is := one.Body.(*bulletin.RemarkBody); is && one.Kind == bulletin.DecideRemark {
			v.Remarks = append([]remarkView{{one.Index, m.keyName(one.By), string(b.Text)}}, v.Remarks...)
		}
	}
	for _, n := range m.h.Notices {
		if b, is := n.Body.(*bulletin.CallBody); is {
			t := m.places[b.Table.String()]
			if t != nil && !t.State.IsOver() {
				v.Calls = append(v.Calls, callView{n.Index, m.keyName(n.By), t, string(b.Reason)})
			}
		}
	}
}

// placeName returns the place of a table, like 2/1, or "".
func (m *viewMaker) placeName(id string) string {
	if t := m.places[id]; t != nil {
		return fmt.Sprintf("%d/%d", t.Round, t.Number)
	}
	return ""
}

// ownPart adds the part of this browser's seats in the event.
func (m *viewMaker) ownPart(d *Desk, v *eventView) error {
	all, err := d.seatRecords()
	own := ownPart{Roles: []string{}}
	for _, s := range all {
		if s.Bot {
			continue
		}
		for _, o := range v.Officials {
			if o.Key == s.Key && !slices.Contains(own.Roles, o.Role) {
				own.Roles = append(own.Roles, o.Role)
			}
		}
		m.playerPart(s, &own, v)
		if v.Draw != nil && slices.ContainsFunc(m.tables[*v.Draw.ID].Seats, func(at client.Seat) bool { return at.Key == s.Key }) {
			own.Draw = v.Draw.ID
		}
	}
	v.Own = own
	return err
}

// playerPart adds the state of a seat that registered.
func (m *viewMaker) playerPart(s seatRecord, own *ownPart, v *eventView) {
	for _, n := range m.h.Notices {
		if b, is := n.Body.(*bulletin.RegisterBody); is && n.By == s.Key {
			own.Name, own.State = string(b.Name), "waiting"
			if n.Answer != nil {
				own.State, own.Why = "refused", string(n.Reason)
			}
		}
	}
	i := slices.IndexFunc(v.Players, func(e entrant) bool { return e.Key == s.Key })
	if i < 0 {
		return
	}
	p := v.Players[i]
	own.State, own.Number = "accepted", p.Number
	if p.Out {
		own.State = "out"
	} else if p.Left > 0 {
		own.State = "withdrawn"
	}
	if len(v.Rounds) == 0 {
		return
	}
	for _, t := range v.Rounds[0].Tables {
		var seats []client.Seat // as they are held now
		if t.ID != nil && m.tables[*t.ID].Standing != nil {
			seats = m.tables[*t.ID].Seats
		}
		holds := slices.ContainsFunc(seats, func(at client.Seat) bool { return at.Key == s.Key })
		if holds || len(seats) == 0 && slices.Contains(t.Numbers, p.Number) {
			own.Table = &t
		}
	}
	own.Bye = slices.Contains(m.h.Rounds[len(v.Rounds)-1].Byes, p.Number)
}
