// Package desk answers the calls that pages and the SDK make to Go: about this browser's seats, and
// tables to play, watch, replay and verify. Calls take and return JSON, and events tell of changes.
// The package knows no browser: its environment is a [Host], and package main passes the one that
// speaks to JavaScript.
//
// Everything shown comes from this package's own replay of the table: the packages that verify
// everywhere (docs/design/rings.md) have checked here every signature, proof and rule behind a page.
// Secrets stay in vaults and in this program's memory.
package desk

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"github.com/pakli/pakli/cmd/pakli-web/tamper"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// Host is the environment of the program.
type Host interface {
	// Emit delivers an event in JSON.
	Emit(event []byte)
	// Vault opens the records of a seat for one holder at a time.
	Vault(seat string) (player.Vault, error)
	// Vaults reads one record of every seat without opening the vaults.
	Vaults(record string) (map[string][]byte, error)
	// Remove removes all records of a seat.
	Remove(seat string) error
}

// Desk answers calls. Several goroutines may use it.
type Desk struct {
	host  Host
	calls map[string]deskCall

	mu       sync.Mutex
	clients  map[string]*client.Client // by URL and key
	tables   map[conversationName]*conversation
	replays  map[string]*history
	offers   map[wire.Hash]*gathering
	contests map[wire.Hash]*contest
	signers  map[string]note.Signer // of seats that this page has opened, by their keys
	trial    *tamper.Game           // of the page for trying to cheat
}

// deskCall answers a call with JSON arguments and bytes beside them.
type deskCall func(d *Desk, ctx context.Context, args, bytes []byte) (any, error)

// New returns an empty desk.
func New(h Host) *Desk {
	return &Desk{host: h, clients: map[string]*client.Client{}, tables: map[conversationName]*conversation{}, replays: map[string]*history{}, offers: map[wire.Hash]*gathering{}, contests: map[wire.Hash]*contest{}, signers: map[string]note.Signer{}, calls: map[string]deskCall{
		"seats": callWithArgs(listSeats), "seat.make": callWithArgs(makeSeat), "seat.remove": callWithArgs(removeSeat), "seat.export": callWithArgs(exportSeat), "seat.import": callWithBytes(importSeat),
		"seat.named": callWithArgs(namedSeat), "seat.adopt": callWithArgs(adoptSeat),
		"seat.open": callWithArgs(openOrMakeSeat), "seat.sit": callWithArgs(sitAs), "hint.picks": callWithArgs(hintPicks), "replay.close": callWithArgs(closeReplay),
		"offer.games": callWithArgs(offerGames), "offer.clocks": callWithArgs(offerClocks), "offer.find": callWithArgs(findOffer), "offer.make": callWithArgs(makeOffer), "offer.join": callWithArgs(joinOffer),
		"offer.fill": callWithArgs(fillOffer), "offer.add": callWithArgs(addToOffer), "offer.leave": callWithArgs(leaveOffer), "offer.away": callWithArgs(sendAway), "offer.watch": callWithArgs(watchOffer), "offer.again": callWithArgs(playAgain), "offer.open": callWithArgs(openPlaces), "offer.unwatch": callWithArgs(unwatchOffer),
		"event.list": callWithArgs(listEvents), "event.look": callOnContest(lookAtEvent), "event.say": callOnContest(sayToEvent), "event.push": callOnContest(pushEvent), "event.sit": callOnContest(sitInEvent), "event.accept": callOnContest(acceptInEvent), "event.reseat": callOnContest(reseatInEvent), "event.draw": callWithArgs(drawLots),
		"event.kinds": callWithArgs(eventKinds), "event.draft": callWithArgs(draftEvent), "event.next": callOnContest(doNextStep), "event.decide": callOnContest(decideInEvent), "event.close": callOnContest(closeInEvent),
		"practice": callWithArgs(practise), "sit": callWithArgs(sitDown), "watch": callWithArgs(watchTable), "leave": callWithArgs(leaveTable), "act": callWithArgs(doAct),
		"consider": callWithArgs(consider), "answer": callWithArgs(answerPicks), "typed": callWithArgs(readLine), "text": callWithArgs(terminalText),
		"replay.open": callWithBytes(openReplay), "replay.at": callWithArgs(replayAt), "verify": callWithBytes(giveVerdict), "evidence": callWithArgs(evidence),
		"try.begin": callWithArgs(beginTrying), "try": callWithArgs(tryChange),
	}}
}

