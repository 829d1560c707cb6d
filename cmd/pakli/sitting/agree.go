package sitting

import (
	"context"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// PlayAsBot plays a bot's seat. Between two steps of play the bot agrees to end its table once all
// persons there do: nobody else can ask it.
func PlayAsBot(ctx context.Context, p *player.Seat) error {
	told := p.Acted
	defer func() { p.Acted = told }()
	for {
		steps, stop := context.WithCancel(ctx)
		p.Acted = func(before, after *table.State, a *wire.Act) {
			if told != nil {
				told(before, after, a)
			}
			if doPersonsEnd(after, p.Hand().Seat) {
				stop()
			}
		}
		if doPersonsEnd(p.State(), p.Hand().Seat) {
			stop()
		}
		err := p.Play(steps)
		asked := steps.Err() != nil && ctx.Err() == nil
		stop()
		if !asked {
			return err
		}
		agrees := player.Act{Kind: wire.KindAgree, Body: func() (any, error) { return wire.AgreeBody{To: wire.AgreeEnd}, nil }}
		// A posted act is seen when the table is read again: by play, or when an act that is done
		// already is refused.
		if err := p.PostAct(ctx, agrees); err != nil && doPersonsEnd(p.State(), p.Hand().Seat) {
			return err
		}
	}
}

// doPersonsEnd reports whether all persons who are asked want the table to end and this bot's seat
// has not agreed yet. Other bots are known by their keys.
func doPersonsEnd(s *table.State, own table.Seat) bool {
	ends := s.Genesis().Ends
	if s.IsOver() || s.Foul() != nil || !ends.Agree || s.WantedBy(own) == wire.AgreeEnd {
		return false
	}
	gone, stopped := s.GoneSeat()
	persons := 0
	for seat := range table.Seat(s.Seats()) {
		switch {
		case stopped && seat == gone && ends.SelfRuled: // a seat that is not asked
			if seat == own {
				return false
			}
		case seat == own || plain.IsBot(s.HolderKey(seat)):
		case s.WantedBy(seat) != wire.AgreeEnd:
			return false
		default:
			persons++
		}
	}
	return persons > 0
}
