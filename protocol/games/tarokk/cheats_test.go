package tarokk_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
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
	stuck   bool                                    // what was done before leaves no honest move
	untrue  string                                  // the statement that does not hold
	check   table.Check                             // where the best forgery fails, if not there
	build   func(*scene, saying) []verifiertest.Lie // instead of forgeries
}

// A bids two on the XIX, B takes it for one, and the invit is binding.
var invited = []string{"A:two", "B:one", "A:pass"}

var cheats = []cheat{
	{id: "CH-01", how: "a giver's token that is another share", deal: stacked{}, lie: "A:pass", build: falseTokens},
	{id: "CH-01", how: "the card turned up is another", deal: stacked{"T21 HK", "T22"}, script: []string{"B:three", "A:say"}, lie: "A:play HK=T22", check: table.CheckFace},
	{id: "CH-01", how: "a token that makes it another", deal: stacked{"T21 HK", "T22"}, script: []string{"B:three", "A:say"}, lie: "A:play HK=T22", build: tokenOfAnother},
	{id: "CH-01", how: "it is brought in as the hand is permuted", deal: stacked{"T22"}, script: []string{"A:three"}, lie: "B:discard", build: exchanged("brought in")},
	{id: "CH-02", deal: stacked{"T22"}, script: []string{"A:three"}, lie: "B:discard", build: exchanged("doubled")},
	{id: "CH-03", deal: stacked{"", "T1", "T21", "T22"}, lie: "A:three", untrue: "1 of H0 in HONOUR"},
	{id: "CH-03", how: "later than others", deal: stacked{"T1", "T22 T21", "", ""}, script: []string{"A:three", "B:two"}, lie: "C:one", untrue: "1 of H0 in HONOUR"},
	{id: "CH-04", deal: stacked{"T22 T18", "T19"}, lie: "A:two", untrue: "1 of H0 in {T19}"},
	{id: "CH-05", deal: stacked{"T22 T19", "T18"}, lie: "A:one", untrue: "1 of H0 in {T18}"},
	{id: "CH-06", deal: stacked{"T20 T1", "T22", "T21"}, script: []string{"A:three", "B:two"}, lie: "A:pass", untrue: "1 of H0 in BIG"},
	{id: "CH-07", deal: stacked{"T22", "T21", "", "T20"}, script: []string{"A:three", "B:two"}, lie: "A:pass", untrue: "1 of H0 in {T20}"},
	{id: "CH-08", deal: stacked{"T22", "T21", "T1", ""}, script: []string{"D:three"}, lie: "D:trial yes", untrue: "1 of G in HONOUR"},
	{id: "CH-08", how: "at solo, with nothing drawn", deal: stacked{"T22", "T21", "T1", ""}, script: []string{"D:solo"}, lie: "D:trial yes", untrue: "1 of G in HONOUR"},
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

// told is the table of a cheat up to the lie, and all ways to tell it, the best first.
func (c cheat) told(t *testing.T, config tabletest.Config) (*tabletest.Table, []verifiertest.Lie) {
	t.Helper()
	config.Options = c.options
	s := newScene(t, config, c.deal)
	s.run(c.script...)
	l := s.reach(c.lie)
	seat := s.seat(l.player)
	switch {
	case c.build != nil:
		return s.Table, c.build(s, l)
	case c.check == table.CheckRules:
		return s.Table, forbidden(s, l)
	case c.check == table.CheckFace:
		return s.Table, s.Bluffs(c.check, seat, s.move(l))
	}
	move := s.move(l)
	_, untrue := s.Statements(seat, move)
	var words []string
	for _, i := range untrue {
		words = append(words, s.demands(l.player, move)[i])
	}
	testmust.Requiref(s, len(words) == 1 && words[0] == c.untrue, "what is untrue is %q, want %q alone", words, c.untrue)
	return s.Table, s.UntrueMoves(seat, move)
}

// falseTokens are those of a seat of which one is another share.
func falseTokens(s *scene, _ saying) []verifiertest.Lie {
	d := s.BackTo(func(d table.Duty) bool { return d.Kind == table.Show })
	return s.FalseTokens(d, 0)
}

// tokenOfAnother turns up a card with a token that is right for another card of
// the player's making.
func tokenOfAnother(s *scene, l saying) []verifiertest.Lie {
	seat, move := s.seat(l.player), s.move(l)
	secret := s.Hands[seat].Secret
	minted := s.MintCards(seat, s.pack())[tarokk.Skiz]
	token := secret.Token(minted)
	other := proof.Reveal{Key: secret.Key(), Cards: []proof.MaskedCard{minted}, Tokens: []proof.Token{token}}
	p := testmust.Have(s.Prove(seat, table.Move, 0, other, nil))(s.T)
	body := wire.MoveBody{Move: move, Tokens: [][]byte{token.Bytes()}}
	return []verifiertest.Lie{{Name: "a token of another", Entry: s.SignMessage(seat, table.Move, body, p), Check: table.CheckReveal}}
}

// pack is the pack under the table's encoding.
func (s *scene) pack() proof.Deck {
	s.Helper()
	cards := testmust.Have(card.NewDeck("tarokk/v1/ace", tarokk.FaceNames("ace")))(s.T)
	return testmust.Have(s.Config.Suite.Encoding().Deck(cards))(s.T)
}

// exchanged permutes a hand in which a card was exchanged: for a skíz of the player's
// own making that is brought in, or for another card of the hand that is doubled.
func exchanged(how string) func(*scene, saying) []verifiertest.Lie {
	return func(s *scene, l saying) []verifiertest.Lie {
		seat := s.seat(l.player)
		d := s.BackTo(func(d table.Duty) bool { return d.Kind == table.Permute && d.Owes(seat) })
		hand := s.State.MaskedCards(d.Cards)
		other := s.CopyCard(seat, hand[1])
		if how == "brought in" {
			other = s.MintCards(seat, s.pack())[tarokk.Skiz]
		}
		in := slices.Concat([]proof.MaskedCard{other}, hand[1:])
		return []verifiertest.Lie{s.ShuffleLie(how, seat, table.Permute, s.Hands[seat].Secret.Key(), hand, in)}
	}
}

// forbidden is a move that the rules allow to no hand, whatever is proved of it.
func forbidden(s *scene, l saying) []verifiertest.Lie {
	return s.ForbiddenMoves("", s.seat(l.player), s.move(l))
}

// notInHand plays a card that the player has not got any more, by its letter.
func notInHand(s *scene, l saying) []verifiertest.Lie {
	d := s.public().Deal
	gone := slices.IndexFunc(d.Cards[l.player], func(c table.Card) bool {
		return !strings.Contains(d.Held[l.player], string(rune('a'+slices.Index(d.Cards[l.player], c))))
	})
	l.words = []string{string(rune('a'+gone)) + "=" + l.words[0]}
	return forbidden(s, l)
}

// replayed trumps a suit that the player holds with the proof that another one
// was missing: of a vector that had a card more.
func replayed(s *scene, l saying) []verifiertest.Lie {
	seat, move := s.seat(l.player), s.move(l)
	proofs := s.Proofs(seat, move, nil)
	proofs[1] = s.LastMessage(func(m *wire.Message) bool { return table.Seat(m.Seat) == seat }).Proofs[1]
	return []verifiertest.Lie{{Name: "replayed", Entry: s.SignMessage(seat, table.Move, s.MoveBody(seat, move), proofs...), Check: table.CheckCondition}}
}

// allCheats are the cheats as they are tried.
func allCheats() (list []verifiertest.Cheat) {
	for _, c := range cheats {
		list = append(list, verifiertest.Cheat{ID: c.id, How: c.how, Stuck: c.stuck, Told: c.told})
	}
	return list
}

// Every cheat of the list, told in every way.
func TestCheats(t *testing.T) { verifiertest.TryCheats(t, allCheats()) }

// A cheat of the specification that is tried nowhere.
func TestEveryCheatIsTried(t *testing.T) {
	verifiertest.CheckListed(t, allCheats(), idsIn(t, "cheats.json")...)
}

// idsIn are the ids of the vectors in a file.
func idsIn(t *testing.T, file string) []string {
	t.Helper()
	raw := testmust.Have(os.ReadFile(filepath.Join(vectorsFolder, file)))(t)
	var list []struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(raw, &list)
	testmust.Requiref(t, err == nil && len(list) != 0, "%s: %d vectors, %v", file, len(list), err)
	var ids []string
	for _, v := range list {
		ids = append(ids, v.ID)
	}
	return ids
}

// twoSuites are those of tests that need no more.
func twoSuites(t *testing.T) []proof.Suite { return []proof.Suite{clear.Suite{}, defaultSuite(t)} }
