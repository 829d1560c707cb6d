package tarokk_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/suite"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// stacked is a wanted deal: names of the cards of A to D and of the talon, in the
// order in which they lie there. Cards that are left out go to the talon, then
// one by one to A, B, C and D: suit cards from the lowest, kings, tarokks from
// the lowest, honours last.
type stacked [5]string

const inTalon = 4

// order is the whole deck for a deal, by place (R-DEAL-3).
func (d stacked) order() ([]card.Face, error) {
	sizes := [5]int{9, 9, 9, 9, 6}
	var piles [5][]card.Face
	left := slices.Concat(tarokk.PlainDiscards.Faces(), tarokk.Kings.Faces(), tarokk.TarokkDiscards.Faces(), tarokk.Honours.Faces())
	for i, names := range d {
		for _, name := range strings.Fields(names) {
			f, err := tarokk.ParseFace(name)
			at := slices.Index(left, f)
			if err != nil || at < 0 {
				return nil, fmt.Errorf("%s is no card, or dealt twice", name)
			}
			left = slices.Delete(left, at, at+1)
			piles[i] = append(piles[i], f)
		}
		if len(piles[i]) > sizes[i] {
			return nil, fmt.Errorf("%d cards in pile %d", len(piles[i]), i)
		}
	}
	for len(piles[inTalon]) < sizes[inTalon] {
		piles[inTalon], left = append(piles[inTalon], left[0]), left[1:]
	}
	for i := 0; len(left) > 0; i = (i + 1) % 4 {
		if len(piles[i]) < sizes[i] {
			piles[i], left = append(piles[i], left[0]), left[1:]
		}
	}
	order := piles[inTalon]
	for _, p := range piles[:4] {
		order = append(order, p[:5]...)
	}
	for _, p := range piles[:4] {
		order = append(order, p[5:]...)
	}
	return order, nil
}

// scene is a table whose first deals are stacked, and who follows a script. The
// shuffles are proved like any other: the last shuffler, who knows all secrets
// here, only draws the permutation that it wants.
type scene struct {
	verifiertest.PlayedTable
	deals  []stacked
	orders [][]card.Face
}

// maxSteps is more than a deal needs.
const maxSteps = 400

// newScene is a table that is played up to the shuffle that stacks its first deck, once for all of its
// configuration.
func newScene(t *testing.T, c tabletest.Config, deals ...stacked) *scene {
	t.Helper()
	begun, _ := trunks.LoadOrStore(c.String()+string(c.Fouls), sync.OnceValue(func() *scene {
		s := newSceneOf(t, c, 1)
		for !s.stacks() && s.step() {
		}
		return s
	}))
	return begun.(func() *scene)().branch(t).stacked(deals)
}

var trunks sync.Map

// branch is the scene as it is now, to be played on by another test.
func (s *scene) branch(t *testing.T) *scene {
	b := *s
	b.PlayedTable = verifiertest.PlayedTable{T: t, Table: s.Branch()}
	b.Random, b.Choice = rand.NewChaCha8([32]byte{1}), rand.New(rand.NewPCG(1, 0))
	return &b
}

func (s *scene) stacked(deals []stacked) *scene {
	s.deals, s.orders = deals, nil
	for _, d := range deals {
		s.orders = append(s.orders, testmust.Have(d.order())(s.T))
	}
	return s
}

// stacks reports whether the shuffle is due that stacks a deck.
func (s *scene) stacks() bool {
	d := s.State.Duties()[0]
	if d.Kind != table.Shuffle {
		return false
	}
	public := s.public()
	n := len(public.Members)
	return public.Stage == tarokk.Shuffling && d.Seats[0] == public.Members[(public.Dealer+n-1)%n]
}

func newSceneOf(t *testing.T, c tabletest.Config, seed uint64, deals ...stacked) *scene {
	t.Helper()
	if c.Seats == 0 {
		c.Seats = 4
	}
	options := map[string]string{"seat-draw": "false"}
	maps.Copy(options, c.Options)
	c.Options = options
	s := &scene{PlayedTable: verifiertest.PlayedTable{T: t, Table: testmust.Have(tabletest.New(game, c, seed))(t)}}
	return s.stacked(deals)
}

