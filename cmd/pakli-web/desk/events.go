package desk

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/event"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
	"github.com/pakli/pakli/verifier/events"
	"github.com/pakli/pakli/verifier/tableset"
)

// This file shows events (docs/spec/55-events.md) to pages. Participants, seatings and rulings come
// from the event's own entries, each of which is checked here. The server's word is believed about
// completeness, the state of tables and standings, until somebody has the event verified here.
// Decisions of organiser, arbiters and jury rest on what was verified.

// eventCall names an event in a call.
type eventCall struct {
	tableAddress
	Event   string `json:"event"`   // its id, or its code
	Verify  bool   `json:"verify"`  // read the whole log to verify the event
	Without string `json:"without"` // a layer that standings leave out
}

// contest is an event as this page knows it.
type contest struct {
	mu      sync.Mutex
	id      wire.Hash
	entries []*bulletin.Entry
	indexes []uint64 // of the entries
	h       *event.History
	live    *events.Live          // nil if nobody had the event verified here
	seen    *events.VerifiedEvent // result of the last look
}

// ErrNoEvent says that a code belongs to no event, or to several.
var ErrNoEvent = errors.New("this server has no one event of this code")

func listEvents(d *Desk, ctx context.Context, a tableAddress) (any, error) {
	type row struct {
		client.Event
		Code  string `json:"code"`
		Stage string `json:"stage"`
	}
	c, err := d.clientOf(a)
	if err != nil {
		return nil, err
	}
	list := []row{}
	for after := (*uint64)(nil); ; {
		page, err := c.Events(ctx, after, 256)
		if err != nil {
			return nil, err
		}
		for _, e := range page.Events {
			stage := "upcoming"
			if e.Over {
				stage = "over"
			} else if e.Rounds > 0 {
				stage = "running"
			}
			list = append(list, row{e, codeOf(e.ID), stage})
		}
		if after = page.Next; after == nil {
			slices.Reverse(list)
			return list, nil
		}
	}
}

func codeOf(id wire.Hash) string { return id.Code()[:wire.MinCode] }

func (a eventCall) inEvent() eventCall { return a }

// callOnContest returns a call about an event, which it locks against other calls. If a seat of this
// browser is an official of the event, the event is verified.
func callOnContest[A interface{ inEvent() eventCall }](f func(*Desk, context.Context, *client.Client, *contest, A) (any, error)) deskCall {
	return callWithArgs(func(d *Desk, ctx context.Context, a A) (any, error) {
		c, k, err := d.lockContest(ctx, a.inEvent())
		if err != nil {
			return nil, err
		}
		defer k.mu.Unlock()
		return f(d, ctx, c, k, a)
	})
}

// lockContest returns the event that a call names, with its newest entries. The caller unlocks it if
// there is no error.
func (d *Desk) lockContest(ctx context.Context, a eventCall) (*client.Client, *contest, error) {
	c, err := d.clientOf(a.tableAddress)
	if err != nil {
		return nil, nil, err
	}
	id, err := eventNamed(ctx, c, a.Event)
	if err != nil {
		return nil, nil, err
	}
	d.mu.Lock()
	k := d.contests[id]
	if k == nil {
		k = &contest{id: id}
		d.contests[id] = k
	}
	d.mu.Unlock()
	k.mu.Lock()
	if err := k.readOn(ctx, d, c, a); err != nil {
		k.mu.Unlock()
		return nil, nil, err
	}
	return c, k, nil
}

// readOn reads new entries, and verifies the event if that is asked for or a seat of this browser
// decides there.
func (k *contest) readOn(ctx context.Context, d *Desk, c *client.Client, a eventCall) (err error) {
	if err := k.readNew(ctx, c); err != nil {
		return err
	}
	if k.live == nil && (a.Verify || k.isOfficial(d)) {
		if err := k.beginVerifying(d, c, a.Key); err != nil {
			return err
		}
	}
	if k.live == nil {
		return nil
	}
	k.seen, err = k.live.Look(ctx)
	if err == nil && k.seen.Log.Verdict == verifier.LogBroken {
		err = errors.New("the log is broken, so nothing follows from it")
	}
	return err
}

