package tables

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/httpapi/client/tablelog"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/wire"
)

// offerCommand offers a table, waits until all places are taken, begins it and prints its id.
func offerCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	t := flags.TermsOf(f)
	organiser := flags.SeatOf(f, "organiser", "organiser.seat", "the organiser's seat `file`; made if it does not exist")
	plays := f.Bool("sit", false, "the organiser plays, with this seat")
	places := f.Int("places", 4, "number of players")
	title := f.String("title", "", "`name` of the table in lists")
	var added []string
	f.Func("seat", "verifier `key`, or its .pub file, of a player who has a place without joining; may be repeated", func(arg string) error {
		key, err := flags.SeatKey(arg)
		added = append(added, key)
		return err
	})
	return func(ctx context.Context, e command.Env) error {
		game, err := flags.GameName(t.Game)
		if err != nil {
			return err
		}
		chosen, err := t.ChosenOptions()
		if err != nil {
			return err
		}
		id, err := organiser.OpenOrCreate(e)
		if err != nil {
			return err
		}
		defer id.Close()
		c, err := s.Dial(ctx, e)
		if err != nil {
			return err
		}
		if some, err := postBegun(e, ctx, c, organiser.File, id.VerifierKey(), s.LogKey()); some || err != nil {
			return err
		}
		terms := wire.Genesis{Game: game, Suite: t.Suite, Options: chosen, Deals: t.Deals, Organiser: id.VerifierKey(), Fouls: wire.FoulRule(t.Fouls)}
		called, err := t.AddOffered(f, &terms)
		if err != nil {
			return err
		}
		o, err := tablelog.NewOffer(offer.Offer{Table: terms, Places: *places, Title: *title, Log: s.LogKey()}, flags.Catalogue(), id.Signer())
		if err != nil {
			return command.Misuse(err)
		}
		p := &tablelog.SeatPlace{Client: c, Offer: o, Organiser: id.Signer()}
		open, err := p.PostOffer(ctx)
		if err != nil {
			return err
		}
		letters := o.CodeLetters(open.Code)
		fmt.Fprintf(e.Err, "code %s, organiser %s\ninvite with %s\n", offer.Code(o.Hash)[:letters], offer.KeyWords(id.VerifierKey()), offer.Invite(plain.Address(s.URL), o, letters))
		var own *offer.Join
		if *plays {
			if own, err = offer.SignJoin(o, id.VerifierKey(), called, id.Signer()); err != nil {
				return command.Misuse(err)
			}
			if err := p.PostJoin(ctx, own); err != nil {
				return err
			}
			go tablelog.Attend(ctx, c, o.Hash, id.VerifierKey(), id.Signer(), func([]string) {})
		}
		var b begunTable
		var table wire.Hash
		err = p.Watch(ctx, func(st tablelog.SeatingState) (bool, error) {
			tellPlayers(e, st, *places, added)
			seats := p.Seats(st, added)
			if st.Server != nil || b.Genesis == "" && seats == nil {
				return true, nil
			}
			if b.Genesis == "" {
				entry, err := p.Begin(seats, flags.Catalogue(), id.Signer())
				if err != nil {
					return false, err
				}
				b = begunTable{string(o.Text), string(entry)}
				if err := b.keepBeside(organiser.File, o); err != nil {
					return false, err
				}
			}
			table, err = b.postAndForget(ctx, c, organiser.File, id.VerifierKey(), o)
			if client.IsPassing(err) {
				return true, nil
			}
			return false, err
		})
		if err != nil {
			return err
		}
		return e.Say(newTableOf(table), "%s\n", table)
	}
}

func tellPlayers(e command.Env, s tablelog.SeatingState, places int, added []string) {
	if s.Server != nil {
		fmt.Fprintf(e.Err, "%s; asking again\n", plain.Lines(s.Server.Error()))
		return
	}
	var names []string
	for _, j := range s.Joins {
		names = append(names, string(j.Name))
	}
	for _, key := range added {
		name, _, _ := strings.Cut(key, "+")
		names = append(names, name)
	}
	fmt.Fprintf(e.Err, "%d of %d: %s\n", len(names), places, plain.Lines(strings.Join(names, ", ")))
}