// defaultSuite is the default suite.
func defaultSuite(t testing.TB) proof.Suite {
	t.Helper()
	s, ok := suite.Lookup(suite.Default)
	testmust.Require(t, ok, "no default suite")
	return s
}

func (s *scene) public() tarokk.State {
	public, _ := table.Public[tarokk.State](s.State)
	return public
}

// step takes the first protocol step that is due, and reports whether there was
// one.
func (s *scene) step() bool {
	s.Helper()
	duties := s.State.Duties()
	if len(duties) == 0 || duties[0].Kind == table.Move {
		return false
	}
	d := duties[0]
	if s.stacks() && s.public().Deal.Number <= len(s.orders) {
		s.add(s.stack(d.Seats[0]))
		return true
	}
	s.add(testmust.Have(s.Hands[d.Seats[0]].SignMessage(s.State, d, nil, s.Random))(s.T))
	return true
}

func (s *scene) add(entry []byte) {
	s.Helper()
	if err := s.Add(entry); err != nil {
		s.Fatalf("after message %d: %v: %.300s", s.State.CountApplied(), err, entry)
	}
}

// stack is a shuffle by the last seat that lays the deck in the wanted order.
func (s *scene) stack(seat table.Seat) []byte {
	s.Helper()
	var seats []table.Seat
	for _, h := range s.Hands {
		if h.Seat != seat {
			seats = append(seats, h.Seat)
		}
	}
	return testmust.Have(verifiertest.ArrangeDeck(s.Table, append(seats, seat), s.orders[s.public().Deal.Number-1]))(s.T)
}

// stageVerbs are what stages wait for.
var stageVerbs = map[tarokk.Stage]string{
	tarokk.Bidding: "call", tarokk.Confirming: "confirm", tarokk.Trying: "trial", tarokk.AnnullingFirst: "annul",
	tarokk.Discarding: "discard", tarokk.Disclosing: "disclose", tarokk.Annulling: "annul", tarokk.Announcing: "say",
	tarokk.Playing: "play", tarokk.Opening: "open", tarokk.Claiming: "claim", tarokk.Paying: "fee", tarokk.Between: "wish",
}

// due is the verb of the move that is due.
func (s *scene) due() string {
	switch public := s.public(); {
	case public.Stage != tarokk.Knocking:
		return stageVerbs[public.Stage]
	case public.Deal.Knocked:
		return "packet"
	}
	return "knock"
}

// saying is one of a script: "B:three", "B:discard HQ T4", "B:say fig:trull", or with the move
// as it stands in the message, without a space: `B:discard {"discard":"abz"}`.
type saying struct {
	player int
	verb   string
	words  []string
}

func parseLine(t *testing.T, text string) saying {
	t.Helper()
	name, rest, ok := strings.Cut(text, ":")
	words := strings.Fields(rest)
	testmust.Requiref(t, ok && len(name) == 1 && len(words) != 0, "%q is no line", text)
	l := saying{int(name[0] - 'A'), words[0], words[1:]}
	if tarokk.Call(l.verb) == tarokk.PassCall || tarokk.Call(l.verb) == tarokk.HoldCall || tarokk.Call(l.verb).Level() >= 0 {
		l.verb, l.words = "call", words
	}
	return l
}

// run plays the lines of a script. What is due before a line is done without a
// word: protocol steps, and moves that say as little as they may.
func (s *scene) run(script ...string) *scene {
	s.Helper()
	for _, text := range script {
		l := s.reach(text)
		s.add(s.honest(s.seat(l.player), s.move(l)))
	}
	return s
}