// callWithBytes returns a call with decoded arguments.
func callWithBytes[A any](f func(*Desk, context.Context, A, []byte) (any, error)) deskCall {
	return func(d *Desk, ctx context.Context, args, bytes []byte) (any, error) {
		var a A
		if err := json.Unmarshal(args, &a); err != nil {
			return nil, fmt.Errorf("the call's arguments: %w", err)
		}
		return f(d, ctx, a, bytes)
	}
}

func callWithArgs[A any](f func(*Desk, context.Context, A) (any, error)) deskCall {
	return callWithBytes(func(d *Desk, ctx context.Context, a A, _ []byte) (any, error) { return f(d, ctx, a) })
}

// Call answers a call in JSON.
func (d *Desk) Call(ctx context.Context, name string, args, bytes []byte) ([]byte, error) {
	f, ok := d.calls[name]
	if !ok {
		return nil, fmt.Errorf("there is no call %q", name)
	}
	result, err := f(d, ctx, args, bytes)
	if err != nil {
		return nil, err
	}
	return json.Marshal(result)
}

// emit emits an event. If it cannot be encoded, that is a fault of this program.
func (d *Desk) emit(name string, fields map[string]any) {
	fields["event"] = name
	text, err := json.Marshal(fields)
	if err != nil {
		panic(err)
	}
	d.host.Emit(text)
}

func catalogue() table.Catalogue { return table.Catalogue{Game: games.Lookup, Suite: suite.Lookup} }

// tableAddress names a log and one of its tables.
type tableAddress struct {
	Lang  string    `json:"lang"`
	URL   string    `json:"url"`
	Key   string    `json:"key"` // the log's verifier key
	Table wire.Hash `json:"table"`
}

// clientOf returns the client of a log. It trusts only the log's key.
func (d *Desk) clientOf(a tableAddress) (*client.Client, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := a.URL + " " + a.Key
	if c, ok := d.clients[name]; ok {
		return c, nil
	}
	v, err := note.NewVerifier(a.Key)
	if err != nil {
		return nil, fmt.Errorf("the log's key: %w", err)
	}
	c, err := client.New(a.URL, v, nil)
	if err == nil {
		d.clients[name] = c
	}
	return c, err
}

// believingClient is clientOf with the checkpoint that a seat has believed at a table.
func (d *Desk) believingClient(ctx context.Context, a tableAddress, s *seat) (*client.Client, error) {
	c, err := d.clientOf(a)
	if err != nil {
		return nil, err
	}
	believed, err := s.BelievedCheckpoint(a.Table)
	if err != nil || believed == nil {
		return c, err
	}
	return c, c.BelieveCheckpoint(ctx, believed)
}

// seatRecord is the record "about" of a seat: everything except its secrets.
type seatRecord struct {
	ID     string        `json:"id"`
	Name   string        `json:"name"`
	Key    string        `json:"key"`
	Bot    bool          `json:"bot,omitempty"`
	Kept   keptReason    `json:"kept,omitempty"`   // at tables of an event, as stated at registration
	Tables []tableRecord `json:"tables"`           // at which the seat sits
	Offers []wish        `json:"offers,omitempty"` // which the seat offers or has joined
}

// tableRecord is a table of a seat, and the reason why the seat may sign there.
type tableRecord struct {
	tableAddress
	Kept keptReason `json:"kept,omitempty"`
}

// keptReason is why a seat may sign at a table although a lost seat stops play for everybody.
type keptReason string

const (
	persisted keptReason = "persisted" // the browser has promised to evict nothing
	backedUp  keptReason = "backup"    // there is a copy of the seat with this table's card secret
	trifling  keptReason = "trifling"  // the player has said that nothing depends on the game
)