// eventNamed returns the id of an event named by its id or code.
func eventNamed(ctx context.Context, c *client.Client, text string) (wire.Hash, error) {
	if id, err := wire.ParseHash(text); err == nil {
		return id, nil
	}
	found, err := c.FindCode(ctx, text)
	if err != nil {
		return wire.Hash{}, err
	}
	list := slices.DeleteFunc(found.Found, func(f client.FoundItem) bool { return f.Kind != "event" })
	if len(list) != 1 {
		return wire.Hash{}, ErrNoEvent
	}
	return list[0].ID, nil
}

// readNew reads the new entries.
func (k *contest) readNew(ctx context.Context, c *client.Client) error {
	for {
		page, err := c.EventEntries(ctx, k.id, len(k.entries), 0)
		if err != nil {
			return err
		}
		for _, e := range page.Entries {
			if err := k.takeEntry(e); err != nil {
				return err
			}
		}
		if k.h == nil {
			return errors.New("the server shows no entry of this event")
		}
		if len(page.Entries) == 0 || len(k.entries) >= page.Count {
			return nil
		}
	}
}

func (k *contest) takeEntry(e client.EventEntry) error {
	parsed, err := bulletin.Parse([]byte(e.Entry))
	if err != nil {
		return err
	}
	if k.h == nil {
		if parsed.Hash != k.id {
			return errors.New("the server shows another event than it was asked for")
		}
		if k.h, err = event.Open(parsed, e.Index); err != nil {
			return err
		}
	} else {
		_ = k.h.TakeEntry(parsed, e.Index) // a void entry has no effect
	}
	k.entries, k.indexes = append(k.entries, parsed), append(k.indexes, e.Index)
	return nil
}

func (k *contest) beginVerifying(d *Desk, c *client.Client, key string) error {
	v, err := tlog.ParseLogKey(key)
	if err != nil {
		return err
	}
	progress := func(entries uint64, tables int) {
		d.emit("event", map[string]any{"id": k.id, "read": entries, "tables": tables})
	}
	o := events.Options{Event: k.id, Options: tableset.Options{Options: verifier.Options{Log: []note.Verifier{v}, Catalogue: catalogue()}, Progress: progress}}
	k.live = events.NewLive(context.Background(), c, o)
	return nil
}

// history returns the event as it was verified, or else as the server shows its entries.
func (k *contest) history() *event.History {
	if k.seen != nil {
		return k.seen.History
	}
	return k.h
}

// isOfficial reports whether a seat of this browser may decide in the event.
func (k *contest) isOfficial(d *Desk) bool {
	all, err := d.seatRecords()
	return err == nil && slices.ContainsFunc(all, func(s seatRecord) bool { return k.h.MayDecide(s.Key) })
}

func (k *contest) state() organiser.State {
	return organiser.State{Judgement: k.seen.Judgement, History: k.seen.History, Sheets: k.seen.Sheets, Size: k.seen.Log.Checkpoint.Size}
}

// lookAtEvent returns the event for a page.
func lookAtEvent(d *Desk, ctx context.Context, c *client.Client, k *contest, a eventCall) (any, error) {
	return d.eventView(ctx, c, a, k)
}

// signerOf returns the signer of a seat of this browser, even while the seat plays at a table of this
// page.
func (d *Desk) signerOf(a seatRecord) (note.Signer, error) {
	d.mu.Lock()
	known := d.signers[a.Key]
	d.mu.Unlock()
	if known != nil {
		return known, nil
	}
	s, err := d.openSeat(a)
	if err != nil {
		return nil, err
	}
	return s.Signer(), s.Close()
}

// officer returns a seat of this browser that may decide, as an Organiser.
func (d *Desk) officer(c *client.Client, id wire.Hash, may func(key string) bool) (*organiser.Organiser, error) {
	all, err := d.seatRecords()
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if may(s.Key) {
			signer, err := d.signerOf(s)
			return &organiser.Organiser{Client: c, ID: id, Key: s.Key, Signer: signer}, err
		}
	}
	return nil, ErrNoSeat
}

