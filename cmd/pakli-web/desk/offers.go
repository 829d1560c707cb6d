package desk

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/organiser"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/ledger/tlog"
	"github.com/pakli/pakli/protocol/games"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// This file has open tables (docs/spec/70-http.md, 70.12): this browser's seats offer tables and join
// those of others. A seat signs no message at a table before tablelog.SeatPlace.Accept has checked
// that the table is the one offered.

// wish is an open table that a seat organises or has joined.
type wish struct {
	URL       string     `json:"url"`
	Key       string     `json:"key"`
	Hash      wire.Hash  `json:"hash"`
	Offer     string     `json:"offer"` // signed text
	Join      string     `json:"join,omitempty"`
	Organiser bool       `json:"organiser,omitempty"`
	Added     []string   `json:"added,omitempty"`   // keys that the organiser has added
	Genesis   string     `json:"genesis,omitempty"` // signed by the organiser, kept before it is posted
	Table     *wire.Hash `json:"table,omitempty"`   // the accepted one; the seat sits at no other table of this offer
}

func (a *seatRecord) findWish(id wire.Hash) *wish {
	for i := range a.Offers {
		if a.Offers[i].Hash == id {
			return &a.Offers[i]
		}
	}
	return nil
}

// gathering is an open table that a page watches, with this browser's seats that take part in it.
type gathering struct {
	tableAddress
	desk  *Desk
	ctx   context.Context
	stop  context.CancelFunc
	ended chan struct{}

	mu    sync.Mutex
	place *tablelog.SeatPlace
	seats []*seat // the person's first
	state tablelog.SeatingState
}

// gameChoice lists the possible tables of a game.
type gameChoice struct {
	Game    string         `json:"game"`
	Presets []presetChoice `json:"presets"`
	Places  []int          `json:"places"`  // numbers of players
	Forfeit int            `json:"forfeit"` // default payment of a player who leaves a deal
}

// presetChoice is a rule set and its differences from the usual one.
type presetChoice struct {
	Name    string    `json:"name"`
	Options []differs `json:"options"`
}

func offerGames(_ *Desk, _ context.Context, a struct{ Lang string }) (any, error) {
	var list []gameChoice
	for _, g := range games.Catalogue() {
		if !g.IsPlayed {
			continue
		}
		one := gameChoice{g.Name(), []presetChoice{}, nil, g.Scene.Terms().Forfeit}
		for _, name := range g.Scene.Terms().Presets {
			changes, err := changesOf(a.Lang, g.Name(), 5, 1, map[string]string{"preset": name}, map[string]string{}) // with five seats every option is allowed
			if err != nil {
				return nil, err
			}
			one.Presets = append(one.Presets, presetChoice{name, changes})
		}
		terms := wire.Genesis{Game: g.Name(), Suite: suite.Default, Options: map[string]string{}, Deals: 1}
		for n := wire.MinSeats; n <= wire.MaxSeats; n++ {
			if table.CheckPlayable(&terms, n, catalogue()) == nil {
				one.Places = append(one.Places, n)
			}
		}
		list = append(list, one)
	}
	return list, nil
}

// clockChoice is a clock that a table can have, kept by the cosigners of the log.
type clockChoice struct {
	Name  string     `json:"name"`
	Clock wire.Clock `json:"clock"`
}

// offerClocks lists the clocks that tables of the log can have, the usual one first, or none if the
// log has no cosigners, who attest the times.
func offerClocks(d *Desk, ctx context.Context, a struct {
	tableAddress
	Policy string `json:"policy"` // the policy that names them
}) (any, error) {
	c, err := d.clientOf(a.tableAddress)
	if err != nil {
		return nil, err
	}
	return clocksOf(ctx, c, a.Policy)
}

func clocksOf(ctx context.Context, c *client.Client, policy string) ([]clockChoice, error) {
	list := []clockChoice{}
	p, err := policyOf(policy)
	if p == nil || err != nil {
		return list, err
	}
	keepers := []string{}
	for _, k := range p.Cosigners {
		if k.Key.Algorithm() == tlog.Ed25519Cosignature && len(keepers) < wire.MaxKeepers {
			keepers = append(keepers, k.Key.String())
		}
	}
	if has, err := c.HasCosigners(ctx); !has || len(keepers) == 0 || err != nil {
		return list, err
	}
	for _, name := range []string{"club", "rapid", "post"} {
		clock := organiser.Clocks[name]
		clock.Keepers, clock.Lines, clock.Quorum = keepers, []string{}, len(keepers)/2+1
		list = append(list, clockChoice{name, clock})
	}
	return list, nil
}

