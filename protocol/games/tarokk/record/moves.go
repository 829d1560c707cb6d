package record

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/games/tarokk/announce"
	"github.com/pakli/pakli/protocol/games/tarokk/auction"
	"github.com/pakli/pakli/protocol/games/tarokk/claim"
	"github.com/pakli/pakli/protocol/games/tarokk/deck"
	"github.com/pakli/pakli/protocol/games/tarokk/score"
	"github.com/pakli/pakli/protocol/table"
)

// next is the move that the record tells for what play waits for.
func (r *referee) next() (turn, error) {
	p := r.onTurn()[0]
	switch r.state.Stage {
	case tarokk.Knocking: // whatever the packets were, the cards are told
		no := false
		return turn{player: p, move: tarokk.Move{Knock: &no}, at: r.deal.At}, nil
	case tarokk.Bidding:
		return r.bid()
	case tarokk.Confirming:
		return r.confirm(p)
	case tarokk.Trying:
		return r.trial(p)
	case tarokk.AnnullingFirst, tarokk.Annulling:
		return r.annul(p)
	case tarokk.Discarding:
		return r.discard()
	case tarokk.Disclosing:
		d, at, err := r.disclosure(p)
		return turn{player: p, move: tarokk.Move{Disclose: &d}, at: at, claim: "D-CLASS"}, err
	case tarokk.Announcing:
		return r.speak(p)
	case tarokk.Playing:
		return r.lead(p)
	case tarokk.Opening:
		return r.open(p)
	case tarokk.Claiming:
		return r.claim(p)
	}
	return r.fee(p)
}

// onTurn are the players who may move.
func (r *referee) onTurn() []int {
	var list []int
	for _, seat := range r.rules.Duties(r.state)[0].Seats {
		list = append(list, slices.Index(r.state.Deal.Seats[:], seat))
	}
	return list
}

func ids(claims []claim.Claim) []string {
	var list []string
	for _, c := range claims {
		list = append(list, c.ID)
	}
	return list
}

func (r *referee) bid() (turn, error) {
	l := r.line("bids", Nobody)
	if l == nil || r.bids == len(l.Words) {
		return turn{}, waiting("a call of " + r.name(r.onTurn()[0]))
	}
	p, word := cutSeat(l.Words[r.bids])
	r.bids++
	call := auction.Call(word)
	_, claims, _ := r.state.Deal.Auction.Apply(r.state.Rules, p, call)
	return turn{player: p, move: tarokk.Move{Call: &call}, at: l.At, claims: ids(claims)}, nil
}

// answer is what a line says, or else what the cards say: of which the record
// must tell one.
func (r *referee) answer(key string, p int, set, cards card.Set) (answer bool, at int, err error) {
	switch l := r.line(key, p); {
	case l != nil:
		return l.Words[0] == "yes", l.At, nil
	case cards != unknown:
		return common(set, cards) > 0, r.deal.At, nil
	case r.deal.has("say", "trick"):
		return true, r.deal.At, nil
	}
	return false, 0, waiting("the answer of " + r.name(p) + " to " + key)
}

func (r *referee) confirm(p int) (turn, error) {
	holds, at, err := r.answer("confirm", p, card.SetOf(r.state.Deal.Auction.Invit.Card), r.know.dealt[p])
	_, claims, _ := r.state.Deal.Auction.Confirm(r.state.Rules, p, holds)
	return turn{player: p, move: tarokk.Move{Confirm: &holds}, at: at, claims: ids(claims)}, err
}

func (r *referee) trial(p int) (turn, error) {
	holds, at, err := r.answer("trial", p, deck.Honours, r.know.all[p])
	id := "T-TRIAL-OK"
	if !holds {
		id = "T-TRIAL-FAIL"
	}
	return turn{player: p, move: tarokk.Move{Trial: &holds}, at: at, claim: id}, err
}

func (r *referee) annul(p int) (turn, error) {
	hand, at := "", r.deal.At
	if l := r.line("annul", p); l != nil {
		hand, at = l.Words[0], l.At
	}
	return turn{player: p, move: tarokk.Move{Annul: &hand}, at: at, claim: "N"}, nil
}

// discard is what the record tells of any of those who still must discard. Of a
// deal that was annulled nobody knows it.
func (r *referee) discard() (turn, error) {
	for _, p := range r.onTurn() {
		cards := r.know.discards[p]
		if cards == nil && r.deal.has("annul") {
			cards = slices.Repeat([]card.Face{Unknown}, len(r.state.Deal.Cards[p])-handSize)
		}
		if cards == nil {
			continue
		}
		r.line("discard", p)
		letters, err := r.letters(p, cards, "R-DISC-1", r.at("discard", p))
		return turn{player: p, move: tarokk.Move{Discard: &letters}, at: r.at("discard", p), claim: "D-CLASS"}, err
	}
	return turn{}, waiting("the discard of " + r.name(r.onTurn()[0]))
}