// joinCommand joins an open table and waits for it. It prints the id of the table if that is what was
// offered.
func joinCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	seat := flags.SeatOf(f, "seat", "", "the seat `file`")
	called := f.String("called", "", "`name` that people know you by, in any script (default: the name in your key)")
	return func(ctx context.Context, e command.Env) error {
		i, err := offer.ReadInvitation(f.Arg(0))
		if err != nil {
			return command.Misuse(err)
		}
		if i.Server != "" {
			if elsewhere := !s.IsAt(i.Server); elsewhere && f.IsTyped("server") {
				return command.WrongUsage("the link leads to %s, and --server says %s: leave out --server", i.Server, s.URL)
			} else if elsewhere && f.IsGiven("server") && !f.IsTyped("log") {
				s.Keys = nil // the variables name another server and its log
			}
			s.URL = i.Server
		}
		id, err := seat.Open()
		if err != nil {
			return err
		}
		defer id.Close()
		c, err := s.Dial(ctx, e)
		if err != nil {
			return err
		}
		o, err := tablelog.FindOffer(ctx, c, i, s.LogKey())
		if err != nil {
			return err
		}
		describeOffer(e, o, i.Pinned)
		seated, err := joinAndWait(ctx, e, c, o, id, seat.File, *called)
		if err != nil {
			return err
		}
		for n, who := range seated.Names {
			how := "added by the organiser"
			if who.Joined {
				how = "you saw this player join"
			}
			fmt.Fprintf(e.Err, "seat %c: %s (%s)\n", 'A'+n, plain.Lines(who.Name), how)
		}
		fmt.Fprintf(e.Err, "sit down with: %s\n", command.Line("pakli", "play", "--server", s.URL, "--log", s.LogKey(), "--table", seated.Table.String(), "--seat", seat.File))
		return e.Say(seated, "%s\n", seated.Table)
	}
}

func describeOffer(e command.Env, o *offer.Offer, pinned bool) {
	name, _, _ := strings.Cut(o.Table.Organiser, "+")
	terms := fmt.Sprintf("%q: %s, %d players, deals: %d, options %v", o.Title, o.Table.Game, o.Places, o.Table.Deals, o.Table.Options)
	fmt.Fprintf(e.Err, "%s\n%s\norganiser %s: %s\n", plain.Text(terms), endingTerms(o.Table), name, offer.KeyWords(o.Table.Organiser))
	if !pinned {
		fmt.Fprintln(e.Err, "A code alone does not say for certain which table is meant: ask the organiser for the words above, and compare them.")
	}
}

// endingTerms returns how a table can end, and the cost of time and broken rules there.
func endingTerms(g wire.Genesis) string {
	if !g.HasActs() {
		return fmt.Sprintf("no clock; nobody can leave or end the table; messages that break a rule: %s", g.Fouls)
	}
	clock, leaves := "no clock", "nobody pays"
	if c := g.Clock; !c.IsNone() {
		var keepers []string
		for _, k := range c.Keepers {
			name, _, _ := strings.Cut(k, "+")
			keepers = append(keepers, name)
		}
		clock = fmt.Sprintf("clock, in seconds: %d to begin, %d for a move, %d for a deal and %d for each message, by %d of the keepers %s", c.Start, c.Move, c.Bank, c.Increment, c.Quorum, plain.Text(strings.Join(keepers, ", ")))
	}
	if g.Ends.Forfeit > 0 {
		leaves = fmt.Sprintf("pays %d to every other seat", g.Ends.Forfeit)
	}
	return fmt.Sprintf("nobody rules: all seats together, or those that have not left, can end the table; who leaves a deal %s, and the deal is undone; %s; messages that break a rule: %s", leaves, clock, g.Fouls)
}

