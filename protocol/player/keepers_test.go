package player_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/marks/markstest"
	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/keeper/exchange"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/table/timing"
	"github.com/pakli/pakli/protocol/wire"
)

// withholding is a log that takes no message, and answers in its own way.
type withholding struct {
	late
	answer error
}

func (w withholding) Post(context.Context, wire.Hash, []byte) error { return w.answer }

// holders are keepers that hold everything.
type holders struct {
	mu      sync.Mutex
	held    [][]byte
	present []exchange.Presence
	away    int    // so often they do not answer
	told    func() // with each
}

func (h *holders) Hold(_ context.Context, parcel, _ []byte) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.held = append(h.held, parcel)
	h.told()
}

func (h *holders) Present(_ context.Context, presence, _ []byte) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.away--; h.away >= 0 {
		return 0
	}
	p, _, err := exchange.ParsePresence(presence)
	if err != nil {
		panic(err)
	}
	h.present = append(h.present, p)
	return 1
}

func (h *holders) Silence(context.Context, keeper.Place) [][]byte { return nil }

// withheld is a seat at a table with a clock, whose log withholds its messages.
func withheld(t *testing.T, answer error) (*player.Seat, *holders, *room) {
	t.Helper()
	_, list := identities(t, 2)
	r, _ := endingRoom(t, list, 1, func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{markstest.NewKeeper(t, "anna.example", time.Now).String()}, Lines: []string{}, Quorum: 1, Tick: 5, Start: 300}
	})
	src := withholding{late{r, wire.Hash{1}, wire.Hash{2}}, answer}
	p := sit(t, list[0], src, r, bot(1))
	h := &holders{told: func() {}}
	p.Keepers = h
	return p, h, r
}

// A log that refuses a message, or does not answer: keepers have it before Play returns, and the
// message is the one that the seat has signed for this head.
func TestKeepersHoldWhatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("no answer")
		p, h, r := withheld(t, away)
		if err := p.Play(t.Context()); !errors.Is(err, away) {
			t.Fatal(err)
		}
		testmust.Requiref(t, len(h.held) == 1, "keepers hold %d messages", len(h.held))
		m, err := keeper.NewMessage(h.held[0])
		testmust.Holdf(t, err == nil && m.Table == r.id && m.Parent == p.State().Head() && m.Seat == 0, "held %+v: %v", m, err)
		e, _ := wire.Parse(h.held[0])
		testmust.Have(p.State().Apply(e, table.Facts{}))(t, "what is held does not count")
	})
}

// A log that always answers that the table has moved on, and shows nothing newer: that is no receipt.
func TestKeepersHoldWhatIsCalledStale(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		p, h, _ := withheld(t, player.ErrStale)
		h.told = stop
		err := p.Play(ctx)
		testmust.Holdf(t, errors.Is(err, context.Canceled) && len(h.held) != 0, "keepers hold %d messages: %v", len(h.held), err)
	})
}

// late is a log in which a table begins at index 100, behind two marks that are an hour apart.
type late struct {
	*room
	from, to wire.Hash
}

func (l late) Index(n int) (uint64, error) { return 100 + 10*uint64(n), nil }

func (l late) Mark(_ context.Context, mark wire.Hash) (keeper.Mark, error) {
	at := func(index uint64, time int64) keeper.Mark {
		return keeper.Mark{Index: index, Size: index, Time: func(string) (int64, bool) { return time, true }}
	}
	switch mark {
	case l.from:
		return at(50, 10_000), nil
	case l.to:
		return at(105, 13_600), nil
	}
	return keeper.Mark{}, keeper.ErrNoMark
}

func (l late) Clocks(context.Context, wire.Hash) ([]timing.Clock, error) { return nil, nil }

