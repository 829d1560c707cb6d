package report

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// tarokkWords are the words of docs/spec/61-tarokk.md and 62.
type tarokkWords struct{}

// Card implements game: "XII", "king of spades".
func (tarokkWords) Card(l Language, face string) string {
	f, err := deck.Parse(face)
	switch {
	case err != nil:
		return face
	case f == deck.Skiz:
		return l.say("skiz")
	case f == deck.Pagat:
		return l.say("pagat")
	case deck.IsTarokk(f):
		return deck.Roman(f)
	}
	return l.say("card", "rank", l.say("rank."+face[1:]), "suit", l.say("suit."+deck.SuitOf(f).String()))
}

func (w tarokkWords) card(l Language, f card.Face) string { return w.Card(l, deck.Name(f)) }

// cards lists faces, the highest first.
func (w tarokkWords) cards(l Language, set card.Set) string {
	var list []string
	for _, f := range set.Faces() {
		list = append([]string{w.card(l, f)}, list...)
	}
	return l.list(list)
}

// tarokkState reads the game's public state.
func tarokkState(s *table.State) (state tarokk.State) {
	raw, err := s.Public()
	if err == nil {
		err = json.Unmarshal(raw, &state)
	}
	if err != nil {
		panic("report: the state of tarokk cannot be read back: " + err.Error()) // a fault of this program
	}
	return state
}

// Move implements game.
func (w tarokkWords) Move(l Language, before, _ *table.State, seat table.Seat, raw json.RawMessage) string {
	var m tarokk.Move
	if wire.DecodeMove(raw, &m) != nil {
		return l.say("did.unknown")
	}
	switch {
	case m.Call != nil:
		return w.call(l, tarokkState(before), seat, m)
	case m.Say != nil:
		return w.speech(l, tarokkState(before), *m.Say)
	case m.Play != nil:
		return w.play(l, *m.Play)
	case m.Packet != nil:
		return l.say("did.packet", "n", *m.Packet+1)
	case m.Discard != nil:
		return l.count("did.discard", len(*m.Discard))
	case m.Disclose != nil:
		return w.disclosed(l, *m.Disclose)
	case m.Annul != nil && *m.Annul != "":
		return w.known(l, "did.annul."+*m.Annul)
	case m.Annul != nil:
		return l.say("did.annul")
	case m.Open != nil:
		return l.count("did.turn", len(*m.Open))
	case m.Fee != nil:
		return w.fee(l, *m.Fee)
	case m.Wish != nil:
		return w.known(l, "did.wish."+*m.Wish)
	}
	return w.yesNo(l, m)
}

func (w tarokkWords) yesNo(l Language, m tarokk.Move) string {
	switch {
	case m.Knock != nil:
		return l.say("did.knock." + strconv.FormatBool(*m.Knock))
	case m.Confirm != nil:
		return l.say("did.confirm." + strconv.FormatBool(*m.Confirm))
	case m.Trial != nil:
		return l.say("did.trial." + strconv.FormatBool(*m.Trial))
	case m.Claim != nil:
		return l.say("did.claim." + strconv.FormatBool(*m.Claim))
	}
	return l.say("did.unknown")
}

// known is a text that a foul move may ask for in vain.
func (tarokkWords) known(l Language, key string) string {
	if !l.knows(key) {
		key = "did.unknown"
	}
	return l.say(key)
}

// call is a bid, and what it shows: a tarokk, or that the game is yielded.
func (w tarokkWords) call(l Language, s tarokk.State, seat table.Seat, m tarokk.Move) string {
	text := w.known(l, "did.call."+string(*m.Call))
	for p, q := range s.Deal.Seats {
		if q != seat {
			continue
		}
		after, claims, err := s.Deal.Auction.Apply(s.Rules, p, *m.Call)
		switch {
		case err != nil:
		case after.Invit != nil && s.Deal.Auction.Invit == nil:
			text += l.say("did.call.invit", "card", w.card(l, after.Invit.Card))
		case len(claims) > 0 && claims[0].ID == "B-YIELD":
			text += l.say("did.call.yield")
		}
	}
	return text
}

func (w tarokkWords) disclosed(l Language, d tarokk.Disclosure) string {
	if d.Tarokks == "" {
		return l.say("did.disclose.0")
	}
	return l.count("did.disclose", len(d.Tarokks))
}

func (w tarokkWords) fee(l Language, honours []string) string {
	if len(honours) == 0 {
		return l.say("did.fee.0")
	}
	var list []string
	for _, name := range honours {
		list = append(list, w.Card(l, name))
	}
	return l.say("did.fee", "cards", l.list(list))
}