// reach plays until the player of a line may make a move of its kind.
func (s *scene) reach(text string) saying {
	s.Helper()
	l := parseLine(s.T, text)
	for range maxSteps {
		switch {
		case s.step():
		case len(s.State.Duties()) == 0:
			s.Fatalf("over before %q", text)
		case s.due() == l.verb && s.State.Duties()[0].Owes(s.seat(l.player)):
			return l
		default:
			s.quietly()
		}
	}
	s.Fatalf("%q is never due", text)
	return saying{}
}

// offered are the moves that the player of a line may make when it is due, and whether it is one
// of them.
func (s *scene) offered(line string) (moves []string, is bool) {
	s.Helper()
	l := s.reach(line)
	for _, raw := range s.Moves(s.seat(l.player)) {
		moves = append(moves, string(raw))
	}
	return moves, slices.Contains(moves, string(s.move(l)))
}

// refuses checks that the rules forbid a line to every hand, by one of them.
func (s *scene) refuses(line, rule string) {
	s.Helper()
	l := s.reach(line)
	testmust.FailSaying(s, testmust.ErrorOf(s.State.TurnedCards(s.seat(l.player), s.move(l))), rule, line, "want it refused by")
}

// rest plays quietly to the end, or till players may wish to go on.
func (s *scene) rest() *scene {
	s.Helper()
	for n, wished := 0, false; len(s.State.Duties()) > 0 && !wished; n++ {
		if wishes := s.public().Stage == tarokk.Between; !s.step() {
			s.quietly()
			wished = wishes
		}
		testmust.Require(s, n <= maxSteps, "it does not end")
	}
	return s
}

func (s *scene) seat(player int) table.Seat { return s.public().Deal.Seats[player] }

// quietly makes the move of the first mover that says as little as it may.
func (s *scene) quietly() {
	s.Helper()
	seat, public := s.State.Duties()[0].Seats[0], s.public()
	p := slices.Index(public.Deal.Seats[:], seat)
	l := saying{player: p, verb: s.due()}
	switch public.Stage {
	case tarokk.Bidding:
		l.words = []string{"pass"}
	case tarokk.Confirming, tarokk.Trying:
		l.words = []string{"yes"}
	case tarokk.Discarding:
		l.words = s.quietDiscard(p)
	case tarokk.Announcing:
		if p == public.Deal.Announce.Declarer && public.Deal.Announce.Called == nil {
			l.words = []string{"call:T20"}
			if f := public.Deal.Announce.MustCall; f != nil {
				l.words = []string{"call:" + tarokk.FaceName(*f)}
			}
		}
	case tarokk.AnnullingFirst, tarokk.Annulling, tarokk.Disclosing:
	default:
		s.add(s.honest(seat, s.Moves(seat)[0]))
		return
	}
	if public.Stage == tarokk.Disclosing {
		l.words = s.tarokksDiscarded(p)
	}
	s.add(s.honest(seat, s.move(l)))
}