// A seat that is late, to a player, by time that passed before the table began: the log and
// all others have the claim for void, and the player waits for a table that is not stopped.
func TestTimeBeforeTheTable(t *testing.T) {
	_, list := identities(t, 2)
	r, _ := endingRoom(t, list, 1, func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{markstest.NewKeeper(t, "anna.example", time.Now).String()}, Lines: []string{}, Quorum: 1, Tick: 5, Start: 300}
	})
	l := late{r, wire.Hash{1}, wire.Hash{2}}
	body := wire.TimeoutBody{Seat: 0, Silence: [][]byte{}, Spans: []wire.Span{{Since: r.id, From: l.from, To: l.to}}}
	claim := testmust.Have(player.SignAct(r.state, list[1].VerifierKey(), list[1].Signer(), wire.KindTimeout, body))(t)
	r.entries = append(r.entries, claim)
	p := sit(t, list[0], l, r, bot(1))
	gone, stopped := p.State().GoneSeat()
	testmust.Holdf(t, !stopped, "seat %s is late by an hour before the table", gone.Letter())
}

// shuffling is a log in which the last card key is at index 120, and again at 130, between two marks that are an hour apart.
type shuffling struct{ late }

func (l shuffling) Mark(_ context.Context, mark wire.Hash) (keeper.Mark, error) {
	at := map[wire.Hash]keeper.Mark{
		l.from: {Index: 122, Size: 121, Time: func(string) (int64, bool) { return 10_000, true }},
		l.to:   {Index: 125, Size: 125, Time: func(string) (int64, bool) { return 13_600, true }},
	}
	return at[mark], nil
}

// The same bytes at two places of the log: a player who takes the last for where the entry is judges a claim otherwise than
// all others, and waits in another history.
func TestSameBytesTwice(t *testing.T) {
	_, list := identities(t, 2)
	r, _ := endingRoom(t, list, 1, func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{markstest.NewKeeper(t, "anna.example", time.Now).String()}, Lines: []string{}, Quorum: 1, Tick: 5, Start: 300, Move: 300}
	})
	for seat, id := range list {
		h := player.Hand{Seat: table.Seat(seat), Signer: id.Signer(), Secret: testmust.Have(id.Secret(r.id, clear.Suite{}, rand.Reader))(t)}
		take(t, r, made(t, h, r.state, r.state.DutiesOf(h.Seat)[0]))
	}
	r.entries = append(r.entries, r.entries[2])
	l := shuffling{late{r, wire.Hash{1}, wire.Hash{2}}}
	late := r.state.Duties()[0].Seats[0]
	body := wire.TimeoutBody{Seat: int(late), Silence: [][]byte{}, Seen: l.to, Spans: []wire.Span{{Since: r.state.Head(), From: l.from, To: l.to}}}
	r.entries = append(r.entries, testmust.Have(player.SignAct(r.state, list[1-late].VerifierKey(), list[1-late].Signer(), wire.KindTimeout, body))(t))
	p := testmust.Have(player.Sit(t.Context(), list[0], l, r.id, r.games, bot(1), rand.Reader))(t)
	_, stopped := p.State().GoneSeat()
	testmust.Hold(t, stopped, "the claim is void to this player")
}

// silent is a room with a clock that asks for the silence of one keeper.
func silent(t *testing.T, seats int) (*room, note.Signer, []*player.Identity) {
	t.Helper()
	_, list := identities(t, seats)
	_, lines := markstest.LineSigner(t, "anna.example")
	r, organiser := endingRoom(t, list, 1, func(g *wire.Genesis) {
		g.Clock = wire.Clock{Keepers: []string{markstest.NewKeeper(t, "anna.example", time.Now).String()}, Lines: []string{lines}, Quorum: 1, Tick: 5, Start: 300, Move: 300, Silence: true}
	})
	return r, organiser, list
}

// withoutMarks is a log that does not show marks.
type withoutMarks struct{ idleLate }

var errNoMark = errors.New("no such mark")

func (withoutMarks) Mark(context.Context, wire.Hash) (m keeper.Mark, err error) { return m, errNoMark }