// offerView is an offer as a page shows it. Its organiser's signature is verified.
type offerView struct {
	Offer     wire.Hash  `json:"offer"`
	Code      string     `json:"code"`
	Link      string     `json:"link"` // with the hash that pins the offer
	QR        QR         `json:"qr"`   // of the link
	Pinned    bool       `json:"pinned"`
	Title     string     `json:"title"`
	Game      string     `json:"game"`
	Preset    string     `json:"preset"`
	Options   []differs  `json:"options"`
	Deals     int        `json:"deals"`
	Places    int        `json:"places"`
	Suite     string     `json:"suite"`
	Organiser string     `json:"organiser"`
	Words     string     `json:"words"` // of the organiser's key
	Again     bool       `json:"again"` // places are kept for the players of another table
	Ends      wire.Ends  `json:"ends"`
	Clock     wire.Clock `json:"clock"`
	Fouls     string     `json:"fouls"`
	Mine      string     `json:"mine,omitempty"`  // name of the person's seat
	Own       bool       `json:"own,omitempty"`   // its organiser's seat is in this browser
	Table     *wire.Hash `json:"table,omitempty"` // at which that seat has a place
	Sat       bool       `json:"sat,omitempty"`   // that seat has sat down
}

// differs is an option that differs from the preset.
type differs struct {
	Name    string `json:"name"`
	Value   string `json:"value"`
	Usual   string `json:"usual"`
	Meaning string `json:"meaning"`
}

func (d *Desk) describe(lang string, o *offer.Offer, url string, letters int, pinned bool) (*offerView, error) {
	g := o.Table
	name, _, _ := strings.Cut(g.Organiser, "+")
	out := &offerView{
		Offer: o.Hash, Code: offer.Code(o.Hash)[:letters], Link: offer.Invite(url, o, letters).String(), Pinned: pinned,
		Title: o.Title, Game: g.Game, Preset: g.Options["preset"], Options: []differs{}, Deals: g.Deals, Places: o.Places, Suite: g.Suite,
		Organiser: name, Words: offer.KeyWords(g.Organiser), Again: o.Kept != nil, Ends: g.Ends, Clock: g.Clock, Fouls: string(g.Fouls),
	}
	var err error
	if out.QR, err = qrOf(out.Link); err != nil {
		return nil, err
	}
	b := games.Scene(g.Game).Terms()
	if b.RuleSet != nil && out.Preset == "" {
		out.Preset = b.Presets[0]
	}
	if out.Options, err = changesOf(lang, g.Game, o.Places, g.Deals, g.Options, map[string]string{"preset": out.Preset}); err != nil {
		return nil, err
	}
	all, err := d.seatRecords()
	for _, s := range all {
		w := s.findWish(o.Hash)
		if w == nil {
			continue
		}
		out.Own = out.Own || w.Organiser
		if !s.Bot {
			out.Table = w.Table
			if w.Table != nil {
				sits, _ := s.findTable(*w.Table)
				out.Sat = sits.Kept != ""
			}
		}
		if !s.Bot && w.Join != "" {
			out.Mine = s.Name
		}
	}
	return out, err
}

// changesOf lists the options of a game that differ from usual ones.
func changesOf(lang, game string, seats, deals int, options, usual map[string]string) ([]differs, error) {
	list, rules := []differs{}, games.Scene(game).Terms().RuleSet
	if rules == nil {
		return list, nil
	}
	is, err := rules(table.Config{Seats: seats, Deals: deals, Options: options})
	if err != nil {
		return nil, err
	}
	was, err := rules(table.Config{Seats: seats, Deals: deals, Options: usual})
	if err != nil {
		return nil, err
	}
	for i, v := range is {
		if v.Value != was[i].Value {
			list = append(list, differs{v.Name, v.Value, was[i].Value, strings.ReplaceAll(v.Meaning[lang], "`", "")})
		}
	}
	return list, nil
}

