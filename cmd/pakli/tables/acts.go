package tables

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"strings"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/cmd/pakli/sitting"
	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/internal/command"
	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/seatfile"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier"
)

// actCommands returns the commands that leave a table, end it or rule at it.
func actCommands() []command.Command {
	var list []command.Command
	for _, c := range []struct{ name, short, typed string }{
		{"resign", "give up a deal, or leave a table", "--seat anna.seat --deal"},
		{"agree", "agree to end a table, to undo a deal, or to a pause", "--seat anna.seat --to undo"},
		{"back", "come back to a table that you have left", "--seat anna.seat"},
		{"expose", "turn your cards up at a table that is stopped", "--seat anna.seat"},
		{"timeout", "claim that a seat is late by the table's clock", "--seat anna.seat"},
		{"pause", "pause a table, as its organiser or arbiter", "--seat organiser.seat"},
		{"resume", "let a paused table go on", "--seat organiser.seat"},
		{"close", "close a table, as its organiser or arbiter", "--seat organiser.seat --reason TEXT"},
		{"accept", "accept a seat that another player has left", "--seat zoli.seat --place B"},
		{"reseat", "let a player who has accepted take a seat", "--seat organiser.seat --place B --accept LINE"},
	} {
		silent := ""
		if c.name != "accept" {
			silent = "it prints nothing: its exit code says whether the log has taken what was signed"
		}
		list = append(list, command.Command{NoJSON: silent, Name: c.name, Short: c.short, Arguments: "ID", Examples: []string{"pakli table " + c.name + " 3fa9 " + c.typed}, Declare: func(f *command.Flags) command.Body {
			return actCommand(f, c.name)
		}})
	}
	return list
}

// actCommand does one of these acts.
func actCommand(f *command.Flags, name string) command.Body {
	s := flags.ServerOf(f)
	look := sitting.LookoutOf(f)
	file := flags.SeatOf(f, "seat", "", "your seat `file`: the player's, the organiser's or the arbiter's")
	said := actFlags{name: name}
	said.addFlags(f)
	return func(ctx context.Context, e command.Env) error {
		if err := errors.Join(look.CompleteKeys(s), said.checkFlags()); err != nil {
			return command.ExitWith(command.ExitUsage, err)
		}
		id, err := file.OpenShared()
		if err != nil {
			return err
		}
		look.Beside = file.File
		return errors.Join(said.postAct(ctx, e, s, look, file, id, f.Arg(0)), id.Close())
	}
}

type actFlags struct {
	name              string
	deal              bool
	to, place, accept string
	close             flags.ForGood
	claim             func() (wire.TimeoutBody, error)
	dry               *bool
}

func (a *actFlags) addFlags(f *command.Flags) {
	a.dry = flags.DryRun(f)
	switch a.name {
	case "resign":
		f.BoolVar(&a.deal, "deal", false, "give up this deal alone, and play the next one (default: leave the table)")
	case "agree":
		f.StringVar(&a.to, "to", wire.AgreeEnd, "what you agree to: end, undo, pause or resume, which happens when all seats agree; nothing takes your agreement back")
	case "close":
		a.close.AddFlags(f)
	case "accept", "reseat":
		f.StringVar(&a.place, "place", "", "`letter` of the seat, as B")
	case "timeout":
		f.StringVar(&a.place, "place", "", "`letter` of the seat that is late, as B (default: whichever seat is late)")
	}
	if a.name == "reseat" {
		f.StringVar(&a.accept, "accept", "", "`line` that pakli table accept has printed for the new player, in quotation marks")
	}
}

// checkFlags refuses impossible flags.
func (a *actFlags) checkFlags() error {
	if a.to == "nothing" {
		a.to = wire.AgreeNothing
	}
	if (a.name == "accept" || a.name == "reseat") && (len(a.place) != 1 || a.place[0] < 'A' || a.place[0] >= 'A'+wire.MaxSeats) {
		return command.WrongUsage("--place %q: name the seat by its letter, as B", a.place)
	}
	if a.kind() == wire.KindClose {
		return a.close.CheckReason()
	}
	return nil
}

// kind returns the kind of the act.
func (a *actFlags) kind() wire.Kind { return wire.Kind(a.name) }

