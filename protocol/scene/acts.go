package scene

import (
	"strings"

	"github.com/pakli/pakli/internal/plain"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Actor returns who did an act: a seat with its name, or the name in the key of the organiser or an
// arbiter.
func Actor(before *table.State, a *wire.Act) (seat *table.Seat, name string) {
	for i := range table.Seat(before.Seats()) {
		if before.HolderKey(i) == a.By {
			return &i, before.SeatName(i)
		}
	}
	return nil, keyName(a.By)
}

func keyName(vkey string) string {
	name, _, _ := strings.Cut(vkey, "+")
	return name
}

// ActText returns what an applied act did, as words to follow the name of its actor.
func (v Voice) ActText(before, after *table.State, a *wire.Act) string {
	did := v.actText(before, a)
	ended := after.EndingActs()[len(before.EndingActs()):]
	if len(ended) == 0 {
		if a.Kind == wire.KindAgree && before.IsPaused() != after.IsPaused() {
			return v.Say("act.agreed", "did", did)
		}
		return did
	}
	e := ended[0]
	if e.IsAgreed() {
		did = v.Say("act.agreed", "did", did)
	} else if e.Kind == wire.KindAgree {
		did = v.Say("act.agreed.rest", "did", did, "name", plain.Isolate(before.SeatName(*e.Seat)))
	}
	if e.Deal > 0 {
		did = v.Say("act.undone", "did", did)
	}
	if e.Points != nil {
		did = v.Say("act.pays", "did", did, "name", plain.Isolate(before.SeatName(*e.Seat)), "n", before.Genesis().Ends.Forfeit)
	}
	return did
}

func (v Voice) actText(before *table.State, a *wire.Act) string {
	switch a.Kind {
	case wire.KindResign:
		var body wire.ResignBody
		_ = wire.DecodeAct(a.Body, &body) // it was applied
		return v.Say("act.resign." + body.Scope)
	case wire.KindAgree:
		var body wire.AgreeBody
		_ = wire.DecodeAct(a.Body, &body)
		return v.Say("act.agree." + body.To)
	case wire.KindBack:
		if seat, _ := before.GoneSeat(); before.HolderKey(seat) != a.By {
			return v.Say("act.back.let", "seat", plain.Isolate(before.SeatName(seat)))
		}
	case wire.KindReseat:
		var body wire.ReseatBody
		_ = wire.DecodeAct(a.Body, &body)
		return v.Say("act.reseat", "seat", plain.Isolate(before.SeatName(table.Seat(body.Seat))), "key", keyName(body.Key))
	case wire.KindTimeout:
		var body wire.TimeoutBody
		_ = wire.DecodeAct(a.Body, &body)
		return v.Say("act.timeout", "seat", plain.Isolate(before.SeatName(table.Seat(body.Seat))))
	case wire.KindClose:
		var body wire.CloseBody
		_ = wire.DecodeAct(a.Body, &body)
		if body.Reason != "" {
			return v.Say("act.close.reason", "reason", v.Quote(string(body.Reason)))
		}
	}
	return v.Say("act." + string(a.Kind))
}