// findOffer returns the open table of a code or link: an offer of this browser's, or one that the
// server shows.
func findOffer(d *Desk, ctx context.Context, a struct {
	tableAddress
	Code     string `json:"code"`
	Fragment string `json:"fragment"` // the part of the link after #
	Hash     string `json:"hash"`     // instead of a code, for an offer of this browser's
}) (any, error) {
	if id, err := wire.ParseHash(a.Hash); err == nil {
		a.Code = offer.Code(id)[:offer.MinCode]
		a.Fragment = offer.Invitation{Pinned: true, Offer: id, Log: sha256.Sum256([]byte(a.Key))}.Fragment()
	}
	code, err := offer.ReadCode(a.Code)
	if err != nil {
		return nil, err
	}
	i := offer.Invitation{Server: a.URL, Code: code}
	if a.Fragment != "" {
		if err := i.Pin(a.Fragment); err != nil {
			return nil, err
		}
	}
	o, err := d.ownOffer(func(o *offer.Offer) bool { return o.Log == a.Key && i.CheckOffer(o) == nil })
	if err == nil && o == nil {
		var c *client.Client
		if c, err = d.clientOf(a.tableAddress); err == nil {
			o, err = tablelog.FindOffer(ctx, c, i, a.Key)
			if err != nil && isUnknown(ctx, c, i) {
				err = ErrNoCode
			}
		}
	}
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	if d.offers[o.Hash] == nil {
		d.offers[o.Hash] = &gathering{tableAddress: a.tableAddress, desk: d, place: &tablelog.SeatPlace{Offer: o}}
	}
	d.mu.Unlock()
	return d.describe(a.Lang, o, a.URL, len(code), i.Pinned)
}

// ErrNoCode says that no open table has a code or link.
var ErrNoCode = errors.New("no open table has this code")

// isUnknown reports whether the server has no open table of an invitation's code.
func isUnknown(ctx context.Context, c *client.Client, i offer.Invitation) bool {
	list, err := c.Offers(ctx, 0, i.Code)
	return err == nil && len(list.Offers) == 0
}

// ownOffer returns an offer that seats of this browser take part in and for which is returns true, or
// nil.
func (d *Desk) ownOffer(is func(*offer.Offer) bool) (*offer.Offer, error) {
	all, err := d.seatRecords()
	for _, s := range all {
		for _, w := range s.Offers {
			if o, err := offer.Parse([]byte(w.Offer)); err == nil && is(o) {
				return o, nil
			}
		}
	}
	return nil, err
}

// makeOffer offers a table, and joins it with the person's seat and bots of this browser.
func makeOffer(d *Desk, ctx context.Context, a struct {
	tableAddress
	Name    string            `json:"name"`
	Bots    []string          `json:"bots"`
	Game    string            `json:"game"`
	Options map[string]string `json:"options"`
	Deals   int               `json:"deals"`
	Places  int               `json:"places"`
	Title   string            `json:"title"`
	Forfeit int               `json:"forfeit"` // what a player who leaves a deal pays each other player
	Absent  bool              `json:"absent"`  // the organiser does not play
	Clock   string            `json:"clock"`   // name of a clock that offerClocks lists; "": none
	Policy  string            `json:"policy"`  // the policy that names the log's cosigners
}) (_ any, err error) {
	c, err := d.clientOf(a.tableAddress)
	if err != nil {
		return nil, err
	}
	if err := plain.CheckPlayer(a.Name); err != nil {
		return nil, err
	}
	var clock wire.Clock
	if a.Clock != "" {
		clocks, err := clocksOf(ctx, c, a.Policy)
		i := slices.IndexFunc(clocks, func(k clockChoice) bool { return k.Name == a.Clock })
		if i < 0 {
			return nil, errors.Join(err, fmt.Errorf("the log of this server can keep no clock %.20q", a.Clock))
		}
		clock = clocks[i].Clock
	}
	s, err := d.makeSeat(a.Name, false)
	if err != nil {
		return nil, err
	}
	var o *offer.Offer
	posted := false
	defer func() {
		switch err = errors.Join(err, s.Close()); {
		case err != nil && posted:
			err = errors.Join(err, d.takeBack(ctx, a.tableAddress, o))
		case err != nil:
			err = errors.Join(err, d.host.Remove(s.about.ID))
		}
	}()
	o, err = tablelog.NewOffer(offer.Offer{
		Table:  wire.Genesis{Game: a.Game, Suite: suite.Default, Options: a.Options, Deals: a.Deals, Clock: clock, Ends: offer.EndsOf(a.Forfeit), Organiser: s.VerifierKey()},
		Places: a.Places, Title: a.Title, Log: a.Key,
	}, catalogue(), s.Signer())
	if err != nil {
		return nil, err
	}
	p := &tablelog.SeatPlace{Client: c, Offer: o, Organiser: s.Signer()}
	if err := s.keepOffer(a.tableAddress, o); err != nil {
		return nil, err
	}
	if _, err := p.PostOffer(ctx); err != nil {
		return nil, err
	}
	posted = true
	if !a.Absent {
		if err := s.postJoin(ctx, a.tableAddress, p, a.Name); err != nil {
			return nil, err
		}
		if err := d.addBots(ctx, a.tableAddress, p, a.Bots, nil); err != nil {
			return nil, err
		}
	}
	return d.showOffer(a.tableAddress, o)
}