// ErrKept asks the player for one of these reasons before the seat signs anything.
var ErrKept = errors.New("before this seat signs anything at the table: let the browser keep what it stores, take a copy of the seat, or say that nothing depends on this game")

const aboutRecord = "about"

// listSeats lists the seats of this browser, including its bots.
func listSeats(d *Desk, _ context.Context, _ struct{}) (any, error) {
	list, err := d.seatRecords()
	if list == nil {
		list = []seatRecord{}
	}
	return list, err
}

func (d *Desk) seatRecords() ([]seatRecord, error) {
	records, err := d.host.Vaults(aboutRecord)
	if err != nil {
		return nil, err
	}
	var list []seatRecord
	for id, record := range records {
		a := seatRecord{ID: id}
		if json.Unmarshal(record, &a) == nil && a.ID == id {
			list = append(list, a)
		}
	}
	return list, nil
}

// seat is an open seat of this browser.
type seat struct {
	*player.Identity
	vault player.Vault
	about seatRecord
}

func (d *Desk) makeSeat(name string, bot bool) (*seat, error) {
	s := &seat{about: seatRecord{ID: newID(), Name: name, Bot: bot}}
	var err error
	if s.vault, err = d.host.Vault(s.about.ID); err != nil {
		return nil, err
	}
	spelt := plain.InKey(name)
	if bot {
		spelt = plain.InKeyOfBot(name)
	}
	if s.Identity, err = player.CreateIdentity(s.vault, spelt); err != nil {
		return nil, err
	}
	s.about.Key = s.VerifierKey()
	return s, s.save()
}

// newID returns a name for a new vault.
func newID() string {
	id := make([]byte, 8)
	rand.Read(id)
	return hex.EncodeToString(id)
}

// openSeat opens a seat. It reads the seat's record again once it holds the vault: until then another
// tab may have changed it.
func (d *Desk) openSeat(a seatRecord) (*seat, error) {
	v, err := d.host.Vault(a.ID)
	if err != nil {
		return nil, err
	}
	s := &seat{vault: v, about: a}
	if s.Identity, err = player.OpenIdentity(v); errors.Is(err, fs.ErrNotExist) && a.Key != "" {
		err = fmt.Errorf("%w: the secrets of the seat %s are gone from this browser", ErrDamaged, a.Name)
	}
	if err != nil {
		return nil, err
	}
	if err := s.reread(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	d.mu.Lock()
	d.signers[s.VerifierKey()] = s.Signer()
	d.mu.Unlock()
	return s, nil
}

// reread reads the record of an opened seat again. A program's seat has none.
func (s *seat) reread() error {
	record, err := s.vault.ReadRecord(aboutRecord)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	now := seatRecord{ID: s.about.ID}
	if err := json.Unmarshal(record, &now); err != nil {
		return fmt.Errorf("%w: the record of the seat %s cannot be read", ErrDamaged, s.about.Name)
	}
	s.about = now
	return nil
}

func (s *seat) save() error {
	text, err := json.Marshal(s.about)
	if err != nil {
		return err
	}
	return s.vault.ReplaceRecord(aboutRecord, text)
}

// noteTable records that the seat sits at a table, and the reason why it may sign there.
func (s *seat) noteTable(a tableAddress, k keptReason) error {
	a.Lang = ""
	i := slices.IndexFunc(s.about.Tables, func(t tableRecord) bool { return t.Table == a.Table })
	switch {
	case i < 0:
		s.about.Tables = append(s.about.Tables, tableRecord{a, k})
	case k == "" || s.about.Tables[i].Kept == k:
		return nil
	default:
		s.about.Tables[i].Kept = k
	}
	return s.save()
}

// findTable returns the seat's record of a table and whether the seat sits there.
func (a seatRecord) findTable(table wire.Hash) (tableRecord, bool) {
	for _, t := range a.Tables {
		if t.Table == table {
			return t, true
		}
	}
	return tableRecord{}, false
}

func makeSeat(d *Desk, _ context.Context, a struct{ Name string }) (any, error) {
	s, err := d.makeSeat(a.Name, false)
	if err != nil {
		return nil, err
	}
	return s.about, s.Close()
}

// exportSeat returns a copy of a seat: a seat file without a passphrase, as cmd/pakli reads it. The
// seat is named by its ID, or by a table, whose card secret is then in the copy.
func exportSeat(d *Desk, ctx context.Context, a struct {
	tableAddress
	ID string `json:"id"`
}) (any, error) {
	var s *seat
	var err error
	if a.ID != "" {
		s, err = d.openSeat(seatRecord{ID: a.ID})
	} else {
		s, err = d.seatAt(a.Table)
	}
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var believed map[wire.Hash][]byte
	if a.ID == "" {
		if believed, err = d.drawCardSecret(ctx, a.tableAddress, s); err != nil {
			return nil, err
		}
	}
	file, err := s.Copy(believed)
	return map[string]string{"name": plain.InKey(s.about.Name), "file": string(file)}, err
}

// drawCardSecret makes a seat draw its card secret for a table. It returns the checkpoint under which
// the table is in the log: the server's, or a newer one that the seat has believed.
func (d *Desk) drawCardSecret(ctx context.Context, a tableAddress, s *seat) (map[wire.Hash][]byte, error) {
	c, err := d.believingClient(ctx, a, s)
	if err != nil {
		return nil, err
	}
	first, err := d.genesisOf(ctx, a)
	if err != nil {
		return nil, err
	}
	_, err = s.Secret(a.Table, first.Suite(), rand.Reader)
	return map[wire.Hash][]byte{a.Table: c.BelievedCheckpoint().Note}, err
}

// seatAt opens the person's seat at a table.
func (d *Desk) seatAt(table wire.Hash) (*seat, error) {
	all, err := d.seatRecords()
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if _, here := one.findTable(table); here && !one.Bot {
			return d.openSeat(one)
		}
	}
	return nil, ErrNoSeat
}