// joinAndWait joins an offer and waits for its table. If it gives up, it leaves.
func joinAndWait(ctx context.Context, e command.Env, c *client.Client, o *offer.Offer, id *player.Identity, seat, called string) (seated *tablelog.SeatedTable, err error) {
	before, err := satAt(seat, o)
	if err != nil {
		return nil, err
	}
	j, err := offer.SignJoin(o, id.VerifierKey(), called, id.Signer())
	if err != nil {
		return nil, command.Misuse(err)
	}
	p := &tablelog.SeatPlace{Client: c, Offer: o}
	if before != nil {
		return p.Accept(ctx, *before, id.VerifierKey(), before, tablelog.SeatingState{})
	}
	if err := p.PostJoin(ctx, j); err != nil {
		return nil, err
	}
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	go tablelog.Attend(waiting, c, o.Hash, id.VerifierKey(), id.Signer(), func([]string) {})
	err = p.Watch(ctx, func(s tablelog.SeatingState) (bool, error) {
		tellPlayers(e, s, o.Places, nil)
		if s.Table == nil {
			return true, nil
		}
		found, err := p.Accept(ctx, *s.Table, id.VerifierKey(), nil, s)
		if err != nil {
			fmt.Fprintf(e.Err, "%s; nothing was signed there\n", plain.Lines(err.Error()))
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

// sitsAt records beside the seat file at which table of an offer a seat sits, so that it sits at no
// other one.
func sitsAt(seat string, o *offer.Offer, table wire.Hash) error {
	return os.WriteFile(satFile(seat, o), []byte(table.String()+"\n"), 0o600)
}

// satFile returns the name of that file: one for all offers to the same players to play again.
func satFile(seat string, o *offer.Offer) string {
	return seat + "." + cmp.Or(o.After, o.Hash.String()) + ".offer"
}

// satAt returns the table at which the seat sits, or nil.
func satAt(seat string, o *offer.Offer) (*wire.Hash, error) {
	text, err := os.ReadFile(satFile(seat, o))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	table, err := wire.ParseHash(strings.TrimSpace(string(text)))
	return &table, err
}

// begunTable is a table that its organiser has signed. It is kept beside the seat file from before it
// is posted until it is in the log: otherwise a second table of the offer could be signed.
type begunTable struct {
	Offer   string `json:"offer"`
	Genesis string `json:"genesis"`
}

const begunSuffix = ".genesis"

func begunFile(seat string, o *offer.Offer) string {
	return seat + "." + o.Hash.String() + begunSuffix
}

func (b begunTable) keepBeside(seat string, o *offer.Offer) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return durable.Replace(begunFile(seat, o), text, 0o600)
}

// postAndForget posts the table of an offer and removes its file. A seat of the organiser that plays
// there sits at no other table of the offer.
func (b begunTable) postAndForget(ctx context.Context, c *client.Client, seat, key string, o *offer.Offer) (id wire.Hash, err error) {
	e, err := wire.Parse([]byte(b.Genesis))
	if err != nil {
		return id, err
	}
	if _, err := c.CreateTable(ctx, []byte(b.Genesis)); err != nil {
		return id, err
	}
	if slices.Contains(e.Table.Seats, key) {
		if err := sitsAt(seat, o, e.Hash); err != nil {
			return id, err
		}
	}
	return e.Hash, os.Remove(begunFile(seat, o))
}

// postBegun posts the tables of this log that the organiser has signed and that may not be in it yet,
// prints their ids, and reports whether there were any.
func postBegun(e command.Env, ctx context.Context, c *client.Client, seat, key, log string) (some bool, err error) {
	files, err := os.ReadDir(filepath.Dir(seat))
	if err != nil {
		return false, err
	}
	for _, f := range files {
		if !strings.HasPrefix(f.Name(), filepath.Base(seat)+".") || filepath.Ext(f.Name()) != begunSuffix {
			continue
		}
		file := filepath.Join(filepath.Dir(seat), f.Name())
		var b begunTable
		text, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(text, &b)
		}
		var o *offer.Offer
		if err == nil {
			o, err = offer.Parse([]byte(b.Offer))
		}
		if err != nil {
			return some, fmt.Errorf("%s, which keeps a table that was begun: %w", file, err)
		}
		if filepath.Clean(file) != filepath.Clean(begunFile(seat, o)) || o.Log != log {
			continue // belongs to another seat or log
		}
		c.PostOffer(ctx, o.Text) // waiting players learn of the table by the offer; the table counts without it as well
		id, err := b.postAndForget(ctx, c, seat, key, o)
		if err != nil {
			return some, fmt.Errorf("the table that is kept in %s: %w", file, err)
		}
		some = true
		fmt.Fprintf(e.Err, "this table was begun before, and is posted again; no new one is offered\n")
		if err := e.Say(newTableOf(id), "%s\n", id); err != nil {
			return some, err
		}
	}
	return some, nil
}