// showOffer puts an offer of a seat of this browser on the desk.
func (d *Desk) showOffer(a tableAddress, o *offer.Offer) (any, error) {
	d.mu.Lock()
	d.offers[o.Hash] = &gathering{tableAddress: a, desk: d, place: &tablelog.SeatPlace{Offer: o}}
	d.mu.Unlock()
	return d.describe(a.Lang, o, a.URL, offer.MinCode, true)
}

// playAgain makes this browser's seats at a finished table sit down again with the same players: it
// offers the next table, or joins the one that another player has offered.
func playAgain(d *Desk, ctx context.Context, a tableAddress) (_ any, err error) {
	c, err := d.clientOf(a)
	if err != nil {
		return nil, err
	}
	over, err := d.genesisOf(ctx, a)
	if err != nil {
		return nil, err
	}
	if shown, err := d.conversationOf(conversationName{a.Table, ""}); err == nil {
		<-shown.ended // after which its seats are free
	}
	var taken []*seat
	var own *offer.Offer
	defer func() {
		for _, s := range taken {
			err = errors.Join(err, s.Close())
		}
		if err != nil && own != nil {
			err = errors.Join(err, d.takeBack(ctx, a, own))
		}
	}()
	if taken, err = d.openSeats(a, ""); err != nil {
		return nil, err
	}
	slices.SortStableFunc(taken, func(x, y *seat) int { return seatRank(x.about) - seatRank(y.about) })
	s := taken[0]
	o, err := tablelog.PlayAgain(ctx, c, over, a.Key, s.VerifierKey(), s.Signer(), catalogue(), func(o *offer.Offer) error {
		own = o
		return s.keepOffer(a, o)
	})
	if err == nil && o != own {
		s.about.Offers = slices.DeleteFunc(s.about.Offers, func(w wish) bool { return w.Hash == own.Hash })
		own, err = nil, s.save()
	}
	if err != nil {
		return nil, err
	}
	for _, s := range taken {
		if w := s.about.findWish(o.Hash); w != nil && w.Join != "" {
			continue
		}
		place := slices.Index(over.Genesis().Seats, s.VerifierKey())
		if place < 0 {
			return nil, ErrNoSeat
		}
		name := string(over.Genesis().Names[place])
		if err := s.postJoin(ctx, a, &tablelog.SeatPlace{Client: c, Offer: o}, name); err != nil {
			return nil, err
		}
	}
	return d.showOffer(a, o)
}

// takeBack withdraws an offer that failed half-way, so that nobody waits at it.
func (d *Desk) takeBack(ctx context.Context, a tableAddress, o *offer.Offer) error {
	if _, err := d.showOffer(a, o); err != nil {
		return err
	}
	_, err := leaveOffer(d, ctx, offerCall{a, o.Hash})
	return err
}

// openPlaces lets this browser's seats that wait to play again go on with anybody: it offers another
// table on the same terms, and then withdraws the offer that they wait at, so that the others find
// the new one.
func openPlaces(d *Desk, ctx context.Context, a offerCall) (any, error) {
	g, err := d.takeOverOffer(a)
	if err != nil {
		return nil, err
	}
	o, err := g.offerOpenly(ctx)
	if g.close(); err == nil {
		_, err = leaveOffer(d, ctx, a)
	}
	if err != nil && o != nil {
		err = errors.Join(err, d.takeBack(ctx, a.tableAddress, o))
	}
	if err != nil {
		return nil, err
	}
	return d.showOffer(a.tableAddress, o)
}