// sayToEvent posts a notice of this browser's player.
func sayToEvent(d *Desk, ctx context.Context, c *client.Client, k *contest, a struct {
	eventCall
	Kind   bulletin.NoticeKind `json:"kind"`
	Name   string              `json:"name"`
	Club   string              `json:"club"`
	Draw   bool                `json:"draw"`
	Kept   keptReason          `json:"kept"`
	Round  int                 `json:"round"`
	About  wire.Hash           `json:"about"` // a table or a ruling
	Reason string              `json:"reason"`
}) (any, error) {
	var body any
	switch a.Kind {
	case bulletin.Register:
		if err := plain.CheckName(a.Name); err != nil {
			return nil, err
		}
		return nil, d.register(ctx, c, k, a.Name, a.Kept, bulletin.RegisterBody{Name: wire.Text(a.Name), Club: wire.Text(a.Club), Draw: a.Draw})
	case bulletin.Withdraw, bulletin.Skip:
		body = bulletin.RoundBody{Round: a.Round}
	case bulletin.Appeal:
		body = bulletin.AppealBody{Ruling: a.About, Reason: wire.Text(a.Reason)}
	default:
		body = bulletin.CallBody{Table: a.About, Reason: wire.Text(a.Reason)}
	}
	o, err := d.officer(c, k.id, k.hasEntered)
	if err == nil {
		_, err = o.Tell(ctx, k.h.Head, a.Kind, body)
	}
	return nil, err
}

// hasEntered reports whether a key belongs to a player or has asked to.
func (k *contest) hasEntered(key string) bool {
	h := k.history()
	return h.PlayerByKey(key) != nil || slices.ContainsFunc(h.Notices, func(n *event.Notice) bool { return n.Kind == bulletin.Register && n.By == key })
}

// register makes a seat and asks for a place in the event for it.
func (d *Desk) register(ctx context.Context, c *client.Client, k *contest, name string, kept keptReason, body bulletin.RegisterBody) error {
	s, err := d.makeSeat(name, false)
	if err != nil {
		return err
	}
	s.about.Kept = kept
	err = s.save()
	if err == nil {
		o := organiser.Organiser{Client: c, ID: k.id, Key: s.VerifierKey(), Signer: s.Signer()}
		_, err = o.Tell(ctx, k.h.Head, bulletin.Register, body)
	}
	err = errors.Join(err, s.Close())
	if problem, is := errors.AsType[*client.Problem](err); is && !client.IsPassing(err) && problem.Type != "" {
		err = errors.Join(err, d.host.Remove(s.about.ID)) // the registration was refused, and so is not in the log
	}
	return err
}