// A player who is shown that the table is over or stopped, and goes; one that must not answer since it has answered in another
// history, and whose answer nobody has; one that is not shown what it needs to judge an entry, and so does not come to the head: each is late
// if nobody says that it was there. And one that could answer, and does not, is late.
func TestSeatSaysWhereItIs(t *testing.T) {
	ends := func(t *testing.T, r *room, by *player.Identity) []byte {
		return testmust.Have(player.SignAct(r.state, by.VerifierKey(), by.Signer(), wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))(t)
	}
	idle := func(err error) bool { return errors.Is(err, errIdle) }
	for what, c := range map[string]struct {
		log   func(t *testing.T, r *room, list []*player.Identity) player.Source
		state string
		err   func(error) bool
	}{
		"a foul": {func(t *testing.T, r *room, list []*player.Identity) player.Source {
			h := player.Hand{Seat: 1, Signer: list[1].Signer(), Secret: testmust.Have(list[1].Secret(r.id, clear.Suite{}, rand.Reader))(t)}
			m := parse(t, made(t, h, r.state, r.state.DutiesOf(1)[0])).Message
			m.Body = []byte("{}")
			r.entries = append(r.entries, signed(t, m, h.Signer))
			return idleLate{late{room: r}}
		}, exchange.Leaves, func(err error) bool { return errors.Is(err, player.ErrFoul) }},
		"stopped": {func(t *testing.T, r *room, list []*player.Identity) player.Source {
			take(t, r, testmust.Have(player.SignAct(r.state, list[1].VerifierKey(), list[1].Signer(), wire.KindResign, wire.ResignBody{Scope: wire.ResignTable}))(t))
			return idleLate{late{room: r}}
		}, exchange.Rests, idle},
		"another history": {func(t *testing.T, r *room, list []*player.Identity) player.Source {
			shown := r.copied()
			take(t, shown, ends(t, shown, list[1]))
			shown.crash = func() (bool, bool) { return true, false }
			p := testmust.Have(player.Sit(t.Context(), list[0], idleLate{late{room: shown}}, r.id, r.games, bot(1), rand.Reader))(t)
			err := p.Play(t.Context())
			testmust.Require(t, errors.Is(err, errCrash), err)
			r.sent = nil
			return idleLate{late{room: r}}
		}, exchange.Leaves, func(err error) bool { return errors.Is(err, player.ErrHistory) }},
		"a mark is withheld": {func(t *testing.T, r *room, list []*player.Identity) player.Source {
			body := wire.TimeoutBody{Seat: 0, Silence: [][]byte{}, Seen: wire.Hash{3}, Spans: []wire.Span{{Since: r.id, From: wire.Hash{1}, To: wire.Hash{2}}}}
			r.entries = append(r.entries, testmust.Have(player.SignAct(r.state, list[1].VerifierKey(), list[1].Signer(), wire.KindTimeout, body))(t))
			return withoutMarks{idleLate{late{room: r}}}
		}, exchange.Lost, player.IsWithheld},
		"nothing": {func(t *testing.T, r *room, list []*player.Identity) player.Source { return waits{late{room: r}} }, exchange.Here, func(error) bool { return false }},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, _, list := silent(t, 2)
			src := c.log(t, r, list)
			p := testmust.Have(player.Sit(t.Context(), list[0], src, r.id, r.games, bot(1), rand.Reader))(t)
			h := &holders{told: func() {}, away: 2}
			p.Keepers = h
			ctx, stop := context.WithTimeout(t.Context(), time.Minute)
			defer stop()
			for ; ctx.Err() == nil; time.Sleep(time.Second) { // as a program does whose server is away
				err := p.Play(ctx)
				testmust.Requiref(t, ctx.Err() != nil || c.err(err), "%s: %v", what, err)
			}
			n := len(h.present)
			testmust.Requiref(t, n != 0, "%s: keepers know nothing", what)
			says := func(state string) bool {
				return slices.ContainsFunc(h.present, func(at exchange.Presence) bool {
					return at.State == state && at.Head == p.State().Head() && at.Table == r.id && at.Seat == 0
				})
			}
			testmust.Hold(t, says(c.state), what, "keepers were told", len(h.present), "times, last", h.present[n-1])
			for _, state := range []string{exchange.Here, exchange.Rests, exchange.Leaves} {
				testmust.Holdf(t, state == c.state || !says(state) || state == exchange.Here && c.state != exchange.Lost,
					"%s: it says that it is %s", what, state)
			}
			latest := int64(0)
			for _, at := range h.present {
				if again := at.State == exchange.Here || at.State == exchange.Lost; again && at.Time <= latest {
					t.Errorf("%s: %+v is no later than the one before", what, at)
				} else if again {
					latest = at.Time
				}
			}
			testmust.Holdf(t, what != "another history" || len(r.sent) != 0 && parse(t, r.sent[0]).Parent() != r.id,
				"the log was not given the answer: %d messages", len(r.sent))
			testmust.Holdf(t, what != "a mark is withheld" || n >= 6, "%s: told %d times in a minute", what, n)
		})
	}
}

