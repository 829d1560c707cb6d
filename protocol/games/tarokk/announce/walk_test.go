package announce_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/ruleset"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
)

// anyRules sets every option that the phase knows at random.
func anyRules(random *rand.Rand) ruleset.Rules {
	coin := func() bool { return random.IntN(2) == 0 }
	r := book()
	r.DVSamePlayer = coin()
	r.DVSameTurn = r.DVSamePlayer && coin()
	r.CountPais = coin()
	r.CountSide = pick[ruleset.CountSide](random, "neutral", "figure")
	r.ForcedContra = pick[ruleset.ForcedContra](random, "silent", "spoken")
	r.FreeCall = pick[ruleset.FreeCall](random, "any", "none")
	r.DiscardXX = pick[ruleset.DiscardXX](random, "allowed", "forbidden", "uninvited")
	r.UltimoDuty = pick[ruleset.UltimoDuty](random, "dealt", "exchanged")
	r.Retention = pick[ruleset.Retention](random, "announcers", "any-holder")
	return r
}

func pick[T ~string](random *rand.Rand, words ...T) T { return words[random.IntN(len(words))] }

// deal is a deal after the exchange as it really is.
type deal struct {
	public announce.Public
	cards  [4]cards
}

// deals are drawn until one is as a legal exchange leaves it: the discards may
// be discarded, and the declarer has an honour.
func anyDeal(random *rand.Rand, r ruleset.Rules) deal {
	for {
		order := random.Perm(deck.Size)
		if d, ok := exchanged(order, random, r); ok {
			return d
		}
	}
}

func exchanged(order []int, random *rand.Rand, r ruleset.Rules) (deal, bool) {
	d := deal{public: public(func(p *announce.Public) { p.Declarer = random.IntN(4) })}
	invited := random.IntN(3) == 0
	for i, seat := range []int{0, 1, 2, 3} {
		hand := toFaces(order[9*i : 9*i+9])
		discard := toFaces(order[36 : 36+3])
		if seat != d.public.Declarer {
			k := 38 + (seat-d.public.Declarer+4)%4
			discard = toFaces(order[k : k+1])
		}
		if !allIn(discard, deck.Discardable) || r.DiscardXX != "allowed" && slices.Contains(discard, deck.XX) {
			return d, false
		}
		tarokks := slices.DeleteFunc(slices.Clone(discard), func(f card.Face) bool { return !deck.IsTarokk(f) })
		d.cards[seat] = cards{claim.Hand: hand, claim.Dealt: hand, claim.TarokkOf: tarokks}
		d.public.Tarokks[seat] = len(tarokks)
		if seat == d.public.Declarer {
			d.public.Opened = tarokks
		} else if invited && slices.Contains(hand, deck.XIX) {
			must := deck.XIX
			d.public.Partner, d.public.MustCall = seat, &must
			d.public.Ultimo = []int{auction.Nobody, seat}[random.IntN(2)]
		}
	}
	return d, slices.ContainsFunc(d.cards[d.public.Declarer][claim.Hand], deck.Honours.Has)
}

func toFaces(numbers []int) []card.Face {
	var list []card.Face
	for _, n := range numbers {
		list = append(list, card.Face(n))
	}
	return list
}

func allIn(list []card.Face, set card.Set) bool {
	return !slices.ContainsFunc(list, func(f card.Face) bool { return !set.Has(f) })
}

// Random turns out of Statements under random options: none of them is refused,
// the phase ends, and what it says is possible.
func TestWalks(t *testing.T) {
	for seed := range uint64(400) {
		random := rand.New(rand.NewPCG(seed, 4))
		r := anyRules(random)
		s := announce.New(anyDeal(random, r).public)
		for turns := 0; ; turns++ {
			seat, over := s.Speaker()
			if over {
				break
			}
			if turns > 1_000 {
				t.Fatalf("seed %d: no end after %d turns", seed, turns)
			}
			next, _, err := s.Turn(r, seat, anyTurn(random, s, r, seat))
			if err != nil {
				t.Fatalf("seed %d: turn %d: %v", seed, turns, err)
			}
			s = next
			possible(t, s)
		}
	}
}

// anyTurn is a turn of which nothing is publicly illegal.
func anyTurn(random *rand.Rand, s announce.State, r ruleset.Rules, seat int) []string {
	say := []string{}
	for {
		list := s.Statements(r, seat, say...)
		called := s.Called != nil || slices.ContainsFunc(say, func(text string) bool { return strings.HasPrefix(text, "call:") })
		if len(list) == 0 || called && random.IntN(3) > 0 {
			return say
		}
		say = append(say, list[random.IntN(len(list))])
	}
}