// quietDiscard lays away what was drawn, as far as that is allowed, and for the
// rest suit cards before tarokks.
func (s *scene) quietDiscard(p int) []string {
	public := s.public()
	var wanted []string
	var talon []card.Face
	if n := public.Deal.Number; n <= len(s.deals) {
		wanted, talon = strings.Fields(s.deals[n-1][inTalon]), s.orders[n-1][:6]
	}
	hand := slices.Sorted(maps.Values(s.Hand(s.seat(p))))
	rank := func(f card.Face) int {
		switch {
		case !tarokk.Discardable.Has(f) || public.Deal.Outcome.MustCall != nil && *public.Deal.Outcome.MustCall == f || f == tarokk.XX:
			return 3
		case slices.Contains(talon, f) && !tarokk.IsTarokk(f), slices.Contains(wanted, tarokk.FaceName(f)):
			return 0
		case !tarokk.IsTarokk(f):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(hand, func(a, b card.Face) int { return rank(a) - rank(b) })
	var names []string
	for _, f := range hand[:len(hand)-9] {
		names = append(names, tarokk.FaceName(f))
	}
	return names
}

// tarokksDiscarded names the tarokks that p has really discarded.
func (s *scene) tarokksDiscarded(p int) []string {
	var names []string
	d, hand := s.public().Deal, s.Hand(s.seat(p))
	for _, letter := range d.Discards[p].Letters {
		if f := hand[d.Cards[p][letter-'a']]; tarokk.IsTarokk(f) {
			names = append(names, tarokk.FaceName(f))
		}
	}
	return names
}

// letterOf is the letter of a card that p holds, or has laid away.
func (s *scene) letterOf(p int, name string) string {
	s.Helper()
	f := testmust.Have(tarokk.ParseFace(name))(s.T)
	hand := s.Hand(s.seat(p))
	for i, c := range s.public().Deal.Cards[p] {
		if g, held := hand[c]; held && f == g {
			return string(rune('a' + i))
		}
	}
	s.Fatalf("%c does not hold %s", 'A'+p, name)
	return ""
}

// cards reads words that name cards by their true faces: "T5" is that card,
// "T1=T7" is the T1 and said to be the T7, and "c=T7" the card with the letter c.
func (s *scene) cards(p int, words []string) (letters string, said []string) {
	s.Helper()
	type named struct{ letter, face string }
	var list []named
	for _, w := range words {
		true, claimed, lie := strings.Cut(w, "=")
		if !lie {
			claimed = true
		}
		if len(true) > 1 {
			true = s.letterOf(p, true)
		}
		list = append(list, named{true, claimed})
	}
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.letter, b.letter) })
	for _, n := range list {
		letters, said = letters+n.letter, append(said, n.face)
	}
	return letters, said
}

// move is the move that a line says.
func (s *scene) move(l saying) json.RawMessage {
	s.Helper()
	if len(l.words) > 0 && l.words[0][0] == '{' {
		return json.RawMessage(l.words[0])
	}
	var m tarokk.Move
	yes, first := len(l.words) > 0 && l.words[0] == "yes", strings.Join(l.words, "")
	switch l.verb {
	case "knock":
		m.Knock = &yes
	case "packet":
		packet := testmust.Have(strconv.Atoi(first))(s.T)
		m.Packet = &packet
	case "call":
		m.Call = (*tarokk.Call)(&first)
	case "confirm":
		m.Confirm = &yes
	case "trial":
		m.Trial = &yes
	case "claim":
		m.Claim = &yes
	case "annul":
		m.Annul = &first
	case "wish":
		m.Wish = &first
	case "discard":
		letters, _ := s.cards(l.player, l.words)
		m.Discard = &letters
	case "disclose":
		m.Disclose = s.disclosure(l.player, l.words)
	case "say":
		m.Say = &tarokk.Speech{Turn: append([]string{}, l.words...)}
		if public := s.public(); !public.Deal.Discards[l.player].Said {
			m.Say.Discards = s.disclosure(l.player, s.tarokksDiscarded(l.player))
		}
	case "play":
		letter, side, _ := strings.Cut(l.words[0], "/")
		letters, said := s.cards(l.player, []string{letter})
		m.Play = &tarokk.Play{Card: letters, Face: said[0], Side: side}
	case "open":
		_, said := s.cards(l.player, l.words)
		m.Open = &said
	case "fee":
		names := append([]string{}, l.words...)
		m.Fee = &names
	default:
		s.Fatalf("no move %q", l.verb)
	}
	return testmust.Have(wire.EncodeBody(m))(s.T)
}

func (s *scene) disclosure(p int, words []string) *tarokk.Disclosure {
	s.Helper()
	letters, said := s.cards(p, words)
	d := &tarokk.Disclosure{Tarokks: letters}
	if p == s.public().Deal.Outcome.Declarer {
		d.Open = said
	}
	return d
}

// honest is the message of a move that can be proved.
func (s *scene) honest(seat table.Seat, move json.RawMessage) []byte {
	s.Helper()
	entry, err := s.HonestMessage(seat, s.State.DutiesOf(seat)[0], move)
	testmust.Requiref(s, err == nil, "seat %d: %s: %v", seat, move, err)
	return entry
}
