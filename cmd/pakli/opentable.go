package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/pakli/pakli/cmd/pakli/seating"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// runOffer offers a table, waits until all places are taken, begins it and prints its id.
func runOffer(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table offer", "")
	var s serverFlags
	var t terms
	var secret passphrase
	s.addFlags(f)
	t.addFlags(f)
	secret.addFlags(f)
	organiser := f.String("organiser", "organiser.seat", "the organiser's seat file; made if it does not exist")
	plays := f.Bool("sit", false, "the organiser plays, with this seat")
	places := f.Int("places", 4, "number of players")
	title := f.String("title", "", "what the table is called in lists")
	var added []string
	f.Func("seat", "verifier key of a player who has a place without joining, or its .pub file; may be repeated", func(arg string) error {
		key, err := seatKey(arg)
		added = append(added, key)
		return err
	})
	if err := parseFlags(f, args, 0); err != nil {
		return exitUsage, err
	}
	game, err := gameName(t.game)
	if err != nil {
		return exitUsage, err
	}
	chosen, err := t.chosenOptions()
	if err != nil {
		return exitUsage, err
	}
	id, err := openOrCreate(*organiser, secret)
	if err != nil {
		return exitFail, err
	}
	defer id.Close()
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return exitFail, err
	}
	if some, err := e.postBegun(ctx, c, *organiser, id.VerifierKey(), s.logKey()); some || err != nil {
		return exitDone, err
	}
	o, err := seating.New(offer.Offer{
		Table:  wire.Genesis{Game: game, Suite: t.suite, Options: chosen, Deals: t.deals, Organiser: id.VerifierKey(), Fouls: wire.FoulRule(t.fouls)},
		Places: *places, Title: *title, Log: s.logKey(),
	}, catalogue(), id.Signer())
	if err != nil {
		return exitUsage, usageError{err}
	}
	p := &seating.Place{Client: c, Offer: o, Organiser: id.Signer()}
	open, err := p.PostOffer(ctx)
	if err != nil {
		return exitFail, err
	}
	letters := o.CodeLetters(open.Code)
	fmt.Fprintf(e.err, "code %s, organiser %s\ninvite with %s\n", offer.Code(o.Hash)[:letters], offer.KeyWords(id.VerifierKey()), offer.Invite(s.url, o, letters))
	var own *offer.Join
	if *plays {
		if own, err = offer.SignJoin(o, id.VerifierKey(), id.Signer()); err != nil {
			return exitFail, err
		}
		if err := p.PostJoin(ctx, own); err != nil {
			return exitFail, err
		}
	}
	var b begunTable
	var table wire.Hash
	err = p.Watch(ctx, func(st seating.State) (bool, error) {
		e.tellPlayers(st, *places, added)
		seats := p.Seats(st, added)
		if st.Server != nil || b.Genesis == "" && seats == nil {
			return true, nil
		}
		if b.Genesis == "" {
			entry, err := p.Begin(seats, catalogue(), id.Signer())
			if err != nil {
				return false, err
			}
			b = begunTable{string(o.Text), string(entry)}
			if err := b.keepBeside(*organiser, o); err != nil {
				return false, err
			}
		}
		table, err = b.postAndForget(ctx, c, *organiser, id.VerifierKey(), o)
		if client.IsPassing(err) {
			return true, nil
		}
		return false, err
	})
	if err != nil {
		return exitFail, err
	}
	fmt.Fprintln(e.out, table)
	return exitDone, nil
}

// tellPlayers says who is there.
func (e env) tellPlayers(s seating.State, places int, added []string) {
	if s.Server != nil {
		fmt.Fprintf(e.err, "%s; asking again\n", plain.Lines(s.Server.Error()))
		return
	}
	var names []string
	for _, j := range s.Joins {
		names = append(names, j.Name)
	}
	for _, key := range added {
		name, _, _ := strings.Cut(key, "+")
		names = append(names, name)
	}
	fmt.Fprintf(e.err, "%d of %d: %s\n", len(names), places, plain.Lines(strings.Join(names, ", ")))
}

// logKey is the key of the log that is believed, as it is written in offers.
func (s *serverFlags) logKey() string { return s.keys[0].String() }