// ErrNoSeat says that no seat of this browser sits at a table. The table may name one all the same,
// see namedSeat.
var ErrNoSeat = errors.New("no seat of this browser is at this table")

// genesisOf returns the state of a table at its beginning.
func (d *Desk) genesisOf(ctx context.Context, a tableAddress) (*table.State, error) {
	c, err := d.clientOf(a)
	if err != nil {
		return nil, err
	}
	entries, err := tablelog.New(a.Table, tablelog.Options{Server: c}).Messages(ctx, a.Table, 0, 0)
	if err != nil || len(entries) == 0 {
		return nil, cmp.Or(err, errors.New("the log shows no such table"))
	}
	e, err := wire.Parse(entries[0])
	if err != nil {
		return nil, err
	}
	return table.Open(e, catalogue())
}

// seatNamedBy returns the seat of this browser that the genesis entry of a table names although the
// seat has not sat down there: the organiser was given its key. It returns nil if there is none.
func (d *Desk) seatNamedBy(ctx context.Context, a tableAddress) (*seatRecord, error) {
	first, err := d.genesisOf(ctx, a)
	if err != nil {
		return nil, err
	}
	all, err := d.seatRecords()
	for _, one := range all {
		if _, sits := one.findTable(a.Table); !sits && !one.Bot && slices.Contains(first.Genesis().Seats, one.Key) {
			return &one, err
		}
	}
	return nil, err
}

func namedSeat(d *Desk, ctx context.Context, a tableAddress) (any, error) {
	return d.seatNamedBy(ctx, a)
}

// adoptSeat makes the named seat sit down. Only its owner may call it, since sitting down is consent
// to the terms.
func adoptSeat(d *Desk, ctx context.Context, a tableAddress) (any, error) {
	one, err := d.seatNamedBy(ctx, a)
	if err != nil || one == nil {
		return nil, cmp.Or(err, ErrNoSeat)
	}
	s, err := d.openSeat(*one)
	if err != nil {
		return nil, err
	}
	return nil, errors.Join(s.noteTable(a, ""), s.Close())
}