// actBody returns the body of the act.
func (a *actFlags) actBody() (any, error) {
	switch a.kind() {
	case wire.KindResign:
		if a.deal {
			return wire.ResignBody{Scope: wire.ResignDeal}, nil
		}
		return wire.ResignBody{Scope: wire.ResignTable}, nil
	case wire.KindAgree:
		return wire.AgreeBody{To: a.to}, nil
	case wire.KindClose:
		return wire.CloseBody{Reason: wire.Text(a.close.Reason)}, nil
	case wire.KindReseat:
		key, signature, _ := strings.Cut(a.accept, " ")
		accept, err := wire.ParseBinary(signature, ed25519.SignatureSize)
		if err != nil {
			return nil, command.WrongUsage("--accept: give the whole line that pakli table accept has printed, in quotation marks: %w", err)
		}
		return wire.ReseatBody{Seat: int(a.place[0] - 'A'), Key: key, Accept: accept}, nil
	}
	if a.kind() == wire.KindTimeout {
		return a.claim()
	}
	return wire.EmptyBody{}, nil
}

// postAct posts the act. A seat does it by its journal, or by the program that plays with it; anybody
// else signs on the current head.
func (a *actFlags) postAct(ctx context.Context, e command.Env, s *flags.Server, look *sitting.Lookout, file *flags.Seat, id *player.Identity, text string) error {
	c, src, tableID, err := look.OpenTable(ctx, e, s, id, text)
	if err != nil {
		return err
	}
	now, err := sitting.ReplayTable(ctx, c, tableID)
	if err != nil {
		return err
	}
	if *a.dry && (a.name == "accept" || now.Genesis().HasActs()) {
		return a.tell(e, now, id)
	}
	if a.name == "accept" {
		signature, err := wire.SignAccept(id.Signer(), tableID, now.Head(), int(a.place[0]-'A'))
		if err == nil {
			line := id.VerifierKey() + " " + wire.Base64(signature)
			err = e.Say(map[string]string{"accept": line}, "%s\n", line)
		}
		return err
	}
	if !now.Genesis().HasActs() {
		return fmt.Errorf("table %s cannot be ended or left by anybody: it was created without one of --agree, --resign, --fouls warn", tableID)
	}
	if a.kind() == wire.KindClose {
		what := fmt.Sprintf("Table %s is closed: its finished deals count, and one that is open is undone.", tableID.Code()[:wire.MinCode])
		if err := a.close.Confirm(ctx, e, what); err != nil {
			return err
		}
	}
	a.claim = func() (wire.TimeoutBody, error) {
		body, err := lateClaim(ctx, c, tableID, a.place)
		if err == nil {
			err = look.AddSilence(ctx, e, src, now, &body)
		}
		return body, err
	}
	if holdsSeat(now, id.VerifierKey()) {
		act := player.Act{Kind: a.kind(), Body: a.actBody}
		held, err := file.Open()
		if errors.Is(err, seatfile.ErrInUse) {
			return sitting.Ask(ctx, act, id, file.File, tableID)
		}
		if err != nil {
			return err
		}
		return errors.Join(actSeated(ctx, act, held, src, tableID), held.Close())
	}
	for {
		body, err := a.actBody()
		if err != nil {
			return err
		}
		entry, err := player.SignAct(now, id.VerifierKey(), id.Signer(), a.kind(), body)
		if err != nil {
			return err
		}
		_, err = c.Post(ctx, tableID, entry)
		if refused, ok := errors.AsType[*client.Problem](err); !ok || refused.Type != client.ProblemBase+client.StaleParent || a.kind() == wire.KindReseat {
			return err
		}
		if now, err = sitting.ReplayTable(ctx, c, tableID); err != nil {
			return err
		}
	}
}