// runJoin joins an open table and waits for it; it prints the id of the table, if that is
// what was offered.
func runJoin(ctx context.Context, e env, args []string) (int, error) {
	f := e.flags("table join", "CODE|LINK")
	var s serverFlags
	var secret passphrase
	s.addFlags(f)
	secret.addFlags(f)
	seat := f.String("seat", "", "the seat file")
	if err := parseFlags(f, args, 1); err != nil {
		return exitUsage, err
	}
	i, err := offer.ReadInvitation(f.Arg(0))
	if err != nil {
		return exitUsage, usageError{err}
	}
	if i.Server != "" {
		if isFlagGiven(f, "server") && strings.TrimSuffix(s.url, "/") != i.Server {
			return exitUsage, wrongUsage("the link is of %s, and --server says %s", i.Server, s.url)
		}
		s.url = i.Server
	}
	id, err := openSeat("--seat", *seat, secret)
	if err != nil {
		return exitFail, err
	}
	defer id.Close()
	c, err := s.dialServer(ctx, e)
	if err != nil {
		return exitFail, err
	}
	o, err := seating.Find(ctx, c, i, s.logKey())
	if err != nil {
		return exitFail, err
	}
	e.describeOffer(o, i.Pinned)
	seated, err := joinAndWait(ctx, e, c, o, id, *seat)
	if err != nil {
		return exitFail, err
	}
	for n, who := range seated.Names {
		how := "added by the organiser"
		if who.Joined {
			how = "you saw this player join"
		}
		fmt.Fprintf(e.err, "seat %c: %s (%s)\n", 'A'+n, plain.Lines(who.Name), how)
	}
	fmt.Fprintf(e.err, "sit down with: pakli play --server %s --log %s --table %s --seat %s\n", s.url, s.logKey(), seated.Table, *seat)
	fmt.Fprintln(e.out, seated.Table)
	return exitDone, nil
}

// isFlagGiven reports whether a flag was given.
func isFlagGiven(f *flag.FlagSet, name string) (found bool) {
	f.Visit(func(g *flag.Flag) { found = found || g.Name == name })
	return found
}

func (e env) describeOffer(o *offer.Offer, pinned bool) {
	name, _, _ := strings.Cut(o.Table.Organiser, "+")
	terms := fmt.Sprintf("%q: %s, %d players, deals: %d, options %v", o.Title, o.Table.Game, o.Places, o.Table.Deals, o.Table.Options)
	fmt.Fprintf(e.err, "%s\norganiser %s: %s\n", plain.Text(terms), name, offer.KeyWords(o.Table.Organiser))
	if !pinned {
		fmt.Fprintln(e.err, "A code alone does not say for certain which table is meant: compare the organiser's words.")
	}
}

// joinAndWait joins an offer, and waits for its table. Who gives up leaves.
func joinAndWait(ctx context.Context, e env, c *client.Client, o *offer.Offer, id *player.Identity, seat string) (seated *seating.SeatedTable, err error) {
	before, err := satAt(seat, o)
	if err != nil {
		return nil, err
	}
	j, err := offer.SignJoin(o, id.VerifierKey(), id.Signer())
	if err != nil {
		return nil, err
	}
	p := &seating.Place{Client: c, Offer: o}
	if before != nil {
		return p.Accept(ctx, *before, id.VerifierKey(), before, seating.State{})
	}
	if err := p.PostJoin(ctx, j); err != nil {
		return nil, err
	}
	err = p.Watch(ctx, func(s seating.State) (bool, error) {
		e.tellPlayers(s, o.Places, nil)
		if s.Table == nil {
			return true, nil
		}
		found, err := p.Accept(ctx, *s.Table, id.VerifierKey(), nil, s)
		if err != nil {
			fmt.Fprintf(e.err, "%s; nothing was signed there\n", plain.Lines(err.Error()))
			return true, nil
		}
		seated = found
		return false, sitsAt(seat, o, seated.Table)
	})
	if err == nil || ctx.Err() == nil {
		return seated, err
	}
	away, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	l, wrong := offer.SignLeave(o.Hash, j.Hash, id.Signer())
	if wrong == nil {
		_, wrong = c.PostLeave(away, o.Hash, l.Text)
	}
	return nil, errors.Join(err, wrong)
}

// sitsAt keeps at which table of an offer a seat sits, beside the seat file, so that it sits
// at no other one.
func sitsAt(seat string, o *offer.Offer, table wire.Hash) error {
	return os.WriteFile(seat+"."+o.Hash.String()+".offer", []byte(table.String()+"\n"), 0o600)
}

// satAt returns that table; nil: it sits at none.
func satAt(seat string, o *offer.Offer) (*wire.Hash, error) {
	text, err := os.ReadFile(seat + "." + o.Hash.String() + ".offer")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	table, err := wire.ParseHash(strings.TrimSpace(string(text)))
	return &table, err
}