// offerOpenly offers the table. With an error it also returns the offer that was posted or may have
// been.
func (g *gathering) offerOpenly(ctx context.Context) (*offer.Offer, error) {
	kept := g.place.Offer
	if kept.Kept == nil || len(g.seats) == 0 {
		return nil, errors.New("you wait at no table whose places are kept")
	}
	s := g.seats[0]
	o, err := g.desk.ownOffer(func(o *offer.Offer) bool { return o.GoesOn(kept) && o.Table.Organiser == s.VerifierKey() })
	if err != nil {
		return nil, err
	}
	if o == nil { // an earlier try has left none
		terms := kept.OpenTerms(s.VerifierKey())
		terms.Log = kept.Log
		if o, err = tablelog.NewOffer(terms, catalogue(), s.Signer()); err != nil {
			return nil, err
		}
		if err := s.keepOffer(g.tableAddress, o); err != nil {
			return o, err
		}
	}
	p := &tablelog.SeatPlace{Client: g.place.Client, Offer: o, Organiser: s.Signer()}
	if _, err := p.PostOffer(ctx); err != nil {
		return o, err
	}
	for _, s := range g.seats {
		joined, err := offer.ParseJoin([]byte(s.about.findWish(kept.Hash).Join))
		if err == nil {
			err = s.postJoin(ctx, g.tableAddress, p, string(joined.Name))
		}
		if err != nil {
			return o, err
		}
	}
	return o, nil
}

// nextLink returns the link to the table at which a player of a withdrawn offer with kept places goes
// on with anybody, or "".
func (g *gathering) nextLink() string {
	kept := g.place.Offer
	if kept.Kept == nil {
		return ""
	}
	list, err := g.place.Client.Offers(g.ctx, 0, "")
	if err != nil {
		return ""
	}
	for _, row := range list.Offers {
		if row.After != kept.After {
			continue
		}
		open, err := g.place.Client.Offer(g.ctx, row.ID, 0, 0)
		if err != nil {
			continue
		}
		if o, err := offer.Parse([]byte(open.Offer)); err == nil && o.GoesOn(kept) {
			return offer.Invite(g.URL, o, o.CodeLetters(open.Code)).String()
		}
	}
	return ""
}

// keepOffer records that an offer is this seat's before the server has it.
func (s *seat) keepOffer(a tableAddress, o *offer.Offer) error {
	s.about.Offers = append(s.about.Offers, wish{URL: a.URL, Key: a.Key, Hash: o.Hash, Offer: string(o.Text), Organiser: true})
	return s.save()
}

// postJoin makes a seat join an offer under a name, and records that.
func (s *seat) postJoin(ctx context.Context, a tableAddress, p *tablelog.SeatPlace, name string) error {
	j, err := offer.SignJoin(p.Offer, s.VerifierKey(), name, s.Signer())
	if err != nil {
		return err
	}
	w := s.about.findWish(p.Offer.Hash)
	if w == nil {
		s.about.Offers = append(s.about.Offers, wish{URL: a.URL, Key: a.Key, Hash: p.Offer.Hash, Offer: string(p.Offer.Text)})
		w = s.about.findWish(p.Offer.Hash)
	}
	w.Join = string(j.Text)
	if err := s.save(); err != nil {
		return err
	}
	return p.PostJoin(ctx, j)
}

func (d *Desk) addBots(ctx context.Context, a tableAddress, p *tablelog.SeatPlace, names []string, taken func(*seat)) error {
	for _, name := range names {
		s, err := d.makeSeat(name, true)
		if err != nil {
			return err
		}
		if err := s.postJoin(ctx, a, p, name); err != nil {
			return errors.Join(err, s.Close(), d.host.Remove(s.about.ID))
		}
		if taken != nil {
			taken(s)
			continue
		}
		if err := s.Close(); err != nil {
			return err
		}
	}
	return nil
}

// findGathering returns an open table that this page has found, made or watches.
func (d *Desk) findGathering(id wire.Hash) (*gathering, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if g, ok := d.offers[id]; ok {
		return g, nil
	}
	return nil, errors.New("this open table is not known here")
}

// offerCall names an open table in a call.
type offerCall struct {
	tableAddress
	Offer wire.Hash `json:"offer"`
}

// joinOffer makes a seat that joins. If its name is taken there, the error names a free one.
func joinOffer(d *Desk, ctx context.Context, a struct {
	offerCall
	Name string `json:"name"`
}) (_ any, err error) {
	g, err := d.findGathering(a.Offer)
	if err != nil {
		return nil, err
	}
	c, err := d.clientOf(a.tableAddress)
	if err != nil {
		return nil, err
	}
	if err := plain.CheckPlayer(a.Name); err != nil {
		return nil, err
	}
	s, err := d.makeSeat(a.Name, false)
	if err != nil {
		return nil, err
	}
	err = s.postJoin(ctx, a.tableAddress, &tablelog.SeatPlace{Client: c, Offer: g.place.Offer}, a.Name)
	if err == nil {
		return map[string]string{"name": a.Name}, s.Close()
	}
	err = errors.Join(err, s.Close())
	var refused *client.Problem
	if errors.Is(err, tablelog.ErrNoPlace) { // otherwise the server may have it
		err = errors.Join(err, d.host.Remove(s.about.ID))
		if errors.As(err, &refused) && refused.Free != "" && plain.CheckPlayer(refused.Free) == nil {
			return map[string]string{"free": refused.Free}, nil
		}
	}
	return nil, err
}

