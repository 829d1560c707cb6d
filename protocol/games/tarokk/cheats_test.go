package tarokk_test

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/thorough"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/table/tabletest/clear"
	"github.com/pakli/pakli/protocol/wire"
	"github.com/pakli/pakli/verifier/verifiertest"
)

// cheat is one of the list of docs/spec/62-tarokk-proofs.md: a deal, what is
// played honestly, and the lie.
type cheat struct {
	id      string
	how     string // what sets it apart from others of the same id
	options map[string]string
	deal    stacked
	script  []string
	lie     string
	stuck   bool                                       // what was done before leaves no honest move
	untrue  string                                     // the statement that does not hold
	check   table.Check                                // where the best forgery fails, if not there
	build   func(*scene, saying) map[string]forgedWith // instead of forgeries
}

// forgedWith is a forgery, and the check that must find it.
type forgedWith struct {
	entry []byte
	check table.Check
}

// best is the name of the forgery that is recorded: everything about it is right
// but for what the proof is about.
const best = "a proof about cards for which it is true"

// A bids two on the XIX, B takes it for one, and the invit is binding.
var invited = []string{"A:two", "B:one", "A:pass"}

var cheats = []cheat{
	{id: "CH-01", how: "a giver's token that is another share", deal: stacked{}, lie: "A:pass", build: falseTokens},
	{id: "CH-01", how: "the card turned up is another", deal: stacked{"T21 HK", "T22"}, script: []string{"B:three", "A:say"}, lie: "A:play HK=T22", check: table.CheckFace},
	{id: "CH-01", how: "a token that makes it another", deal: stacked{"T21 HK", "T22"}, script: []string{"B:three", "A:say"}, lie: "A:play HK=T22", build: tokenOfAnother},
	{id: "CH-01", how: "it is brought in as the hand is permuted", deal: stacked{"T22"}, script: []string{"A:three"}, lie: "B:discard", build: broughtIn},
	{id: "CH-02", deal: stacked{"T22"}, script: []string{"A:three"}, lie: "B:discard", build: duplicated},
	{id: "CH-03", deal: stacked{"", "T1", "T21", "T22"}, lie: "A:three", untrue: "1 of H0 in HONOUR"},
	{id: "CH-03", how: "later than others", deal: stacked{"T1", "T22 T21", "", ""}, script: []string{"A:three", "B:two"}, lie: "C:one", untrue: "1 of H0 in HONOUR"},
	{id: "CH-04", deal: stacked{"T22 T18", "T19"}, lie: "A:two", untrue: "1 of H0 in {T19}"},
	{id: "CH-05", deal: stacked{"T22 T19", "T18"}, lie: "A:one", untrue: "1 of H0 in {T18}"},
	{id: "CH-06", deal: stacked{"T20 T1", "T22", "T21"}, script: []string{"A:three", "B:two"}, lie: "A:pass", untrue: "1 of H0 in BIG"},
	{id: "CH-07", deal: stacked{"T22", "T21", "", "T20"}, script: []string{"A:three", "B:two"}, lie: "A:pass", untrue: "1 of H0 in {T20}"},
	{id: "CH-08", deal: stacked{"T22", "T21", "T1", ""}, script: []string{"D:three"}, lie: "D:trial yes", untrue: "1 of G in HONOUR"},
	{id: "CH-08", how: "at solo, with nothing drawn", deal: stacked{"T22", "T21", "T1", ""}, script: []string{"D:solo"}, lie: "D:trial yes", untrue: "1 of H0 in HONOUR"},
	{id: "CH-09", deal: stacked{"T22", "", "T1", "T21"}, script: []string{"D:three"}, lie: "D:trial no", untrue: "all of G in NONHONOUR"},
	{id: "CH-09", how: "the XXI was drawn", deal: stacked{"T22", "", "T1", "", "HA T21 HJ"}, script: []string{"D:three"}, lie: "D:trial no", untrue: "all of G in NONHONOUR"},
	{id: "CH-10", deal: stacked{"T22 HK CT CJ"}, script: []string{"A:three", "A:discard HK CT CJ"}, lie: "A:disclose", untrue: "all of XP in PLAINDISC", stuck: true},
	{id: "CH-10", how: "at once, where that is due", deal: stacked{"T22 HK CT CJ"}, options: firstTurn, script: []string{"A:three"}, lie: "A:discard HK CT CJ", untrue: "all of X in DISCARDABLE"},
	{id: "CH-10", how: "an opponent, as a tarokk", deal: stacked{"T22", "HK T4"}, script: []string{"A:three", "B:discard HK"}, lie: "B:disclose HK", untrue: "all of XT in TDISC", stuck: true},
	{id: "CH-11", deal: stacked{"T22", "T1"}, script: []string{"A:three", "B:discard T1"}, lie: "B:disclose T1", untrue: "all of XT in TDISC", stuck: true},
	{id: "CH-11", how: "the declarer, face up", deal: stacked{"T22 T1"}, script: []string{"A:three", "A:discard HA HJ T1"}, lie: "A:disclose T1", check: table.CheckRules, stuck: true},
	{id: "CH-11", how: "the declarer, as another", deal: stacked{"T22 T1"}, script: []string{"A:three", "A:discard HA HJ T1"}, lie: "A:disclose T1=T7", check: table.CheckFace, stuck: true},
	{id: "CH-12", deal: stacked{"T22", "T7"}, script: []string{"A:three", "B:discard T7"}, lie: "B:disclose", untrue: "all of XP in PLAINDISC"},
	{id: "CH-12", how: "the declarer", deal: stacked{"T22 T7"}, script: []string{"A:three", "A:discard HA HJ T7"}, lie: "A:disclose", untrue: "all of XP in PLAINDISC"},
	{id: "CH-13", deal: stacked{"T19 T22", "T21"}, script: append(slices.Clone(invited), "A:discard T19"), lie: "A:disclose T19", untrue: "all of XT in TDISC without T19", stuck: true},
	{id: "CH-13", how: "the XX that was yielded on", deal: stacked{"T20 T22", "T21"}, script: []string{"A:three", "B:two", "A:pass", "A:discard T20"}, lie: "A:disclose T20", untrue: "all of XT in TDISC without T20", stuck: true},
	{id: "CH-14", deal: stacked{"T19 T22", "T21", "CT CJ"}, script: append(slices.Clone(invited), "C:discard CT CJ"), lie: "C:disclose CT", untrue: "all of XT in TDISC without T19"},
	{id: "CH-15", deal: stacked{"T22", "T21 T5 CT CJ CR ST SJ SR SQ"}, script: []string{"A:three", "B:discard T5", "B:disclose T5"}, lie: "B:annul b", build: forbidden},
	{id: "CH-15", how: "without having said so", options: firstTurn, deal: stacked{"T22", "T21 T5 CT CJ CR ST SJ SR SQ"}, script: []string{"A:three", "B:discard T5"}, lie: "B:annul b", untrue: "all of X in PLAINDISC"},
	{id: "CH-16", deal: stacked{"T22", "T2 CT CJ CR CQ ST SJ SR SQ"}, script: []string{"A:three"}, lie: "B:annul d", untrue: "all of H1 in SUITS"},
	{id: "CH-17", deal: stacked{"T22", "T20"}, script: []string{"A:three"}, lie: "A:say call:T19", untrue: "1 of H1 in {T20}"},
	{id: "CH-18", deal: stacked{"T22 T20 T18", "T19"}, script: []string{"A:three"}, lie: "A:say call:T17", untrue: "3 of H1 in {T18 T19 T20}"},
	{id: "CH-19", deal: stacked{"T22 T20 T19"}, script: []string{"A:three"}, lie: "A:say call:T19", untrue: "all of H1 in not T19"},
	{id: "CH-20", deal: stacked{"T22", "", "", "T20"}, script: []string{"A:three", "A:say call:T20"}, lie: "B:say fig:trull", untrue: "1 of H1 in {T20}"},
	{id: "CH-21", deal: stacked{"T22", "T20"}, script: []string{"A:three", "A:say call:T20"}, lie: "B:say contra:game", untrue: "all of H1 in not T20"},
	{id: "CH-22", deal: stacked{"T22", "T2 T3 T4 T5 T6 T7 T8 CT CJ"}, script: []string{"A:three", "A:say call:T20"}, lie: "B:say count:8", untrue: "exactly 8 of H1 in TAROKK"},
	{id: "CH-23", deal: stacked{"T22", "T2 T3 T4 T5 T6 T7 T8 T9 T10"}, script: []string{"A:three", "A:say call:T20"}, lie: "B:say count:8", untrue: "exactly 8 of H1 in TAROKK"},
	{id: "CH-24", deal: stacked{"T22", "T20 T2 T3 T4 T5 T6 T7 T8 CT"}, script: []string{"A:three", "A:say call:T20"}, lie: "B:say fig:pagat_ultimo", untrue: "2 of H1 in SUITS"},
	{id: "CH-25", deal: stacked{"T22 T1", "T2 T3 T4 T5 T6 T7 T8 T9 T10"}, script: []string{"A:three", "A:say call:T20 fig:pagat_ultimo"}, lie: "B:say contra:DEC.pagat_ultimo", untrue: "2 of H1 in SUITS"},
	{id: "CH-26", deal: stacked{"T19 T1", "T22", "T21"}, script: append(slices.Clone(invited), "B:say call:T19"), lie: "A:say", untrue: "1 of H0 in BIG"},
	{id: "CH-27", deal: stacked{"T19 T1", "T21", "", "", "HA HJ HR HQ DA T22"}, script: append(slices.Clone(invited), "B:say call:T19"), lie: "A:say", untrue: "1 of H0 in BIG"},
	{id: "CH-28", deal: stacked{"T22", "T20"}, script: []string{"A:three", "B:discard T20", "A:say call:T20"}, lie: "B:say", untrue: "all of XT in not T20"},
	{id: "CH-29", deal: stacked{"T22 HK", "HA T5", "", "", "CT CJ CR CQ ST SJ"}, script: []string{"A:three", "A:play HK"}, lie: "B:play T5", untrue: "all of R in not hearts"},
	{id: "CH-30", deal: stacked{"T22 HK", "SK SQ SR T3 CT CJ CR CQ CK", "", "", "DA DJ DR DQ ST SJ"}, script: []string{"A:three", "A:play HK"}, lie: "B:play SK", untrue: "all of R in not hearts+tarokk"},
	{id: "CH-31", deal: stacked{"T22", "DQ T21"}, script: []string{"A:three", "A:play T22"}, lie: "B:play DQ", untrue: "all of R in SUITS"},
	{id: "CH-32", deal: stacked{"T2", "T1 T9 T22"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2"}, lie: "B:play T1", untrue: "all of R in SUITS"},
	{id: "CH-32", how: "on a suit led", deal: stacked{"CK", "T1 T9 T22 DA DJ DR HA HJ HR", "", "", "ST SJ SR SQ HQ DQ"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play CK"}, lie: "B:play T1", untrue: "all of R in not clubs+tarokk"},
	{id: "CH-32", how: "says to be of the other side", deal: stacked{"T2", "T22", "T20 T1 T9"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2", "B:play T22"}, lie: "C:play T1/DEF", untrue: "all of R in not T20"},
	{id: "CH-32", how: "says to be the partner", deal: stacked{"T2 T20", "T22", "T1 T9", "T21"}, script: []string{"B:three", "B:say call:T20", "D:say contra:game fig:pagat_ultimo", "A:play T2"}, lie: "C:play T1/DEC", untrue: "1 of R in {T20}"},
	{id: "CH-32", how: "in hiding", deal: stacked{"T2", "T22", "T1 T9", "T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2"}, lie: "C:play T1", untrue: "all of R in SUITS"},
	{id: "CH-33", deal: stacked{"T2", "T22 T21 T1 T20"}, script: []string{"B:three", "B:say call:T20 fig:pagat_ultimo", "A:play T2", "B:play T22", "B:play T21", "B:play T20"}, lie: "B:play T1", build: forbidden},
	{id: "CH-34", deal: replayDeal, script: replayScript, lie: "B:play T6", build: replayed},
	{id: "CH-35", how: "discarded", deal: stacked{"T22", "T7"}, script: []string{"A:three", "B:discard T7", "A:play T22"}, lie: "B:play T7", build: notInHand},
	{id: "CH-35", how: "played", deal: stacked{"T22 T21 T20 T19"}, script: []string{"A:three", "A:play T22"}, lie: "A:play T22", build: notInHand},
}

var firstTurn = map[string]string{"discard-announce": "first-turn", "free-call": "none"}

// B trumps a heart with a proof, and is led a spade, of which B has one.
var (
	replayDeal   = stacked{"T22 HK", "T5 T6 SQ DA DJ CT CJ CR CQ", "T10 T11 T12 T13 T14 T15 T16 T17 ST", "HQ", "DQ DR SR SJ HJ HA"}
	replayScript = []string{"A:three", "A:play HK", "B:play T5", "C:play T10", "C:play ST"}
)

// scene is the table of a cheat, up to where the lie is due.
func (c cheat) scene(t *testing.T, s proof.Suite, fouls wire.Fouls) (*scene, saying) {
	t.Helper()
	sc := newScene(t, tabletest.Config{Suite: s, Fouls: fouls, Options: c.options}, c.deal)
	sc.run(c.script...)
	return sc, sc.reach(c.lie)
}

// forgeries are all ways to tell a lie.
func (c cheat) forgeries(s *scene, l saying) map[string]forgedWith {
	if c.build != nil {
		return c.build(s, l)
	}
	move := s.move(l)
	if c.check == table.CheckRules {
		return forbidden(s, l)
	}
	body := need[wire.MoveBody](s.T)(s.body(l.player, move))
	list := s.statements(l.player, move)
	made := map[string]forgedWith{}
	sign := func(name string, check table.Check, proofs ...[]byte) {
		made[name] = forgedWith{need[[]byte](s.T)(s.Sign(s.seat(l.player), table.Move, body, proofs...)), check}
	}
	if c.check == table.CheckFace {
		sign(best, c.check, s.proofs(l.player, list, nil)...)
		return made
	}
	untrue := s.untrue(l.player, list)
	if len(untrue) != 1 || s.inWords(l.player, move, list[untrue[0]]) != c.untrue {
		var words []string
		for _, i := range untrue {
			words = append(words, s.inWords(l.player, move, list[i]))
		}
		s.Fatalf("what is untrue is %q, want %q alone", words, c.untrue)
	}
	sign("no proofs", table.CheckProofs)
	sign("its proof is missing", table.CheckProofs, slices.Delete(s.proofs(l.player, list, nil), untrue[0], untrue[0]+1)...)
	sign("a proof too many", table.CheckProofs, append(s.proofs(l.player, list, nil), []byte{0})...)
	sign("zeros", table.CheckCondition, s.proofs(l.player, list, nil)...)
	sign("a proof of one byte", table.CheckCondition, s.proofs(l.player, list, func(proof.Condition) proof.Statement { return nil })...)
	sign("a proof that the cards are what they are", table.CheckCondition, s.proofs(l.player, list, s.trueOf(l.player))...)
	sign(best, table.CheckCondition, s.proofs(l.player, list, s.withOtherCards(l.player))...)
	sign("a proof by another seat's key", table.CheckCondition, s.proofsBy((l.player+1)%4, l.player, list)...)
	return made
}

// untrue are the statements that cannot be proved.
func (s *scene) untrue(p int, list []proof.Statement) []int {
	var false []int
	for i, st := range list {
		if _, err := s.Prove(s.seat(p), table.Move, uint16(i), st, nil); errors.Is(err, proof.ErrFalse) {
			false = append(false, i)
		}
	}
	return false
}

// proofs proves what is true, and in place of what is not, instead of it; 64
// zero bytes if there is no instead.
func (s *scene) proofs(p int, list []proof.Statement, instead func(proof.Condition) proof.Statement) [][]byte {
	s.Helper()
	var proofs [][]byte
	for i, st := range list {
		made, err := s.Prove(s.seat(p), table.Move, uint16(i), st, nil)
		if errors.Is(err, proof.ErrFalse) {
			made, err = make([]byte, 64), nil
			if instead != nil {
				made = []byte{1}
				if other := instead(st.(proof.Condition)); other != nil {
					made, err = s.Prove(s.seat(p), table.Move, uint16(i), other, nil)
				}
			}
		}
		if err != nil {
			s.Fatalf("statement %d: %v", i, err)
		}
		proofs = append(proofs, made)
	}
	return proofs
}

// trueOf makes of a condition one that is true of the same cards.
func (s *scene) trueOf(p int) func(proof.Condition) proof.Statement {
	return func(c proof.Condition) proof.Statement {
		n := 0
		for _, f := range s.read(p, c.Cards, c.Deck) {
			if c.Set.Has(f) {
				n++
			}
		}
		c.Min, c.Max = n, n
		return c
	}
}

// read are the faces of cards under the key of p.
func (s *scene) read(p int, cards []proof.Masked, d proof.Deck) []card.Face {
	s.Helper()
	secret := s.Hands[s.seat(p)].Secret
	list := make([]card.Face, len(cards))
	for i, c := range cards {
		f, ok := d.Face(s.Config.Suite.Encoding().Strip(c, secret.Token(c)))
		if !ok {
			s.Fatalf("%c cannot read a card", 'A'+p)
		}
		list[i] = f
	}
	return list
}

// minted are cards of the player's own making, by face: under the right key, but
// nobody dealt them.
func (s *scene) minted(p int, d proof.Deck) map[card.Face]proof.Masked {
	s.Helper()
	secret := s.Hands[s.seat(p)].Secret
	cards, _, err := secret.Shuffle(s.State.Context(s.seat(p), table.Shuffle).Slot(0), secret.Key(), d.Cards(), s.Random)
	if err != nil {
		s.Fatal(err)
	}
	made := map[card.Face]proof.Masked{}
	for i, f := range s.read(p, cards, d) {
		made[f] = cards[i]
	}
	return made
}

// withOtherCards makes of a condition the same one about as many cards of the
// prover's own making, of which it is true.
func (s *scene) withOtherCards(p int) func(proof.Condition) proof.Statement {
	return func(c proof.Condition) proof.Statement {
		var in, out []proof.Masked
		for f, m := range s.minted(p, c.Deck) {
			if c.Set.Has(f) {
				in = append(in, m)
			} else {
				out = append(out, m)
			}
		}
		n := c.Min
		if n > len(in) {
			s.Fatalf("%d of %d cards can never be true", n, len(in))
		}
		c.Cards = slices.Concat(in[:n], out[:min(len(c.Cards)-n, len(out))])
		return c
	}
}

// proofsBy are proofs of a seat that lends its key for the same conditions about
// cards of its own.
func (s *scene) proofsBy(q, p int, list []proof.Statement) [][]byte {
	s.Helper()
	proofs := s.proofs(p, list, nil)
	for _, i := range s.untrue(p, list) {
		c := s.withOtherCards(q)(list[i].(proof.Condition)).(proof.Condition)
		c.Key = s.Hands[s.seat(q)].Secret.Key()
		by := s.Hands[s.seat(q)].Secret
		proofs[i] = need[[]byte](s.T)(by.Prove(s.State.Context(s.seat(p), table.Move).Slot(uint16(i)), c, nil, s.Random))
	}
	return proofs
}

// falseTokens are the tokens of a seat with the share of one card in the place
// of another: who is dealt the card would read another one.
func falseTokens(s *scene, _ saying) map[string]forgedWith {
	fresh := newScene(s.T, s.Config, s.deal)
	for fresh.State.Duties()[0].Kind != table.Show {
		fresh.step()
	}
	*s = *fresh
	d := s.State.Duties()[0]
	h := s.Hands[d.Seats[0]]
	cards := s.State.Masked(d.Cards)
	var tokens []proof.Token
	body := wire.TokensBody{}
	for _, c := range cards {
		tokens = append(tokens, h.Secret.Token(c))
	}
	other := s.Hands[(d.Seats[0]+1)%4].Secret.Token(cards[0])
	true := proof.Reveal{Key: h.Secret.Key(), Cards: cards, Tokens: slices.Clone(tokens)}
	p := need[[]byte](s.T)(s.Prove(h.Seat, table.Show, 0, true, nil))
	made := map[string]forgedWith{}
	for name, false := range map[string]proof.Token{"a share in another card": tokens[1], best: other} {
		tokens[0] = false
		body.Tokens = nil
		for _, token := range tokens {
			body.Tokens = append(body.Tokens, token.Bytes())
		}
		if _, err := s.Prove(h.Seat, table.Show, 0, proof.Reveal{Key: h.Secret.Key(), Cards: cards, Tokens: tokens}, nil); !errors.Is(err, proof.ErrFalse) {
			s.Errorf("%s can be proved: %v", name, err)
		}
		made[name] = forgedWith{need[[]byte](s.T)(s.Sign(h.Seat, table.Show, body, p)), table.CheckReveal}
	}
	return made
}

// tokenOfAnother turns up a card with a token that is right for another card of
// the player's making.
func tokenOfAnother(s *scene, l saying) map[string]forgedWith {
	move := s.move(l)
	body := need[wire.MoveBody](s.T)(s.body(l.player, move))
	reveal := s.statements(l.player, move)[0].(proof.Reveal)
	pack := need[card.Deck](s.T)(packOfCards())
	minted := s.minted(l.player, need[proof.Deck](s.T)(s.Config.Suite.Encoding().Deck(pack)))[21]
	secret := s.Hands[s.seat(l.player)].Secret
	token := secret.Token(minted)
	other := proof.Reveal{Key: reveal.Key, Cards: []proof.Masked{minted}, Tokens: []proof.Token{token}}
	p := need[[]byte](s.T)(s.Prove(s.seat(l.player), table.Move, 0, other, nil))
	body.Tokens = [][]byte{token.Bytes()}
	return map[string]forgedWith{best: {need[[]byte](s.T)(s.Sign(s.seat(l.player), table.Move, body, p)), table.CheckReveal}}
}

// broughtIn permutes a hand in which one card was exchanged for a skíz of the
// player's own making; duplicated, for a copy of another card of the hand.
func broughtIn(s *scene, l saying) map[string]forgedWith {
	return exchanged(s, l, func(hand []proof.Masked) []proof.Masked {
		pack := need[card.Deck](s.T)(packOfCards())
		minted := s.minted(l.player, need[proof.Deck](s.T)(s.Config.Suite.Encoding().Deck(pack)))
		return slices.Concat([]proof.Masked{minted[21]}, hand[1:])
	})
}

func duplicated(s *scene, l saying) map[string]forgedWith {
	return exchanged(s, l, func(hand []proof.Masked) []proof.Masked {
		secret := s.Hands[s.seat(l.player)].Secret
		copied, _, err := secret.Transfer(s.State.Context(s.seat(l.player), table.Give).Slot(0), hand[1], secret.Key(), s.Random)
		if err != nil {
			s.Fatal(err)
		}
		return slices.Concat([]proof.Masked{copied}, hand[1:])
	})
}

// exchanged is a permutation of other cards than the hand, with a proof that is
// true of these.
func exchanged(s *scene, l saying, change func([]proof.Masked) []proof.Masked) map[string]forgedWith {
	seat := s.seat(l.player)
	at := slices.IndexFunc(s.States, func(st *table.State) bool {
		return slices.ContainsFunc(st.Owed(seat), func(d table.Duty) bool { return d.Kind == table.Permute })
	})
	s.Entries, s.States, s.State = s.Entries[:at+1], s.States[:at+1], s.States[at]
	secret := s.Hands[seat].Secret
	hand := s.State.Masked(s.State.Owed(seat)[0].Cards)
	in := change(hand)
	out, witness, err := secret.Shuffle(s.State.Context(seat, table.Permute).Slot(0), secret.Key(), in, s.Random)
	if err != nil {
		s.Fatal(err)
	}
	if _, err := s.Prove(seat, table.Permute, 0, proof.Shuffle{Key: secret.Key(), In: hand, Out: out}, witness); !errors.Is(err, proof.ErrFalse) {
		s.Errorf("it can be proved: %v", err)
	}
	p := need[[]byte](s.T)(s.Prove(seat, table.Permute, 0, proof.Shuffle{Key: secret.Key(), In: in, Out: out}, witness))
	body := wire.CardsBody{}
	for _, c := range out {
		body.Cards = append(body.Cards, c.Bytes())
	}
	return map[string]forgedWith{best: {need[[]byte](s.T)(s.Sign(seat, table.Permute, body, p)), table.CheckShuffle}}
}

// forbidden is a move that the rules allow to no hand, whatever is proved of it.
func forbidden(s *scene, l saying) map[string]forgedWith {
	return untimely(s, l, s.move(l))
}

func untimely(s *scene, l saying, move json.RawMessage) map[string]forgedWith {
	seat := s.seat(l.player)
	if _, err := s.State.Turned(seat, move); err == nil {
		s.Fatalf("%s is not forbidden", move)
	}
	hand := s.State.Masked(s.State.Hand(seat))
	secret := s.Hands[seat].Secret
	token := secret.Token(hand[0])
	reveal := proof.Reveal{Key: secret.Key(), Cards: hand[:1], Tokens: []proof.Token{token}}
	p := need[[]byte](s.T)(s.Prove(seat, table.Move, 0, reveal, nil))
	sign := func(body wire.MoveBody, proofs ...[]byte) forgedWith {
		return forgedWith{need[[]byte](s.T)(s.Sign(seat, table.Move, body, proofs...)), table.CheckRules}
	}
	return map[string]forgedWith{
		best:       sign(wire.MoveBody{Move: move, Tokens: [][]byte{token.Bytes()}}, p),
		"no proof": sign(wire.MoveBody{Move: move, Tokens: [][]byte{}}),
	}
}

// notInHand plays a card that the player has not got any more, by its letter.
func notInHand(s *scene, l saying) map[string]forgedWith {
	d := s.public().Deal
	gone := slices.IndexFunc(d.Cards[l.player], func(c table.Card) bool {
		return !strings.Contains(d.Held[l.player], string(rune('a'+slices.Index(d.Cards[l.player], c))))
	})
	l.words = []string{string(rune('a'+gone)) + "=" + l.words[0]}
	return untimely(s, l, s.move(l))
}

// replayed trumps a suit that the player holds with the proof that another one
// was missing: of a vector that had a card more.
func replayed(s *scene, l saying) map[string]forgedWith {
	move := s.move(l)
	body := need[wire.MoveBody](s.T)(s.body(l.player, move))
	proofs := s.proofs(l.player, s.statements(l.player, move), nil)
	proofs[1] = s.lastPlay(l.player).Proofs[1]
	return map[string]forgedWith{best: {need[[]byte](s.T)(s.Sign(s.seat(l.player), table.Move, body, proofs...)), table.CheckCondition}}
}

// lastPlay is the last message of a player.
func (s *scene) lastPlay(p int) *wire.Message {
	s.Helper()
	for _, entry := range slices.Backward(s.Entries) {
		e := need[*wire.Entry](s.T)(wire.Parse(entry))
		if table.Seat(e.Message.Seat) == s.seat(p) {
			return e.Message
		}
	}
	s.Fatalf("%c has said nothing", 'A'+p)
	return nil
}

func packOfCards() (card.Deck, error) { return card.NewDeck("tarokk/v1/ace", deck.Names("ace")) }

// twoSuites are what every cheat is tried under.
func twoSuites(t *testing.T) []proof.Suite { return []proof.Suite{clear.Suite{}, defaultSuite(t)} }

func (c cheat) name() string { return strings.Trim(c.id+" "+c.how, " ") }

// Every cheat of the list, told in every way: where fouls are refused none gets
// in, and play goes on; where they are recorded, log and verifier blame the seat
// that cheated, and nobody else. Without PAKLI_TESTS=thorough, of several ways to cheat alike only
// the first is tried under the default suite.
func TestCheats(t *testing.T) {
	for i, c := range cheats {
		suites := twoSuites(t)
		if !thorough.Tests() && i > 0 && cheats[i-1].id == c.id {
			suites = suites[:1]
		}
		for _, suite := range suites {
			t.Run(c.name()+" "+suite.Name(), func(t *testing.T) {
				t.Parallel()
				if _, isClear := suite.(clear.Suite); isClear {
					played, lies := c.told(t, suite, wire.RefuseFouls)
					verifiertest.Refused(t, played, c.stuck, lies...)
				}
				played, lies := c.told(t, suite, wire.RecordFouls)
				verifiertest.Recorded(t, played, lies...)
			})
		}
	}
}

// A cheat of the specification that is tried nowhere.
func TestEveryCheatIsTried(t *testing.T) {
	tried := map[string]bool{}
	for _, c := range cheats {
		tried[c.id] = true
	}
	for _, id := range idsIn(t, "cheats.json") {
		if !tried[id] {
			t.Errorf("%s is not tried", id)
		}
		delete(tried, id)
	}
	for id := range tried {
		t.Errorf("%s is no cheat of the specification", id)
	}
}

// idsIn are the ids of the vectors in a file.
func idsIn(t *testing.T, file string) []string {
	t.Helper()
	raw := need[[]byte](t)(os.ReadFile(filepath.Join(vectorsFolder, file)))
	var list []struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(raw, &list); err != nil || len(list) == 0 {
		t.Fatalf("%s: %d vectors, %v", file, len(list), err)
	}
	var ids []string
	for _, v := range list {
		ids = append(ids, v.ID)
	}
	return ids
}

// told is the table of a cheat up to the lie, and all ways to tell it, the best first.
func (c cheat) told(t *testing.T, s proof.Suite, fouls wire.Fouls) (*tabletest.Table, []verifiertest.Lie) {
	t.Helper()
	sc, l := c.scene(t, s, fouls)
	forgeries := c.forgeries(sc, l)
	var lies []verifiertest.Lie
	for _, name := range slices.Sorted(maps.Keys(forgeries)) {
		l := verifiertest.Lie{Name: name, Entry: forgeries[name].entry, Check: forgeries[name].check}
		if lies = append(lies, l); name == best {
			lies[0], lies[len(lies)-1] = l, lies[0]
		}
	}
	return sc.Table, lies
}

// A proof that is true, taken from elsewhere: of a table that differs in nothing
// but its name, for another slot, from before the last message, by another seat.
func TestProofsFromElsewhere(t *testing.T) {
	d := stacked{"T22 HK", "T5 T6 SQ DA DJ CT CJ CR CQ", "", "", "DQ DR SR SJ HJ HA"}
	script := []string{"A:three", "A:play HK"}
	for _, suite := range twoSuites(t) {
		s := newScene(t, tabletest.Config{Suite: suite}, d).run(script...)
		twin := newScene(t, tabletest.Config{Suite: suite, Fouls: wire.RecordFouls}, d).run(script...)
		l := s.reach("B:play T5")
		twin.reach("B:play T5")
		honest := s.honest(1, s.move(l))
		condition := s.statements(1, s.move(l))[1]
		secret := s.Hands[1].Secret
		before := s.States[len(s.States)-2]
		for name, p := range map[string][]byte{
			"of another table":        need[[]byte](t)(secret.Prove(twin.State.Context(1, table.Move).Slot(1), condition, nil, s.Random)),
			"for another slot":        need[[]byte](t)(secret.Prove(s.State.Context(1, table.Move).Slot(2), condition, nil, s.Random)),
			"for another seat":        need[[]byte](t)(secret.Prove(s.State.Context(2, table.Move).Slot(1), condition, nil, s.Random)),
			"for another kind":        need[[]byte](t)(secret.Prove(s.State.Context(1, table.Permute).Slot(1), condition, nil, s.Random)),
			"before the last message": need[[]byte](t)(secret.Prove(before.Context(1, table.Move).Slot(1), condition, nil, s.Random)),
		} {
			forged := need[[]byte](t)(s.Forge(honest, func(m *wire.Message) { m.Proofs[1] = p }))
			var fault *table.Fault
			if _, err := tabletest.Apply(s.State, forged); !errors.As(err, &fault) || fault.Class != table.Foul || fault.Seat != 1 || fault.Check != table.CheckCondition {
				t.Errorf("%s, %s: %v, want a foul of seat 1 by %s", suite.Name(), name, err, table.CheckCondition)
			}
		}
		s.add(honest)
	}
}