func (w tarokkWords) play(l Language, p tarokk.Play) string {
	text := l.say("did.play", "card", w.Card(l, p.Face))
	if p.Side == score.Dec.String() || p.Side == score.Def.String() {
		text += l.say("did.play.side", "side", l.say("side."+p.Side))
	}
	return text
}

// speech is a turn of the announcements.
func (w tarokkWords) speech(l Language, s tarokk.State, say tarokk.Speech) string {
	var list []string
	if say.Discards != nil {
		list = append(list, w.disclosed(l, *say.Discards))
	}
	if len(say.Turn) == 0 {
		return strings.Join(append(list, l.say("did.say.pass")), "; ")
	}
	var said []string
	for _, text := range say.Turn {
		said = append(said, w.statement(l, s, text))
	}
	return strings.Join(append(list, l.say("did.say", "what", strings.Join(said, "; "))), "; ")
}

func (w tarokkWords) statement(l Language, s tarokk.State, text string) string {
	kind, object, _ := strings.Cut(text, ":")
	switch {
	case kind == "call":
		return l.say("says.call", "card", w.Card(l, object))
	case kind == "count" && l.knows("says.count."+object):
		return l.say("says.count." + object)
	case kind == "fig" && l.knows("figure."+object):
		return l.say("figure." + object)
	case kind == "compulsory":
		return l.say("says.compulsory")
	case kind == "contra":
		return w.contra(l, s, object)
	}
	return l.quote(text)
}

// contra is the next step on an item.
func (w tarokkWords) contra(l Language, s tarokk.State, object string) string {
	item, err := score.ParseItem(object)
	if err != nil || s.Deal.Announce == nil {
		return l.quote(object)
	}
	step := 1
	for _, a := range s.Deal.Announce.Items {
		if a.Item == item {
			step = min(a.Contra, 4) + 1
		}
	}
	return l.say("says.contra", "contra", l.say("contra."+strconv.Itoa(step)), "item", w.item(l, item))
}

func (tarokkWords) item(l Language, i score.Item) string {
	if i == score.TheGame {
		return l.say("figure.game")
	}
	return l.say("item", "figure", l.say("figure."+string(i.Figure)), "side", l.say("side."+i.Side.String()))
}

// named are the sets that have a name, the larger before their parts.
var named = []struct {
	name string
	set  card.Set
}{
	{"plain", deck.Plain}, {"tarokk", deck.Tarokks}, {"king", deck.Kings}, {"honour", deck.Honours}, {"big", deck.BigHonours},
	{"hearts", deck.Of(deck.Hearts)}, {"diamonds", deck.Of(deck.Diamonds)}, {"clubs", deck.Of(deck.Clubs)}, {"spades", deck.Of(deck.Spades)},
}

// Claim implements game.
func (w tarokkWords) Claim(l Language, c table.Condition) (short, group, why string) {
	return w.short(l, c), l.say("group." + c.Group), l.say("claim." + c.Claim)
}

func (w tarokkWords) short(l Language, c table.Condition) string {
	atLeast := c.Max >= len(c.Cards)
	switch {
	case c.Min >= len(c.Cards):
		return w.none(l, deck.Not(c.Set))
	case atLeast && c.Min == c.Set.Len():
		return l.say("claim.has", "cards", w.cards(l, c.Set))
	}
	for _, s := range named {
		switch {
		case s.set != c.Set:
		case atLeast && c.Min == 1:
			return l.say("one." + s.name)
		case atLeast:
			return l.say("claim.least", "n", c.Min, "what", l.say("many."+s.name))
		case c.Min == c.Max:
			return l.say("claim.exactly", "n", c.Min, "what", l.say("many."+s.name))
		}
	}
	return l.say("claim.any", "min", c.Min, "max", c.Max, "size", c.Set.Len())
}

// none says that there is no card of a set: by the names of the sets that make it
// up, and of what is left over card by card.
func (w tarokkWords) none(l Language, set card.Set) string {
	var list []string
	for _, s := range named {
		if left := set.Without(s.set); left.Len() == set.Len()-s.set.Len() {
			list, set = append(list, l.say("none."+s.name)), left
		}
	}
	for _, f := range set.Faces() {
		list = append(list, l.say("none.card", "card", w.card(l, f)))
	}
	return l.list(list)
}

// Rule implements game: by the chapter that the rule's number names.
func (tarokkWords) Rule(l Language, rule string) string {
	chapter := rule
	if i := strings.LastIndexByte(rule, '-'); i > 0 && strings.HasPrefix(rule, "R-") {
		chapter = rule[:i]
	} else if strings.HasPrefix(rule, "OPT-") {
		chapter = "OPT"
	}
	if !l.knows("rule." + chapter) {
		return ""
	}
	return l.say("rule." + chapter)
}