// waits is a log with a clock that answers a question for news when there are some.
type waits struct{ late }

func (l waits) Clocks(context.Context, wire.Hash) ([]timing.Clock, error) { return nil, nil }

// hanging is a keeper that takes what it is told and does not answer.
type hanging struct{ *holders }

func (hanging) Present(ctx context.Context, _, _ []byte) int {
	<-ctx.Done()
	return 0
}

// One keeper that does not answer, and keeps a program from ending, or from asking the log again.
func TestKeeperThatHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, list := silent(t, 2)
		p := testmust.Have(player.Sit(t.Context(), list[0], waits{late{room: r}}, r.id, r.games, bot(1), rand.Reader))(t)
		p.Keepers = hanging{&holders{told: func() {}}}
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		begun := time.Now()
		err := p.Play(ctx)
		testmust.Holdf(t, errors.Is(err, context.DeadlineExceeded) && time.Since(begun) <= 70*time.Second, "ended after %v: %v", time.Since(begun), err)
	})
}

// refusing is a log that says that the table has moved on, and then answers nothing.
type refusing struct{ waits }

func (refusing) Post(context.Context, wire.Hash, []byte) error { return player.ErrStale }

func (l refusing) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	if n > 1 || wait > 0 {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return l.waits.Messages(ctx, id, n, wait)
}

// A seat whose message the log refuses as too late, and that waits for what came before it, which does not come: it has answered, nobody has
// that, and it must not say that it could.
func TestRefusedSeatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, list := silent(t, 2)
		p := testmust.Have(player.Sit(t.Context(), list[0], refusing{waits{late{room: r}}}, r.id, r.games, bot(1), rand.Reader))(t)
		h := &holders{told: func() {}}
		p.Keepers = h
		ctx, stop := context.WithTimeout(t.Context(), 30*time.Second)
		defer stop()
		err := p.Play(ctx)
		testmust.Require(t, errors.Is(err, context.DeadlineExceeded), err)
		for _, at := range h.present[1:] {
			testmust.Equal(t, at.State, exchange.Lost, "it says that it")
		}
	})
}

// A log that says to a seat, when it sits down, that it is another's, as it may say in a history that does not count: the seat goes, and keepers must know,
// of the seat that it had. So too of one that has had it for a while.
func TestReseatedSeatIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, organiser, list := silent(t, 2)
		_, others := identities(t, 2)
		have := append(list[1:], others...)
		for i, before := range have[:2] {
			next := have[i+1]
			accept := testmust.Have(wire.SignAccept(next.Signer(), r.id, r.state.Head(), 1))(t)
			take(t, r, testmust.Have(player.SignAct(r.state, r.state.Genesis().Organiser, organiser, wire.KindReseat, wire.ReseatBody{Seat: 1, Key: next.VerifierKey(), Accept: accept}))(t))
			p := sit(t, before, idleLate{late{room: r}}, r, bot(1))
			h := &takers{holders: holders{told: func() {}}}
			p.Keepers = h
			testmust.FailBy(t, p.Play(t.Context()), player.ErrReseated)
			last := slices.MaxFunc(h.present, func(a, b exchange.Presence) int { return cmp.Compare(a.Time, b.Time) })
			testmust.Holdf(t, last.State == exchange.Leaves && last.Seat == 1 && (h.reseat == nil) == (i == 0),
				"holder %d: %+v, with an act of %d bytes", i, last, len(h.reseat))
		}
	})
}