// pushEvent asks the server to send this browser messages about its seats in an event, if the server
// takes messages for its push service.
func pushEvent(d *Desk, ctx context.Context, c *client.Client, k *contest, a struct {
	eventCall
	Endpoint string `json:"endpoint"`
	P256dh   string `json:"p256dh"` // both as browsers write them, in base64url
	Auth     string `json:"auth"`
}) (any, error) {
	key, err := base64.RawURLEncoding.DecodeString(a.P256dh)
	auth, wrong := base64.RawURLEncoding.DecodeString(a.Auth)
	all, unread := d.seatRecords()
	if err := errors.Join(err, wrong, unread); err != nil {
		return nil, err
	}
	language, _, _ := strings.Cut(a.Lang, "-")
	for _, s := range all {
		if k.history().PlayerByKey(s.Key) == nil && !k.history().MayDecide(s.Key) {
			continue
		}
		signer, err := d.signerOf(s)
		if err != nil {
			return nil, err
		}
		doc, err := bulletin.Push{Event: k.id, By: s.Key, Endpoint: a.Endpoint, Key: key, Auth: auth, Language: language}.Sign(signer)
		if err == nil {
			err = c.PostPush(ctx, k.id, doc)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// sitInEvent records that this browser's player sits at a table of an event. The registration is the
// player's consent to a table that has all terms of the event, at the place of the round's seating.
func sitInEvent(d *Desk, ctx context.Context, c *client.Client, k *contest, a eventCall) (any, error) {
	h := k.history()
	place, err := d.placeInEvent(ctx, c, h, a.tableAddress)
	if err != nil {
		return nil, err
	}
	all, err := d.seatRecords()
	for _, one := range all {
		if _, sits := one.findTable(a.Table); sits { // also a player who has accepted another's seat
			return nil, nil
		}
		p := h.PlayerByKey(one.Key)
		if p == nil || !slices.Contains(place.Players, p.Number) {
			continue
		}
		s, err := d.openSeat(one)
		if err != nil {
			return nil, err
		}
		return nil, errors.Join(s.noteTable(a.tableAddress, s.about.Kept), s.Close())
	}
	return nil, errors.Join(err, ErrNoSeat)
}

// placeInEvent returns the place of a table after checking that it has all terms of the event.
func (d *Desk) placeInEvent(ctx context.Context, c *client.Client, h *event.History, a tableAddress) (p event.SeatedPlace, err error) {
	first, err := d.genesisOf(ctx, a)
	if err != nil {
		return p, err
	}
	list, err := c.Tables(ctx, client.TableFilter{ID: a.Table.String()}, nil, 1)
	if err != nil || len(list.Tables) == 0 {
		return p, errors.Join(err, errors.New("the server lists no such table"))
	}
	sheet := &event.Table{ID: a.Table, Index: list.Tables[0].Index, Terms: first.Genesis(), State: event.Unfinished}
	j := event.Judge(h, []*event.Table{sheet}, ^uint64(0), event.Options{})
	at := slices.IndexFunc(j.Tables, func(s event.SeatedPlace) bool { return s.Table == sheet })
	if at < 0 {
		return p, errors.New("this table is not as the event says, so your seat does not sit down there")
	}
	return j.Tables[at], nil
}

// acceptInEvent signs that this browser's player takes another's seat at a table in play (10.11.4),
// and returns a link that carries this to a ruler. The acceptance holds until something more is
// signed at the table.
func acceptInEvent(d *Desk, ctx context.Context, c *client.Client, k *contest, a struct {
	eventCall
	Seat int        `json:"seat"`
	Kept keptReason `json:"kept"`
}) (any, error) {
	place, err := d.placeInEvent(ctx, c, k.history(), a.tableAddress)
	if err == nil && (a.Seat < 0 || a.Seat >= len(place.Players)) {
		err = errors.New("the table has no such seat")
	}
	now, wrong := c.Table(ctx, a.Table)
	all, unread := d.seatRecords()
	if err := errors.Join(err, wrong, unread); err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(s seatRecord) bool { return k.history().PlayerByKey(s.Key) != nil })
	if i < 0 {
		return nil, ErrNoSeat
	}
	s, err := d.openSeat(all[i])
	if err != nil {
		return nil, err
	}
	accept, err := wire.SignAccept(s.Signer(), a.Table, now.Head, a.Seat)
	if err := errors.Join(err, s.noteTable(a.tableAddress, a.Kept), s.Close()); err != nil {
		return nil, err
	}
	said := url.Values{"table": {a.Table.String()}, "seat": {strconv.Itoa(a.Seat)}, "by": {s.VerifierKey()}, "accept": {wire.Base64(accept)}}
	link := k.link(a.tableAddress) + "#" + said.Encode()
	qr, err := qrOf(link)
	return map[string]any{"link": link, "qr": qr}, err
}

// link returns the address of the event's page.
func (k *contest) link(a tableAddress) string {
	return strings.TrimRight(a.URL, "/") + "/events/" + codeOf(k.id)
}

// officials returns who may decide, with their roles.
func (k *contest) officials() (list []officialView) {
	h := k.history()
	arbiters, jury := h.Officials()
	add := func(role string, keys ...string) {
		for _, key := range keys {
			name, _, _ := strings.Cut(key, "+")
			list = append(list, officialView{Role: role, Name: name, Words: offer.KeyWords(key), Key: key})
		}
	}
	add("organiser", h.Terms.Organiser)
	add("arbiter", arbiters...)
	add("jury", jury...)
	return list
}

// rawStandings are the ranks so far, as the server computes them.
type rawStandings struct {
	Standings []event.Standing `json:"standings"`
}

// standings returns the ranks so far without a layer.
func (k *contest) standings(ctx context.Context, c *client.Client, without string) (list []event.Standing, err error) {
	if k.seen != nil {
		w := event.LeftOutLayers{Ruled: without == string(event.Ruled), Clock: without == string(event.ByClock), Agreed: without == string(event.Agreed)}
		return event.Judge(k.seen.History, k.seen.Sheets, k.seen.Log.Checkpoint.Size, event.Options{Without: w}).Standings, nil
	}
	raw, err := c.EventStandings(ctx, k.id, without)
	if err != nil {
		return nil, err
	}
	var said rawStandings
	err = json.Unmarshal(raw, &said)
	return said.Standings, err
}