// takeOverOffer takes this browser's seats in an offer from the call that watched it before.
func (d *Desk) takeOverOffer(a offerCall) (*gathering, error) {
	before, err := d.findGathering(a.Offer)
	if err != nil {
		return nil, err
	}
	before.stopWatching()
	c, err := d.clientOf(a.tableAddress)
	if err != nil {
		return nil, err
	}
	g := &gathering{tableAddress: a.tableAddress, desk: d, place: &tablelog.SeatPlace{Client: c, Offer: before.place.Offer}}
	return g, g.openSeats()
}

// watchOffer emits events about an open table until all seats of this browser have accepted the
// table, or the page stops.
func watchOffer(d *Desk, _ context.Context, a offerCall) (any, error) {
	g, err := d.takeOverOffer(a)
	if err != nil {
		return nil, err
	}
	g.ended = make(chan struct{})
	g.ctx, g.stop = context.WithCancel(context.Background())
	d.mu.Lock()
	d.offers[a.Offer] = g
	d.mu.Unlock()
	go g.followOffer()
	return nil, nil
}

func unwatchOffer(d *Desk, _ context.Context, a offerCall) (any, error) {
	g, err := d.findGathering(a.Offer)
	if err == nil {
		g.stopWatching()
	}
	return nil, err
}

// stopWatching stops watching and closes the seats.
func (g *gathering) stopWatching() {
	if g.stop != nil {
		g.stop()
		<-g.ended
	}
}

// openSeats opens this browser's seats that take part in the offer.
func (g *gathering) openSeats() error {
	all, err := g.desk.seatRecords()
	if err != nil {
		return err
	}
	slices.SortStableFunc(all, func(x, y seatRecord) int { return seatRank(x) - seatRank(y) })
	for _, one := range all {
		if one.findWish(g.place.Offer.Hash) == nil {
			continue
		}
		s, err := g.desk.openSeat(one)
		if err != nil {
			g.close()
			return err
		}
		g.seats = append(g.seats, s)
		w := s.about.findWish(g.place.Offer.Hash) // as it is now: another tab may have signed something
		if w.Organiser {
			g.place.Organiser = s.Signer()
		}
		if w.Join == "" {
			continue
		}
		j, err := offer.ParseJoin([]byte(w.Join))
		if err != nil {
			g.close()
			return err
		}
		g.place.KeepJoin(j)
	}
	return nil
}

// seatRank sorts the person's seat before the bots.
func seatRank(a seatRecord) int {
	if a.Bot {
		return 1
	}
	return 0
}

// close closes the seats once other calls have finished with them, including a bot that is seated
// meanwhile.
func (g *gathering) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.letGo()
}

func (g *gathering) letGo() {
	for _, s := range g.seats {
		s.Close()
	}
	g.seats = nil
}

func (g *gathering) followOffer() {
	defer close(g.ended)
	defer g.close()
	g.attend(g.seats)
	err := g.place.Watch(g.ctx, func(s tablelog.SeatingState) (bool, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.state = s
		seated, err := g.beginOrAccept()
		g.tellOffer(seated, err)
		return seated == nil, nil
	})
	if err != nil && g.ctx.Err() == nil {
		g.desk.emit("offer", map[string]any{"offer": g.place.Offer.Hash, "lost": err.Error()})
	}
}

// attend tells the server that these seats are there, and the page who else is, as the server says.
func (g *gathering) attend(seats []*seat) {
	tell := func(keys []string) {
		g.desk.emit("present", map[string]any{"offer": g.place.Offer.Hash, "keys": keys})
	}
	for _, s := range seats {
		go tablelog.Attend(g.ctx, g.place.Client, g.place.Offer.Hash, s.VerifierKey(), s.Signer(), tell)
	}
	if len(g.seats) == 0 {
		go tablelog.Attend(g.ctx, g.place.Client, g.place.Offer.Hash, "", nil, tell)
	}
}