// takers are keepers that note with what a seat proves who it is.
type takers struct {
	holders
	reseat []byte
}

func (k *takers) Present(ctx context.Context, presence, reseat []byte) int {
	k.mu.Lock()
	k.reseat = reseat
	k.mu.Unlock()
	return k.holders.Present(ctx, presence, reseat)
}

// A log that answers a seat with what is none, once or for ever, so that its program ends and nobody says where the seat is; and an end, or a
// player who gives up, that keeps a program running.
func TestWhatPlayWaitsFor(t *testing.T) {
	r, _, list := silent(t, 2)
	p := sit(t, list[0], waits{late{room: r}}, r, func(context.Context, *table.State, table.View) (json.RawMessage, error) { return nil, errIdle })
	nonsense := errors.New("a page that is none")
	testmust.Hold(t, !p.CanResume(nonsense) && p.CanResume(wire.ErrDetached), "waits although no keepers know where the seat is, or not for what is withheld")
	p.Keepers = &holders{told: func() {}}
	for _, end := range []error{nil, player.ErrFoul, player.ErrReseated, player.ErrBranch, player.ErrHistory, player.ErrElsewhere, player.ErrCopy} {
		testmust.Hold(t, !p.CanResume(end), "waits with", end)
	}
	testmust.Hold(t, p.CanResume(nonsense), "a page that is none ends play")
}

// A player who is asked, and sleeps, while somebody's act moves the head: the seat is where it was asked, and so never late.
func TestSleeperIsAtTheHead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, list := silent(t, 2)
		asleep := make(chan struct{}, 100)
		sleeps := func(ctx context.Context, _ *table.State, _ table.View) (json.RawMessage, error) {
			asleep <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		ctx, stop := context.WithCancel(t.Context())
		h := &holders{told: func() {}}
		var all sync.WaitGroup
		for seat, id := range list {
			p := sit(t, id, waits{late{room: r}}, r, sleeps)
			if p.Keepers = (&holders{told: func() {}}); seat == 0 {
				p.Keepers = h
			}
			all.Go(func() { _ = p.Play(ctx) })
		}
		<-asleep
		time.Sleep(time.Minute)
		r.mu.Lock()
		duty, before := r.state.Duties()[0], r.state
		by := list[1-duty.Seats[0]]
		err := r.take(testmust.Have(player.SignAct(before, by.VerifierKey(), by.Signer(), wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))(t))
		head := r.state.Head()
		r.mu.Unlock()
		testmust.Requiref(t, err == nil && len(duty.Seats) == 1 && head != before.Head(), "%+v: %v", duty, err)
		time.Sleep(time.Minute)
		stop()
		all.Wait()
		last := h.present[len(h.present)-1]
		testmust.Hold(t, last.Head == head && last.State == exchange.Here, "it is at", last.Head, last.State, "and the head is", head)
	})
}

// swallowing is a log that takes messages until a time, and then answers nothing.
type swallowing struct {
	waits
	since *time.Time // zero: not yet
}

func (l swallowing) Post(ctx context.Context, id wire.Hash, entry []byte) error {
	if l.since.IsZero() {
		return l.waits.Post(ctx, id, entry)
	}
	<-ctx.Done()
	return ctx.Err()
}