// possible checks what holds of every state: the ladder has five steps, no item
// is there twice, at most one player is the partner and then all sides are
// public, and who proved to have no count has none.
func possible(t *testing.T, s announce.State) {
	t.Helper()
	seen, partners := map[score.Item]bool{}, 0
	for _, a := range s.Items {
		if a.Contra < 0 || a.Contra > 5 || seen[a.Item] {
			t.Fatalf("impossible items: %v", s.Items)
		}
		seen[a.Item] = true
	}
	for seat, side := range s.Sides {
		if seat != s.Declarer && side == score.Dec {
			partners++
		}
		if s.LE7[seat] && s.Counts[seat] != 0 {
			t.Fatalf("seat %d has eight tarokks and has not: %+v", seat, s)
		}
	}
	if partners > 1 || partners == 1 && slices.Contains(s.Sides[:], score.Unknown) {
		t.Fatalf("impossible sides: %v", s.Sides)
	}
	text, err := json.Marshal(s)
	var read announce.State
	if err != nil || json.Unmarshal(text, &read) != nil || !reflect.DeepEqual(read, s) {
		t.Fatalf("%s does not read as what was written (%v)", text, err)
	}
}

// Honest players in real deals: whatever their duties, each has a turn of which
// all is true; and if all that was said is true, then so is all that is public.
func TestHonestPlayers(t *testing.T) {
	lives := uint64(300)
	if thorough.Tests() {
		lives = 1_500
	}
	for seed := range lives {
		random := rand.New(rand.NewPCG(seed, 5))
		r := anyRules(random)
		d := anyDeal(random, r)
		s := announce.New(d.public)
		for seat, over := s.Speaker(); !over; seat, over = s.Speaker() {
			next, ok := d.honest(random, s, r, seat)
			if !ok {
				t.Fatalf("seed %d: seat %d has nothing true to say: %+v\n%v", seed, seat, s, d.cards[seat])
			}
			s = next
			d.agrees(t, s)
		}
		d.alone(t, s)
	}
}

// honest is a turn of seat that is true: one at random, or one of its duties.
func (d deal) honest(random *rand.Rand, s announce.State, r ruleset.Rules, seat int) (announce.State, bool) {
	var turns [][]string
	for range 3 {
		turns = append(turns, anyTurn(random, s, r, seat))
	}
	for _, duty := range [][]string{{}, {"call:T20"}, {"call:T19"}, {"contra:game"}, {"compulsory:game"}, {"fig:pagat_ultimo"}} {
		turns = append(turns, duty)
		for _, count := range []string{"count:8", "count:9"} {
			turns = append(turns, append([]string{count}, duty...), append(slices.Clone(duty), count))
		}
	}
	for _, say := range turns {
		next, claims, err := s.Turn(r, seat, say)
		if err == nil && d.cards[seat].fails(claims) == "" {
			return next, true
		}
	}
	return s, false
}

// agrees checks all that is public against the cards.
func (d deal) agrees(t *testing.T, s announce.State) {
	t.Helper()
	for seat, side := range s.Sides {
		hand := d.cards[seat][claim.Hand]
		tarokks := len(hand) - len(slices.DeleteFunc(slices.Clone(hand), deck.IsTarokk))
		want := score.Def
		if seat == s.Declarer || slices.Contains(hand, *s.Called) {
			want = score.Dec
		}
		if side != score.Unknown && side != want {
			t.Fatalf("seat %d is publicly of %s, and of %s in truth", seat, side, want)
		}
		if n := s.Counts[seat]; n != 0 && n != tarokks || s.LE7[seat] && tarokks > 7 {
			t.Fatalf("seat %d has %d tarokks, and not %d (%t)", seat, tarokks, n, s.LE7[seat])
		}
		if contra := s.Items[0].Contra; s.Turns == 4 && contra == 0 && seat != s.Declarer && slices.Contains(d.cards[seat][claim.TarokkOf], *s.Called) {
			t.Fatalf("R-CALL-8: seat %d discarded the called card and nobody contra'd", seat)
		}
	}
}

// alone checks R-CALL-9: if no other player discarded a tarokk, the declarer is
// alone exactly if he called the XX and it is his own.
func (d deal) alone(t *testing.T, s announce.State) {
	t.Helper()
	alone, discards := true, 0
	for seat := range d.cards {
		if seat != s.Declarer {
			alone = alone && !slices.Contains(d.cards[seat][claim.Hand], *s.Called)
			discards += s.Tarokks[seat]
		}
	}
	own := slices.Concat(d.cards[s.Declarer][claim.Hand], s.Opened)
	if discards == 0 && alone != (*s.Called == deck.XX && slices.Contains(own, deck.XX)) {
		t.Errorf("declarer alone: %t, called %s of %v", alone, deck.Name(*s.Called), own)
	}
}