// beginOrAccept begins the table if this is its organiser's browser and nobody is missing. If there
// is a table, it makes the seats accept it.
func (g *gathering) beginOrAccept() (*tablelog.SeatedTable, error) {
	id := g.state.Table
	if o := g.organiser(); o != nil && g.state.Server == nil {
		begun, err := g.beginTable(o)
		if err != nil || begun == nil {
			return nil, err
		}
		id = begun
	}
	if id == nil {
		return nil, nil
	}
	var seated *tablelog.SeatedTable
	for _, s := range g.seats {
		w := s.about.findWish(g.place.Offer.Hash)
		if w.Join == "" { // an organiser who does not play
			if seated == nil {
				seated = &tablelog.SeatedTable{Table: *id}
			}
			continue
		}
		found, err := g.place.Accept(g.ctx, *id, s.VerifierKey(), s.satAt(g.place.Offer), g.state)
		if err != nil {
			return nil, err
		}
		if seated == nil || seated.Names == nil {
			seated = found
		}
	}
	for _, s := range g.seats {
		if err := s.keepAccepted(g.tableAddress, g.place.Offer.Hash, *id); err != nil {
			return nil, err
		}
	}
	return seated, nil
}

// satAt returns the table at which the seat sits by an offer, or by another offer to the same players
// to play again: only one of these counts. It returns nil if there is none.
func (s *seat) satAt(o *offer.Offer) *wire.Hash {
	for _, w := range s.about.Offers {
		if w.Table == nil {
			continue
		}
		if other, err := offer.Parse([]byte(w.Offer)); err == nil && (w.Hash == o.Hash || o.After != "" && other.After == o.After) {
			return w.Table
		}
	}
	return nil
}

// keepAccepted records that a seat sits at the table of an offer, and so at no other of that offer.
func (s *seat) keepAccepted(a tableAddress, id, table wire.Hash) error {
	w := s.about.findWish(id)
	w.Table = &table
	if w.Join == "" {
		return s.save()
	}
	a.Table = table
	k := keptReason("")
	if s.about.Bot {
		k = trifling
	}
	if err := s.noteTable(a, k); err != nil {
		return err
	}
	return s.save()
}

func (g *gathering) organiser() *seat {
	for _, s := range g.seats {
		if s.about.findWish(g.place.Offer.Hash).Organiser {
			return s
		}
	}
	return nil
}

// beginTable keeps the genesis entry and posts it. It returns nil if somebody is missing.
func (g *gathering) beginTable(o *seat) (*wire.Hash, error) {
	w := o.about.findWish(g.place.Offer.Hash)
	if w.Genesis == "" {
		seats := g.place.Seats(g.state, w.Added)
		if seats == nil {
			return nil, nil
		}
		entry, err := g.place.Begin(seats, catalogue(), o.Signer())
		if err != nil {
			return nil, err
		}
		w.Genesis = string(entry)
		if err := o.save(); err != nil {
			return nil, err
		}
	}
	if _, err := g.place.Client.CreateTable(g.ctx, []byte(w.Genesis)); err != nil {
		return nil, err
	}
	id := wire.HashEntry([]byte(w.Genesis))
	return &id, nil
}

// whoJoined is a player of an open table.
type whoJoined struct {
	Name  string    `json:"name"`
	Words string    `json:"words,omitempty"` // of the key
	Join  wire.Hash `json:"join"`
	Key   string    `json:"key"`
	Mine  bool      `json:"mine,omitempty"` // of this browser
	Bot   bool      `json:"bot,omitempty"`
	Added bool      `json:"added,omitempty"` // by the organiser

	Organiser bool `json:"organiser,omitempty"`
	Awaited   bool `json:"awaited,omitempty"` // a place is kept for the player, who has not joined
}