// A log that does not say how little time a seat has, and takes nothing: by the time that the seat has waited for a receipt it is late.
func TestSeatMeasuresItself(t *testing.T) {
	for thinks, want := range map[time.Duration]time.Duration{100 * time.Second: time.Second, 280 * time.Second: 0} {
		synctest.Test(t, func(t *testing.T) {
			r, _, list := silent(t, 2)
			ctx, stop := context.WithCancel(t.Context())
			defer stop()
			var chosen, given time.Time
			thinking := func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
				time.Sleep(thinks)
				chosen = time.Now()
				return bot(1)(ctx, s, v)
			}
			var all sync.WaitGroup
			for _, id := range list {
				p := sit(t, id, swallowing{waits{late{room: r}}, &chosen}, r, thinking)
				p.Keepers = &holders{told: func() {
					if !chosen.IsZero() {
						given = time.Now()
						stop()
					}
				}}
				all.Go(func() { _ = p.Play(ctx) })
			}
			all.Wait()
			testmust.Equal(t, given.Sub(chosen), want, "a player thinks for", thinks, "and keepers are given the move after")
		})
	}
}

// swallowed is how long a client tries to post.
const swallowed = 240 * time.Second

// A log that lets a post hang, and a keeper that is away when it is given the message first, and then knows only that the seat is here.
func TestHangingPost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, list := silent(t, 2)
		begun := time.Now()
		p := sit(t, list[0], swallowing{waits{late{room: r}}, &begun}, r, bot(1))
		given := 0
		p.Keepers = &holders{told: func() { given++ }}
		ctx, stop := context.WithTimeout(t.Context(), swallowed)
		defer stop()
		if err := p.Play(ctx); !errors.Is(err, context.DeadlineExceeded) || given < int(swallowed/(5*time.Second))-1 {
			t.Errorf("keepers were given the message %d times in %v: %v", given, swallowed, err)
		}
	})
}

// nagging is a log that answers every question for news, while a player thinks, in its own way, after a second.
type nagging struct {
	waits
	asked *bool
	says  func(entries [][]byte) ([][]byte, error)
	marks *int // that were asked for: every second time it answers nothing
	cut   *int // so often the table is shown in part when it is read again
}

func (l nagging) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	l.room.mu.Lock()
	nags, cut := *l.asked && wait > 0 && n >= len(l.room.entries), *l.asked && *l.cut > 0
	l.room.mu.Unlock()
	if cut && n > 0 && wait == 0 {
		*l.cut--
		return nil, errIdle
	}
	if !nags {
		list, err := l.waits.Messages(ctx, id, n, wait)
		if cut && n == 0 {
			list = list[:2]
		}
		return list, err
	}
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.room.mu.Lock()
	defer l.room.mu.Unlock()
	before := len(l.room.entries)
	entries, err := l.says(l.room.entries)
	l.room.entries = entries
	return entries[before:], err
}

func (l nagging) Mark(ctx context.Context, _ wire.Hash) (m keeper.Mark, err error) {
	if *l.marks++; *l.marks%2 == 0 {
		return m, keeper.ErrNoMark
	}
	<-ctx.Done()
	return m, ctx.Err()
}

