package record

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
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
		return r.try(p)
	case tarokk.AnnullingFirst, tarokk.Annulling:
		return r.annul(p)
	case tarokk.Discarding:
		return r.discard()
	case tarokk.Disclosing:
		d, at, err := r.disclosure(p)
		return turn{player: p, move: tarokk.Move{Disclose: &d}, at: at, claims: []string{"D-CLASS"}}, err
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

func (r *referee) try(p int) (turn, error) {
	holds, at, err := r.answer("trial", p, deck.Honours, r.know.all[p])
	id := "T-TRIAL-OK"
	if !holds {
		id = "T-TRIAL-FAIL"
	}
	return turn{player: p, move: tarokk.Move{Trial: &holds}, at: at, claims: []string{id}}, err
}

func (r *referee) annul(p int) (turn, error) {
	hand, at := "", r.deal.At
	if l := r.line("annul", p); l != nil {
		hand, at = l.Words[0], l.At
	}
	return turn{player: p, move: tarokk.Move{Annul: &hand}, at: at, claims: []string{"N"}}, nil
}

// discard lays away what the record tells of any of those who still must. Of a
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
		return turn{player: p, move: tarokk.Move{Discard: &letters}, at: r.at("discard", p), claims: []string{"D-CLASS"}}, err
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
			return "", waiting("which cards " + r.name(p) + " laid away")
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
// as there are.
func (r *referee) disclosure(p int) (tarokk.Disclosure, int, error) {
	var tarokks, others string
	for _, letter := range []byte(r.state.Deal.Discards[p].Letters) {
		if f := r.face(p, letter); f != Unknown && deck.IsTarokk(f) {
			tarokks += string(letter)
		} else if f == Unknown {
			others = string(letter) + others
		} else {
			others += string(letter)
		}
	}
	at := r.at("discard", p)
	if said, told := r.disclosed(p); told {
		at = r.at("disclosed", Nobody)
		for len(tarokks) < said && others != "" {
			tarokks, others = tarokks+others[:1], others[1:]
		}
		tarokks = tarokks[:min(said, len(tarokks))]
	}
	d := tarokk.Disclosure{Tarokks: sortLetters(tarokks)}
	if p != r.state.Deal.Outcome.Declarer {
		return d, at, nil
	}
	for _, letter := range []byte(d.Tarokks) {
		f := r.face(p, letter)
		if f == Unknown {
			return d, at, waiting("which tarokks " + r.name(p) + " laid away")
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
	t := turn{player: p, at: r.deal.At, move: tarokk.Move{Say: &tarokk.Speech{Turn: []string{}}}}
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
	t.claims = append([]string{}, ids(claims)...)
	if len(t.claims) == 1 && t.move.Say.Discards != nil {
		t.claims = append([]string{"D-CLASS"}, t.claims...)
	}
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
		step := slices.Index(ladder, word)
		switch {
		case object == "":
			text = "fig:" + word
		case step < 0:
			text = word + ":" + object
		default:
			item, at, err := r.item(t, object)
			if err != nil {
				return err
			}
			if at >= 0 && at != step {
				return r.breach(t.at, t.player, "R-CON-2", "%s is not the next step on %s: that is %s", word, item, r.nextStep(at))
			}
			text = "contra:" + item
		}
		t.move.Say.Turn = append(t.move.Say.Turn, text)
	}
	return nil
}

func (r *referee) nextStep(step int) string {
	if step == len(ladder) {
		return "none"
	}
	return ladder[step]
}

// item is what a contra is aimed at, whose side may have been left out, and the
// steps made on it; -1 if it was not announced.
func (r *referee) item(t *turn, object string) (item string, step int, err error) {
	found := ""
	for _, a := range r.state.Deal.Announce.Items {
		name := a.Item.String()
		if name != object && string(a.Item.Figure) != object {
			continue
		}
		if found != "" {
			return "", 0, r.breach(t.at, t.player, "R-CON-1", "both sides announced %s: the contra must name the side", object)
		}
		found, step = name, a.Contra
	}
	if found == "" && object != string(score.Game) && !strings.Contains(object, ".") {
		return score.Dec.String() + "." + object, -1, nil
	}
	if found == "" {
		return object, -1, nil
	}
	return found, step, nil
}

// lead is a card to the current trick.
func (r *referee) lead(p int) (turn, error) {
	done := 0
	pos := 0
	for _, t := range r.state.Deal.Tricks {
		if len(t.Faces) == players {
			done++
		} else {
			pos = len(t.Faces)
		}
	}
	tricks := r.deal.all("trick")
	if done >= len(tricks) {
		return turn{}, waiting("a card of " + r.name(p))
	}
	l := tricks[done]
	switch {
	case pos == 0 && l.Seat != p:
		return turn{}, r.breach(l.At, l.Seat, "R-PLAY-1", "trick %d is led by %s, and not by this player", done+1, r.who(p))
	case pos >= len(l.Cards) && done+1 < len(tricks):
		return turn{}, r.breach(l.At, Nobody, "R-PLAY-1", "trick %d has %d cards, and not %d", done+1, len(l.Cards), players)
	case pos >= len(l.Cards):
		return turn{}, waiting("a card of " + r.name(p))
	}
	return r.card(p, l.Cards[pos], l.At)
}

// card plays a card; the pagát, if need be, as that of a player who shows his
// side (R-PLAY-7).
func (r *referee) card(p int, f card.Face, at int) (turn, error) {
	letter, err := r.letters(p, []card.Face{f}, "R-PLAY-1", at)
	t := turn{player: p, move: tarokk.Move{Play: &tarokk.Play{Card: letter, Face: r.cardName(f)}}, at: at, claims: []string{"P"}}
	if err != nil || f != deck.Pagat {
		return t, err
	}
	if _, _, err := r.judge(t); err == nil {
		return t, nil
	}
	for _, side := range []score.Side{score.Dec, score.Def} {
		play := tarokk.Play{Card: letter, Face: r.cardName(f), Side: side.String()}
		shown := turn{player: p, move: tarokk.Move{Play: &play}, at: at, claims: []string{"P"}}
		if _, _, err := r.judge(shown); err == nil {
			return shown, nil
		}
	}
	return t, nil
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
			return turn{}, waiting("which cards " + r.name(p) + " laid away")
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
	return turn{player: p, move: tarokk.Move{Fee: &names}, at: at, claims: []string{"E-FEE"}}, nil
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