// tellOffer tells the page the state of the open table, and an error.
func (g *gathering) tellOffer(seated *tablelog.SeatedTable, err error) {
	event := map[string]any{"offer": g.place.Offer.Hash, "away": int(g.state.Away / time.Second)}
	list := []whoJoined{}
	for _, j := range g.state.Joins {
		who := whoJoined{Name: string(j.Name), Join: j.Hash, Key: j.Key, Organiser: j.Key == g.place.Offer.Table.Organiser}
		for _, s := range g.seats {
			if s.VerifierKey() == j.Key {
				who.Mine, who.Bot = true, s.about.Bot
			}
		}
		list = append(list, who)
	}
	if o := g.organiser(); o != nil {
		for _, key := range o.about.findWish(g.place.Offer.Hash).Added {
			name, _, _ := strings.Cut(key, "+")
			list = append(list, whoJoined{Name: name, Words: offer.KeyWords(key), Added: true})
		}
	}
	for _, key := range g.place.Offer.Kept {
		if s, joined := offer.SeatOf(key, g.state.Joins); !joined {
			list = append(list, whoJoined{Name: s.ShownName(), Awaited: true})
		}
	}
	event["joins"] = list
	if len(g.seats) == 0 && g.state.Table != nil {
		event["begun"] = *g.state.Table
	}
	if g.state.Server != nil {
		event["server"], event["next"] = g.state.Server.Error(), g.nextLink()
		delete(event, "joins")
	}
	var m *offer.Mismatch
	switch {
	case errors.As(err, &m):
		event["field"], event["why"] = m.Field, m.Why
	case err != nil:
		event["why"] = err.Error()
	case seated != nil:
		event["table"], event["names"] = seated.Table, seated.Names
		g.letGo() // the page sits down as soon as it is told
	}
	g.desk.emit("offer", event)
}

// fillOffer makes bots of this browser join. The organiser's program may speak for them.
func fillOffer(d *Desk, ctx context.Context, a struct {
	offerCall
	Names []string `json:"names"`
}) (any, error) {
	g, err := d.findGathering(a.Offer)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.organiser() == nil {
		return nil, errors.New("bots are the organiser's to seat")
	}
	return nil, d.addBots(ctx, a.tableAddress, g.place, a.Names, func(s *seat) {
		g.seats = append(g.seats, s)
		g.attend([]*seat{s})
	})
}

// addToOffer gives a place to a key that the organiser was sent otherwise.
func addToOffer(d *Desk, ctx context.Context, a struct {
	offerCall
	Seat string `json:"seat"` // verifier key
}) (any, error) {
	g, err := d.findGathering(a.Offer)
	if err != nil {
		return nil, err
	}
	if _, err := wire.ParseVerifier(strings.TrimSpace(a.Seat)); err != nil {
		return nil, errors.New("that is no seat key: it has a name, eight digits and letters, and a plus between")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.organiser()
	if o == nil {
		return nil, errors.New("seats are the organiser's to add")
	}
	w := o.about.findWish(a.Offer)
	if key := strings.TrimSpace(a.Seat); !slices.Contains(w.Added, key) {
		w.Added = append(w.Added, key)
	}
	if err := o.save(); err != nil {
		return nil, err
	}
	seated, err := g.beginOrAccept()
	g.tellOffer(seated, err)
	if seated != nil {
		g.stop()
	}
	return nil, nil
}

// sendAway removes somebody's join, as the organiser.
func sendAway(d *Desk, ctx context.Context, a struct {
	offerCall
	Join wire.Hash `json:"join"`
}) (any, error) {
	g, err := d.findGathering(a.Offer)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	o := g.organiser()
	if o == nil {
		return nil, errors.New("only the organiser can send players away")
	}
	l, err := offer.SignLeave(a.Offer, a.Join, o.Signer())
	if err == nil {
		_, err = g.place.Client.PostLeave(ctx, a.Offer, l.Text)
	}
	return nil, err
}

// leaveOffer withdraws this browser's joins of an offer, or the offer itself, and forgets them.
func leaveOffer(d *Desk, ctx context.Context, a offerCall) (any, error) {
	g, err := d.takeOverOffer(a)
	if err != nil {
		return nil, err
	}
	defer g.close()
	for _, s := range g.seats {
		w := s.about.findWish(a.Offer)
		if w.Table != nil || w.Genesis != "" {
			return nil, errors.New("the table has begun")
		}
		what := wire.HashEntry([]byte(w.Join))
		if w.Organiser {
			what = a.Offer
		}
		l, err := offer.SignLeave(a.Offer, what, s.Signer())
		if err != nil {
			return nil, err
		}
		var p *client.Problem
		if _, err := g.place.Client.PostLeave(ctx, a.Offer, l.Text); err != nil && !(errors.As(err, &p) && p.Slug() == client.NotFound) {
			return nil, err
		}
	}
	for _, s := range g.seats {
		if len(s.about.Tables) > 0 { // the seat would play again there
			s.about.Offers = slices.DeleteFunc(s.about.Offers, func(w wish) bool { return w.Hash == a.Offer })
			if err := errors.Join(s.save(), s.Close()); err != nil {
				return nil, err
			}
			continue
		}
		s.Close()
		if err := d.host.Remove(s.about.ID); err != nil {
			return nil, err
		}
	}
	g.seats = nil
	return nil, nil
}