// letters finds cards in a hand, those that are named first.
func (r *referee) letters(p int, cards []card.Face, rule string, at int) (string, error) {
	sorted := slices.Clone(cards)
	slices.Sort(sorted) // Unknown is the last
	found := ""
	for _, f := range sorted {
		letter, holds := r.letterOf(p, f, found)
		switch {
		case !holds && f == Unknown:
			return "", waiting("the cards that " + r.name(p) + " discarded")
		case !holds:
			return "", r.breach(at, p, rule, "has no %s", r.cardName(f))
		}
		found += letter
	}
	return sortLetters(found), nil
}

func sortLetters(letters string) string {
	b := []byte(letters)
	slices.Sort(b)
	return string(b)
}

// disclosure says how many discards are tarokks: as many as the record tells, or
// as there are. Cards that are not known may be either.
func (r *referee) disclosure(p int) (tarokk.Disclosure, int, error) {
	kind := func(letter byte) int {
		switch f := r.face(p, letter); {
		case f == Unknown:
			return 1
		case deck.IsTarokk(f):
			return 0
		}
		return 2
	}
	letters := []byte(r.state.Deal.Discards[p].Letters)
	slices.SortStableFunc(letters, func(a, b byte) int { return kind(a) - kind(b) })
	n, at := 0, r.at("discard", p)
	for n < len(letters) && kind(letters[n]) == 0 {
		n++
	}
	if said, told := r.disclosed(p); told {
		n, at = min(said, len(letters)), r.at("disclosed", Nobody)
	}
	d := tarokk.Disclosure{Tarokks: sortLetters(string(letters[:n]))}
	if p != r.state.Deal.Outcome.Declarer {
		return d, at, nil
	}
	for _, letter := range []byte(d.Tarokks) {
		f := r.face(p, letter)
		if f == Unknown {
			return d, at, waiting("the tarokks that " + r.name(p) + " discarded")
		}
		d.Open = append(d.Open, r.cardName(f))
	}
	return d, at, nil
}

// disclosed is how many tarokks a player said to have discarded; of those whom
// the line leaves out, none (R-DISC-6).
func (r *referee) disclosed(p int) (n int, told bool) {
	l := r.line("disclosed", Nobody)
	if l == nil {
		return 0, false
	}
	for _, word := range l.Words {
		if seat, number := cutSeat(word); seat == p {
			return int(number[0] - '0'), true
		}
	}
	return 0, true
}

// speak is a turn of the announcements. Where cards follow, the passes that end
// them may be left out.
func (r *referee) speak(p int) (turn, error) {
	t := turn{player: p, at: r.deal.At, claim: "D-CLASS", move: tarokk.Move{Say: &tarokk.Speech{Turn: []string{}}}}
	lines := r.deal.all("say")
	switch {
	case r.says < len(lines):
		l := lines[r.says]
		t.player, t.at = l.Seat, l.At
		if err := r.statements(&t, r.ordered(t.player, l.Words)); err != nil {
			return t, err
		}
		r.says++
	case !r.deal.has("trick"):
		return t, waiting("what " + r.name(p) + " says")
	default:
		t.at = r.deal.all("trick")[0].At
	}
	a := *r.state.Deal.Announce
	if !r.state.Deal.Discards[t.player].Said {
		d, _, err := r.disclosure(t.player)
		if err != nil {
			return t, err
		}
		t.move.Say.Discards = &d
		a.Public.Tarokks[t.player] = len(d.Tarokks)
		for _, name := range d.Open {
			f, _ := deck.Parse(name)
			a.Public.Opened = append(slices.Clip(a.Public.Opened), f)
		}
	}
	_, claims, _ := a.Turn(r.state.Rules, t.player, t.move.Say.Turn)
	t.claims = ids(claims)
	return t, nil
}

// ordered puts a count before what else was said in a turn, as a table has it
// (AMB-13). Only the declarer's first turn has an order of its own (R-ANC-2), and a
// count that says something about sides counts where it stands.
func (r *referee) ordered(p int, words []string) []string {
	rules, a := r.state.Rules, r.state.Deal.Announce
	if a.Called == nil || rules.CountSide != "neutral" || rules.CountPais && p != a.Public.Declarer {
		return words
	}
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b string) int {
		return strings.Count(b, "count ") - strings.Count(a, "count ")
	})
	return words
}

// statements turns the words of a turn into those of the game.
func (r *referee) statements(t *turn, words []string) error {
	for _, text := range words {
		word, object, _ := strings.Cut(text, " ")
		switch {
		case object == "":
			text = "fig:" + word
		case slices.Contains(ladder, word):
			item, err := r.contra(t, word, object)
			if err != nil {
				return err
			}
			text = "contra:" + item
		default:
			text = word + ":" + object
		}
		t.move.Say.Turn = append(t.move.Say.Turn, text)
	}
	return nil
}