// A log that has a player asked anew each second, who never comes to an end of thinking, or whose answer it keeps waiting, while keepers are told
// that the seat could answer; one that is shown a fork, and signs on.
func TestQuestionOutlastsTheLog(t *testing.T) {
	forked := errors.New("forked")
	always := func(err error) func([][]byte) ([][]byte, error) {
		return func(entries [][]byte) ([][]byte, error) { return entries, err }
	}
	for what, c := range map[string]struct {
		says     func(void []byte) func([][]byte) ([][]byte, error)
		cut      int
		answered bool
		state    string
	}{
		"fails":                                 {func([]byte) func([][]byte) ([][]byte, error) { return always(errIdle) }, 0, true, exchange.Here},
		"a fork":                                {func([]byte) func([][]byte) ([][]byte, error) { return always(forked) }, 0, false, exchange.Here},
		"gaps":                                  {func([]byte) func([][]byte) ([][]byte, error) { return always(player.ErrLeftOut) }, 0, true, exchange.Here},
		"gaps, and fails when it is read again": {func([]byte) func([][]byte) ([][]byte, error) { return always(player.ErrLeftOut) }, 3, true, exchange.Here},
		"void entries": {func(void []byte) func([][]byte) ([][]byte, error) {
			return func(entries [][]byte) ([][]byte, error) { return append(entries, void), nil }
		}, 0, true, exchange.Here},
		"claims by marks that do not come at once": {nil, 0, true, exchange.Lost},
	} {
		synctest.Test(t, func(t *testing.T) {
			r, _, list := silent(t, 2)
			ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
			defer stop()
			asked, times, thought, answered, mover, head := false, 0, false, false, table.Seat(0), wire.Hash{}
			begun, took := time.Time{}, time.Duration(0)
			thinks := func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
				r.mu.Lock()
				asked, times, mover, head, begun = true, times+1, v.Seat, s.Head(), time.Now()
				r.mu.Unlock()
				select {
				case <-time.After(10 * time.Second):
					thought = true
				case <-ctx.Done():
				}
				return bot(1)(ctx, s, v)
			}
			src := nagging{waits: waits{late{room: r}}, asked: &asked}
			if c.says != nil {
				src.says = c.says(testmust.Have(player.SignAct(r.state, list[1].VerifierKey(), list[1].Signer(), wire.KindAgree, wire.AgreeBody{To: wire.AgreeEnd}))(t))
			} else {
				src.says = func(entries [][]byte) ([][]byte, error) {
					body := wire.TimeoutBody{Seat: int(mover), Silence: [][]byte{}, Seen: wire.Hash{3}, Spans: []wire.Span{{Since: r.state.Head(), From: wire.Hash{1}, To: wire.Hash{2}}}}
					return append(entries, testmust.Have(player.SignAct(r.state, list[1-mover].VerifierKey(), list[1-mover].Signer(), wire.KindTimeout, body))(t)), nil
				}
			}
			r.crash = func() (bool, bool) {
				if thought && !answered {
					answered, took = true, time.Since(begun)
					stop()
				}
				return thought, false
			}
			var all sync.WaitGroup
			keepers := [2]*holders{}
			for i, id := range list {
				src.marks, src.cut = new(int), new(int)
				*src.cut = c.cut
				p := sit(t, id, src, r, thinks)
				keepers[i] = &holders{told: func() {}}
				p.Keepers, p.Passes = keepers[i], func(err error) bool { return !errors.Is(err, forked) }
				all.Go(func() { // as a program does
					for err := error(nil); ctx.Err() == nil && !errors.Is(err, forked); time.Sleep(time.Second) {
						err = p.Play(ctx)
					}
				})
			}
			all.Wait()
			testmust.Hold(t, answered == c.answered && times == 1, what, "asked", times, "times, answered", answered)
			testmust.Hold(t, took < 15*time.Second, what, "an answer after 10 s is given after", took)
			says := slices.ContainsFunc(keepers[mover].present, func(at exchange.Presence) bool { return at.State == c.state && at.Head == head })
			testmust.Hold(t, says, what, "it does not say that it is", c.state)
		})
	}
}

// A table that somebody has paused, where play goes on (50.7.2), and whose players are asked for ever.
func TestPausedTableIsPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, organiser, list := silent(t, 2)
		take(t, r, testmust.Have(player.SignAct(r.state, r.state.Genesis().Organiser, organiser, wire.KindPause, wire.EmptyBody{}))(t))
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		asked := 0
		var all sync.WaitGroup
		for _, id := range list {
			choose := bot(1)
			p := sit(t, id, waits{late{room: r}}, r, func(ctx context.Context, s *table.State, v table.View) (json.RawMessage, error) {
				r.mu.Lock()
				if asked++; asked > 1_000 {
					stop()
				}
				r.mu.Unlock()
				return choose(ctx, s, v)
			})
			p.Keepers = &holders{told: func() {}}
			all.Go(func() { _ = p.Play(ctx) })
		}
		all.Wait()
		testmust.Hold(t, r.state.IsOver(), "asked", asked, "times, and the table is not over")
	})
}