// tell reports what would be signed, if it were possible now.
func (a *actFlags) tell(e command.Env, now *table.State, id *player.Identity) error {
	var body any
	var err error
	if now.IsOver() {
		return errors.New("the table is over")
	}
	if a.name != "accept" && a.kind() != wire.KindTimeout && a.kind() != wire.KindExpose { // these report more than a person has typed
		if body, err = a.actBody(); err == nil {
			err = tryAct(now, id, a.kind(), body)
		}
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(e.Err, "would sign at table %s, on entry %.8s: %s", now.ID().Code()[:wire.MinCode], now.Head(), a.name)
	if text, err := wire.EncodeBody(body); err == nil && body != nil {
		fmt.Fprintf(e.Err, " %s", plain.Text(string(text)))
	}
	fmt.Fprintln(e.Err, "; nothing was posted")
	return nil
}

// tryAct applies the act to a table that nobody else sees.
func tryAct(now *table.State, id *player.Identity, kind wire.Kind, body any) error {
	signed, err := player.SignAct(now, id.VerifierKey(), id.Signer(), kind, body)
	if err != nil {
		return err
	}
	entry, err := wire.ParseEntry(signed)
	if err == nil {
		_, err = now.Apply(entry, table.Facts{})
	}
	return err
}

func holdsSeat(s *table.State, key string) bool {
	for seat := range table.Seat(s.Seats()) {
		if s.HolderKey(seat) == key {
			return true
		}
	}
	return false
}

// actSeated posts the act as a seat of the table, which signs only one thing on one head.
func actSeated(ctx context.Context, act player.Act, id *player.Identity, src player.Source, tableID wire.Hash) error {
	p, err := sitting.TakeSeat(ctx, id, src, tableID, nil)
	if err != nil {
		return err
	}
	return p.PostAct(ctx, act)
}

// lateClaim returns the claim that a seat is late: the seat named by its letter, or else the only
// late one.
func lateClaim(ctx context.Context, c *client.Client, id wire.Hash, place string) (wire.TimeoutBody, error) {
	d, err := c.Clock(ctx, id)
	if err != nil {
		return wire.TimeoutBody{}, err
	}
	var in []string
	for _, s := range d.Seats {
		if place != "" && place != sitting.SeatLetter(s.Seat) {
			continue
		}
		if s.Left != nil && *s.Left < 0 {
			return s.Claim, nil
		}
		in = append(in, sitting.SeatLetter(s.Seat)+", "+timeLeft(s))
	}
	if len(in) == 0 {
		return wire.TimeoutBody{}, errors.New("nobody owes a message for which time runs, or the table has no clock")
	}
	return wire.TimeoutBody{}, fmt.Errorf("nobody is late yet, as far as the log proves: seat %s", strings.Join(in, "; seat "))
}

// timeLeft returns how long a seat still has.
func timeLeft(s client.SeatClock) string {
	if s.Left == nil {
		return "which has all the time there is"
	}
	return fmt.Sprintf("which has used %d s for what it owes, and %d s more have to be proved", s.Used, *s.Left+1)
}

// forgetCommand erases what would open a seat's hands at a table, in case somebody steals the seat
// file later. The file is replaced; what a disk keeps of the old one is out of reach. A table that is
// not over would wait for the seat, which can never play on there.
func forgetCommand(f *command.Flags) command.Body {
	s := flags.ServerOf(f)
	seat := flags.SeatOf(f, "seat", "", "the seat `file`")
	force := f.Bool("force", false, "erase it without asking the log whether the table is over; if it is not, the seat can never play on there")
	return func(ctx context.Context, e command.Env) error {
		identity, err := seat.Open()
		if err != nil {
			return err
		}
		var id wire.Hash
		if *force {
			id, err = flags.TableID(f.Arg(0), func(string) ([]wire.Hash, error) {
				return nil, command.WrongUsage("--force asks no server: it wants the whole id of the table")
			})
		} else {
			id, err = mustBeOver(ctx, e, s, f.Arg(0))
		}
		if err == nil {
			err = identity.Forget(id)
		}
		if err == nil {
			err = e.Say(map[string]string{"table": id.String(), "seat": seat.File}, "erased from %s. Copies and backups of it still have the secret, and the disk may keep old blocks of the file.\n", seat.File)
		}
		return errors.Join(err, identity.Close())
	}
}

// mustBeOver verifies a table and returns an error if anybody has to go on.
func mustBeOver(ctx context.Context, e command.Env, s *flags.Server, text string) (wire.Hash, error) {
	c, id, err := s.FindTable(ctx, e, text)
	if err != nil {
		return id, err
	}
	report, err := verifier.Verify(ctx, c, verifier.Options{Table: id, Log: s.Verifiers(), Catalogue: flags.Catalogue()})
	if err != nil {
		return id, err
	}
	switch report.Verdict {
	case verifier.Sound, verifier.ForSeats, verifier.Adjudicated, verifier.Foul:
		return id, nil
	case verifier.Unfinished:
		return id, fmt.Errorf("table %s is not over, and its seat cannot go on without the secret; --force erases it all the same", id)
	}
	return id, errors.New(report.Headline())
}