// contra is the item that a contra is aimed at, whose side may have been left out.
func (r *referee) contra(t *turn, word, object string) (string, error) {
	found := slices.DeleteFunc(slices.Clone(r.state.Deal.Announce.Items), func(a announce.Announced) bool {
		return a.Item.String() != object && string(a.Item.Figure) != object
	})
	switch {
	case len(found) == 0 && isFigure(object): // the rules say that it was not announced
		return score.Dec.String() + "." + object, nil
	case len(found) == 0:
		return object, nil
	case len(found) > 1:
		return "", r.breach(t.at, t.player, "R-CON-1", "both sides announced %s: the contra must name the side", object)
	}
	item, step := found[0].Item.String(), found[0].Contra
	if step < len(ladder) && ladder[step] != word {
		return "", r.breach(t.at, t.player, "R-CON-2", "%s is not the next step on %s: that is %s", word, item, ladder[step])
	}
	return item, nil
}

// lead is a card to the current trick.
func (r *referee) lead(p int) (turn, error) {
	played := r.moment() - firstCard
	done, pos := played/players, played%players
	tricks := r.deal.all("trick")
	if done >= len(tricks) {
		return turn{}, waiting("a card of " + r.name(p))
	}
	l := tricks[done]
	switch {
	case pos == 0 && l.Seat != p:
		return turn{}, r.breach(l.At, l.Seat, "R-PLAY-1", "trick %d is led by %s, and not by this player", done+1, r.who(p))
	case pos < len(l.Cards):
		return r.card(p, l.Cards[pos], l.At)
	case done+1 < len(tricks):
		return turn{}, r.breach(l.At, Nobody, "R-PLAY-1", "trick %d has %d cards, and not %d", done+1, len(l.Cards), players)
	}
	return turn{}, waiting("a card of " + r.name(p))
}

// card plays a card; the pagát, if need be, as that of a player who shows his
// side (R-PLAY-7).
func (r *referee) card(p int, f card.Face, at int) (turn, error) {
	letter, err := r.letters(p, []card.Face{f}, "R-PLAY-1", at)
	play := func(side score.Side) turn {
		return turn{player: p, move: tarokk.Move{Play: &tarokk.Play{Card: letter, Face: r.cardName(f), Side: side.String()}}, at: at, claim: "P"}
	}
	for _, side := range []score.Side{score.Unknown, score.Dec, score.Def} {
		if f != deck.Pagat || err != nil {
			break
		}
		if _, _, err := r.judge(play(side)); err == nil {
			return play(side), nil
		}
	}
	return play(score.Unknown), err
}

// open turns the discards up.
func (r *referee) open(p int) (turn, error) {
	names := []string{}
	d := r.state.Deal.Discards[p]
	for i, name := range d.Faces {
		if name != "" {
			continue
		}
		f := r.face(p, d.Letters[i])
		if f == Unknown {
			return turn{}, waiting("the cards that " + r.name(p) + " discarded")
		}
		names = append(names, r.cardName(f))
	}
	return turn{player: p, move: tarokk.Move{Open: &names}, at: r.at("discard", p)}, nil
}

func (r *referee) claim(p int) (turn, error) {
	claims := slices.Contains(r.words("claim"), seatNames[p:p+1])
	r.used["claim "+seatNames[p:p+1]] = true
	return turn{player: p, move: tarokk.Move{Claim: &claims}, at: r.at("claim", Nobody)}, nil
}

// fee is the honours that the record tells, or else those that were drawn.
func (r *referee) fee(p int) (turn, error) {
	names := []string{}
	honours, at := r.know.drawn[p].Without(deck.Not(deck.Honours)), r.deal.At
	if l := r.line("fee", p); l != nil {
		honours, at = card.SetOf(l.Cards...), l.At
	}
	for _, f := range honours.Faces() {
		names = append(names, r.cardName(f))
	}
	return turn{player: p, move: tarokk.Move{Fee: &names}, at: at, claim: "E-FEE"}, nil
}

// between makes the wishes between two deals: go, if the record tells none.
func (r *referee) between(last bool) error {
	if r.state.Stage != tarokk.Between {
		if l := r.deal.find("between", Nobody); l != nil {
			return r.breach(l.At, Nobody, "R-SESS-1", "members are not asked after this deal")
		}
		return nil
	}
	words, at := r.words("between"), r.at("between", Nobody)
	if words == nil && last {
		return nil
	}
	for i := 0; r.state.Stage == tarokk.Between; i++ {
		word := "go"
		if words != nil {
			word = words[i]
		}
		seat := r.rules.Duties(r.state)[0].Seats[0]
		next, _, err := r.rules.Apply(r.state, table.Input[tarokk.Move]{Seat: seat, Move: tarokk.Move{Wish: &word}})
		if err != nil {
			return r.refused(at, Nobody, err)
		}
		r.state = next
	}
	r.report.balance(r.state)
	return nil
}