// A player who thinks while it comes out that something was left out, and in the true history the seat is another's: the program goes on for ever.
func TestQuestionEndsWithTheSeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, organiser, list := silent(t, 2)
		_, others := identities(t, 2)
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		asked := false
		src := nagging{waits: waits{late{room: r}}, asked: &asked, cut: new(int), says: func(entries [][]byte) ([][]byte, error) {
			for seat, id := range others {
				first := testmust.Have(table.Open(parse(t, entries[0]), r.games))(t)
				accept := testmust.Have(wire.SignAccept(id.Signer(), r.id, first.Head(), seat))(t)
				body := wire.ReseatBody{Seat: seat, Key: id.VerifierKey(), Accept: accept}
				if r.state.Duties()[0].Owes(table.Seat(seat)) {
					entries = slices.Insert(entries, 1, testmust.Have(player.SignAct(first, first.Genesis().Organiser, organiser, wire.KindReseat, body))(t))
				}
			}
			return entries, player.ErrLeftOut
		}}
		sleeps := func(ctx context.Context, _ *table.State, _ table.View) (json.RawMessage, error) {
			r.mu.Lock()
			asked = true
			r.mu.Unlock()
			<-ctx.Done()
			return nil, ctx.Err()
		}
		var all sync.WaitGroup
		ended := 0
		for _, id := range list {
			p := sit(t, id, src, r, sleeps)
			p.Keepers, p.Passes = &holders{told: func() {}}, func(error) bool { return true }
			all.Go(func() {
				if errors.Is(p.Play(ctx), player.ErrReseated) {
					ended++
					stop()
				}
			})
		}
		all.Wait()
		testmust.Equal(t, ended, 1, "seats that have ended")
	})
}

// A log that does not answer a seat that goes on although it has also played elsewhere, before it plays: nobody says where the seat is.
func TestSeatThatIsToldToPlayHereIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, list := silent(t, 2)
		p := sit(t, list[0], hushed{waits{late{room: r}}}, r, bot(1))
		h := &holders{told: func() {}}
		p.Keepers = h
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		testmust.FailBy(t, p.PlayHere(ctx), context.DeadlineExceeded)
		testmust.Hold(t, len(h.present) > 30 && h.present[len(h.present)-1].State == exchange.Lost, "told", len(h.present), "times in a minute")
	})
}

// hushed is a log that answers nothing after the first entry.
type hushed struct{ waits }

func (l hushed) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	if n == 0 {
		return l.waits.Messages(ctx, id, n, wait)
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// A log that withholds a message, and keepers that do not get it either, since it is too large for them or for the way to them: they know that the
// seat could answer, and hold nothing.
func TestSeatThatPostsIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, list := silent(t, 2)
		begun := time.Now()
		p := sit(t, list[0], swallowing{waits{late{room: r}}, &begun}, r, bot(1))
		h := &holders{told: func() {}}
		p.Keepers = h
		ctx, stop := context.WithTimeout(t.Context(), time.Minute)
		defer stop()
		testmust.FailBy(t, p.Play(ctx), context.DeadlineExceeded)
		for _, at := range h.present {
			testmust.Hold(t, at.State == exchange.Lost, "it says that it is", at.State)
		}
	})
}

// A log that never says how the clocks stand: the seat asks it for news all the same, or keepers, which show the head, are not heard.
func TestClocksThatAreNeverTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, list := silent(t, 2)
		asked := 0
		p := sit(t, list[0], clockless{waits{late{room: r}}, &asked}, r, bot(1))
		p.Keepers = &holders{told: func() {}}
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
		defer stop()
		testmust.FailBy(t, p.Play(ctx), context.DeadlineExceeded)
		testmust.Hold(t, asked > 5, "asked for news", asked, "times in two minutes")
	})
}

// clockless is a log that hangs when it is asked for the clocks.
type clockless struct {
	waits
	asked *int
}

func (l clockless) Clocks(ctx context.Context, _ wire.Hash) ([]timing.Clock, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func (l clockless) Messages(ctx context.Context, id wire.Hash, n int, wait time.Duration) ([][]byte, error) {
	*l.asked++
	return l.waits.Messages(ctx, id, n, wait)
}