// importSeat takes a seat file without a passphrase into this browser. If the seat is here already,
// it is not imported again: two vaults of a seat could sign two messages on one parent. So only one
// tab imports at a time, by holding a vault for that.
func importSeat(d *Desk, _ context.Context, _ struct{}, file []byte) (any, error) {
	const turn = "import" // not the ID of a seat
	held, err := d.host.Vault(turn)
	if err != nil {
		return nil, err
	}
	s, err := d.takeIn(file)
	err = errors.Join(err, held.Close())
	d.host.Remove(turn) // unless another tab imports now
	return s, err
}

func (d *Desk) takeIn(file []byte) (*seatRecord, error) {
	id := newID()
	v, err := d.host.Vault(id)
	if err != nil {
		return nil, err
	}
	if err := v.ReplaceRecord(player.SeatRecord, file); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	s := &seat{vault: v, about: seatRecord{ID: id}}
	if s.Identity, err = player.OpenIdentity(v); err != nil {
		return nil, errors.Join(err, d.host.Remove(id))
	}
	s.about.Key = s.VerifierKey()
	s.about.Name, _, _ = strings.Cut(s.about.Key, "+")
	all, err := d.seatRecords()
	if slices.ContainsFunc(all, func(other seatRecord) bool { return other.Key == s.about.Key }) {
		err = fmt.Errorf("the seat %s is in this browser already. If it is damaged, remove it first", s.about.Name)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close(), d.host.Remove(id))
	}
	return &s.about, errors.Join(s.save(), s.Close())
}

func removeSeat(d *Desk, _ context.Context, a struct{ ID string }) (any, error) {
	return nil, d.host.Remove(a.ID)
}

// practise begins a table of one person and bots, all in this browser.
func practise(d *Desk, ctx context.Context, a struct {
	tableAddress
	Name    string            `json:"name"`
	Bots    []string          `json:"bots"`
	Game    string            `json:"game"`
	Options map[string]string `json:"options"`
	Deals   int               `json:"deals"`
}) (_ any, err error) {
	c, err := d.clientOf(a.tableAddress)
	if err != nil {
		return nil, err
	}
	var all []*seat
	defer func() {
		for _, s := range all {
			err = errors.Join(err, s.Close())
		}
	}()
	if err := plain.CheckPlayer(a.Name); err != nil {
		return nil, err
	}
	var seats []offer.Seat
	for i, name := range append([]string{a.Name}, a.Bots...) {
		s, err := d.makeSeat(name, i > 0)
		if err != nil {
			return nil, err
		}
		all, seats = append(all, s), append(seats, offer.Seat{Key: s.VerifierKey(), Name: wire.Text(name)})
	}
	entry, err := signGenesis(all[0], a.Game, a.Options, a.Deals, seats)
	if err != nil {
		return nil, err
	}
	a.Table = wire.HashEntry(entry)
	for _, s := range all { // before the table exists: a forgotten seat would stop it
		if err := s.noteTable(a.tableAddress, trifling); err != nil {
			return nil, err
		}
	}
	_, err = c.CreateTable(ctx, entry)
	return a.Table, err
}

// signGenesis returns the genesis entry of a table without rulers, signed by the organiser's seat.
func signGenesis(organiser *seat, game string, options map[string]string, deals int, seats []offer.Seat) ([]byte, error) {
	if options == nil {
		options = map[string]string{}
	}
	g := &wire.Genesis{
		Format: wire.TableFormat2, Game: game, Suite: suite.Default, Options: options, Deals: deals, Fouls: wire.RefuseFouls,
		Clock: wire.Clock{Keepers: []string{}, Lines: []string{}}, Ends: offer.EndsOf(games.Scene(game).Terms().Forfeit),
		Organiser: organiser.VerifierKey(), Arbiters: []string{}, Nonce: make([]byte, wire.NonceBytes),
	}
	for _, s := range seats {
		g.Seats, g.Names = append(g.Seats, s.Key), append(g.Names, s.Name)
	}
	rand.Read(g.Nonce)
	entry, err := wire.Sign(g, organiser.Signer())
	if err != nil {
		return nil, err
	}
	e, err := wire.Parse(entry)
	if err != nil {
		return nil, err
	}
	_, err = table.Open(e, catalogue())
	return entry, err
}
