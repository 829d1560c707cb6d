package record

import (
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/games/tarokk"
	"github.com/pakli/pakli/protocol/table"
)

// nextMove is the move that the record tells for the stage that the table is in.
func (r *replay) nextMove() (turn, error) {
	p := r.onTurn()[0]
	switch r.state.Stage {
	case tarokk.Knocking: // whatever the packets were, the cards are told
		no := false
		return turn{player: p, move: tarokk.Move{Knock: &no}, at: r.deal.At}, nil
	case tarokk.Bidding:
		return r.bidMove()
	case tarokk.Confirming:
		return r.confirmMove(p)
	case tarokk.Trying:
		return r.trialMove(p)
	case tarokk.AnnullingFirst, tarokk.Annulling:
		return r.annulMove(p)
	case tarokk.Discarding:
		return r.discardMove()
	case tarokk.Disclosing:
		d, at, err := r.readDisclosure(p)
		return turn{player: p, move: tarokk.Move{Disclose: &d}, at: at, claim: "D-CLASS"}, err
	case tarokk.Announcing:
		return r.speechMove(p)
	case tarokk.Playing:
		return r.trickMove(p)
	case tarokk.Opening:
		return r.openMove(p)
	case tarokk.Claiming:
		return r.claimMove(p)
	}
	return r.feeMove(p)
}

// onTurn are the players who may move.
func (r *replay) onTurn() []int {
	var list []int
	for _, seat := range r.rules.Duties(r.state)[0].Seats {
		list = append(list, slices.Index(r.state.Deal.Seats[:], seat))
	}
	return list
}

func claimIDs(claims []tarokk.Claim) []string {
	var list []string
	for _, c := range claims {
		list = append(list, c.ID)
	}
	return list
}

func (r *replay) bidMove() (turn, error) {
	l := r.useLine("bids", Nobody)
	if l == nil || r.bids == len(l.Words) {
		return turn{}, awaitedPart("a call of " + r.memberName(r.onTurn()[0]))
	}
	p, word := cutSeat(l.Words[r.bids])
	r.bids++
	call := tarokk.Call(word)
	_, claims, _ := r.state.Deal.Auction.ApplyCall(r.state.Rules, p, call)
	return turn{player: p, move: tarokk.Move{Call: &call}, at: l.At, claims: claimIDs(claims)}, nil
}

// readAnswer is the answer that a line tells, or else the one that follows from the cards; the record
// must tell one of them.
func (r *replay) readAnswer(key string, p int, set, cards card.Set) (answer bool, at int, err error) {
	switch l := r.useLine(key, p); {
	case l != nil:
		return l.Words[0] == "yes", l.At, nil
	case cards != unknown:
		return countCommon(set, cards) > 0, r.deal.At, nil
	case r.deal.hasLine("say", "trick"):
		return true, r.deal.At, nil
	}
	return false, 0, awaitedPart("the answer of " + r.memberName(p) + " to " + key)
}

func (r *replay) confirmMove(p int) (turn, error) {
	holds, at, err := r.readAnswer("confirm", p, card.SetOf(r.state.Deal.Auction.Invit.Card), r.know.dealt[p])
	_, claims, _ := r.state.Deal.Auction.ConfirmInvit(r.state.Rules, p, holds)
	return turn{player: p, move: tarokk.Move{Confirm: &holds}, at: at, claims: claimIDs(claims)}, err
}

func (r *replay) trialMove(p int) (turn, error) {
	holds, at, err := r.readAnswer("trial", p, tarokk.Honours, r.know.all[p])
	id := "T-TRIAL-OK"
	if !holds {
		id = "T-TRIAL-FAIL"
	}
	return turn{player: p, move: tarokk.Move{Trial: &holds}, at: at, claim: id}, err
}

func (r *replay) annulMove(p int) (turn, error) {
	hand, at := "", r.deal.At
	if l := r.useLine("annul", p); l != nil {
		hand, at = l.Words[0], l.At
	}
	return turn{player: p, move: tarokk.Move{Annul: &hand}, at: at, claim: "N"}, nil
}

// discardMove is a discard that the record tells, of any player who still must discard. Of a deal that
// was annulled it may tell none.
func (r *replay) discardMove() (turn, error) {
	for _, p := range r.onTurn() {
		cards := r.know.discards[p]
		if cards == nil && r.deal.hasLine("annul") {
			cards = slices.Repeat([]card.Face{Unknown}, len(r.state.Deal.Cards[p])-handSize)
		}
		if cards == nil {
			continue
		}
		r.useLine("discard", p)
		letters, err := r.findLetters(p, cards, "R-DISC-1", r.deal.lineNumber("discard", p))
		return turn{player: p, move: tarokk.Move{Discard: &letters}, at: r.deal.lineNumber("discard", p), claim: "D-CLASS"}, err
	}
	return turn{}, awaitedPart("the discard of " + r.memberName(r.onTurn()[0]))
}

// findLetters finds cards in a hand; those with names are found first.
func (r *replay) findLetters(p int, cards []card.Face, rule string, at int) (string, error) {
	sorted := slices.Clone(cards)
	slices.Sort(sorted) // Unknown is the last
	found := ""
	for _, f := range sorted {
		letter, holds := r.letterOf(p, f, found)
		switch {
		case !holds && f == Unknown:
			return "", awaitedPart("the cards that " + r.memberName(p) + " discarded")
		case !holds:
			return "", r.newBreach(at, p, rule, "has no %s", r.cardName(f))
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

// readDisclosure says how many discards are tarokks: as many as the record tells, or as there are.
// Unknown cards may be either.
func (r *replay) readDisclosure(p int) (tarokk.Disclosure, int, error) {
	kind := func(letter byte) int {
		switch f := r.faceAt(p, letter); {
		case f == Unknown:
			return 1
		case tarokk.IsTarokk(f):
			return 0
		}
		return 2
	}
	letters := []byte(r.state.Deal.Discards[p].Letters)
	slices.SortStableFunc(letters, func(a, b byte) int { return kind(a) - kind(b) })
	n, at := 0, r.deal.lineNumber("discard", p)
	for n < len(letters) && kind(letters[n]) == 0 {
		n++
	}
	if said, told := r.disclosedCount(p); told {
		n, at = min(said, len(letters)), r.deal.lineNumber("disclosed", Nobody)
	}
	d := tarokk.Disclosure{Tarokks: sortLetters(string(letters[:n]))}
	if p != r.state.Deal.Outcome.Declarer {
		return d, at, nil
	}
	for _, letter := range []byte(d.Tarokks) {
		f := r.faceAt(p, letter)
		if f == Unknown {
			return d, at, awaitedPart("the tarokks that " + r.memberName(p) + " discarded")
		}
		d.Open = append(d.Open, r.cardName(f))
	}
	return d, at, nil
}

// disclosedCount is the number of tarokks that a player said he discarded; none for a player whom the
// line leaves out (R-DISC-6).
func (r *replay) disclosedCount(p int) (n int, told bool) {
	l := r.useLine("disclosed", Nobody)
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

// speechMove is a turn of the announcements. The passes that end them may be left out if cards follow.
func (r *replay) speechMove(p int) (turn, error) {
	t := turn{player: p, at: r.deal.At, claim: "D-CLASS", move: tarokk.Move{Say: &tarokk.Speech{Turn: []string{}}}}
	lines := r.deal.linesOf("say")
	switch {
	case r.says < len(lines):
		l := lines[r.says]
		t.player, t.at = l.Seat, l.At
		if err := r.readStatements(&t, r.withCountFirst(t.player, l.Words)); err != nil {
			return t, err
		}
		r.says++
	case !r.deal.hasLine("trick"):
		return t, awaitedPart("what " + r.memberName(p) + " says")
	default:
		t.at = r.deal.linesOf("trick")[0].At
	}
	a := *r.state.Deal.Announce
	if !r.state.Deal.Discards[t.player].Said {
		d, _, err := r.readDisclosure(t.player)
		if err != nil {
			return t, err
		}
		t.move.Say.Discards = &d
		a.PublicFacts.Tarokks[t.player] = len(d.Tarokks)
		for _, name := range d.Open {
			f, _ := tarokk.ParseFace(name)
			a.PublicFacts.Opened = append(slices.Clip(a.PublicFacts.Opened), f)
		}
	}
	_, claims, _ := a.TakeTurn(r.state.Rules, t.player, t.move.Say.Turn)
	t.claims = claimIDs(claims)
	return t, nil
}

// withCountFirst moves a count to the beginning of its turn, where a table has it (AMB-13). It stays
// where it is in the declarer's first turn, which has an order of its own (R-ANC-2), and if it says
// something about sides.
func (r *replay) withCountFirst(p int, words []string) []string {
	rules, a := r.state.Rules, r.state.Deal.Announce
	if a.Called == nil || rules.CountSide != "neutral" || rules.CountPais && p != a.PublicFacts.Declarer {
		return words
	}
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b string) int {
		return strings.Count(b, "count ") - strings.Count(a, "count ")
	})
	return words
}

// readStatements turns the words of a turn into statements of the game.
func (r *replay) readStatements(t *turn, words []string) error {
	for _, text := range words {
		word, object, _ := strings.Cut(text, " ")
		switch {
		case object == "":
			text = "fig:" + word
		case slices.Contains(ladder, word):
			item, err := r.contraItem(t, word, object)
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

// contraItem is the item that a contra is for; the record may have left out its side.
func (r *replay) contraItem(t *turn, word, object string) (string, error) {
	found := slices.DeleteFunc(slices.Clone(r.state.Deal.Announce.Items), func(a tarokk.AnnouncedItem) bool {
		return a.Item.String() != object && string(a.Item.Figure) != object
	})
	switch {
	case len(found) == 0 && isFigure(object): // the rules will say that it was not announced
		return tarokk.DeclarerSide.String() + "." + object, nil
	case len(found) == 0:
		return object, nil
	case len(found) > 1:
		return "", r.newBreach(t.at, t.player, "R-CON-1", "both sides announced %s: the contra must name the side", object)
	}
	item, step := found[0].Item.String(), found[0].Contra
	if step < len(ladder) && ladder[step] != word {
		return "", r.newBreach(t.at, t.player, "R-CON-2", "%s is not the next step on %s: that is %s", word, item, ladder[step])
	}
	return item, nil
}

// trickMove is the next card of the current trick.
func (r *replay) trickMove(p int) (turn, error) {
	played := r.currentMoment() - firstCard
	done, pos := played/players, played%players
	tricks := r.deal.linesOf("trick")
	if done >= len(tricks) {
		return turn{}, awaitedPart("a card of " + r.memberName(p))
	}
	l := tricks[done]
	switch {
	case pos == 0 && l.Seat != p:
		return turn{}, r.newBreach(l.At, l.Seat, "R-PLAY-1", "trick %d is led by %s, and not by this player", done+1, r.nameAndSeat(p))
	case pos < len(l.Cards):
		return r.cardMove(p, l.Cards[pos], l.At)
	case done+1 < len(tricks):
		return turn{}, r.newBreach(l.At, Nobody, "R-PLAY-1", "trick %d has %d cards, and not %d", done+1, len(l.Cards), players)
	}
	return turn{}, awaitedPart("a card of " + r.memberName(p))
}

// cardMove plays a card. If need be, it plays the pagát as the card of a player who shows his side
// (R-PLAY-7).
func (r *replay) cardMove(p int, f card.Face, at int) (turn, error) {
	letter, err := r.findLetters(p, []card.Face{f}, "R-PLAY-1", at)
	play := func(side tarokk.Side) turn {
		return turn{player: p, move: tarokk.Move{Play: &tarokk.Play{Card: letter, Face: r.cardName(f), Side: side.String()}}, at: at, claim: "P"}
	}
	for _, side := range []tarokk.Side{tarokk.UnknownSide, tarokk.DeclarerSide, tarokk.DefenderSide} {
		if f != tarokk.Pagat || err != nil {
			break
		}
		if _, _, err := r.judgeTurn(play(side)); err == nil {
			return play(side), nil
		}
	}
	return play(tarokk.UnknownSide), err
}

// openMove turns the discards up.
func (r *replay) openMove(p int) (turn, error) {
	names := []string{}
	d := r.state.Deal.Discards[p]
	for i, name := range d.Faces {
		if name != "" {
			continue
		}
		f := r.faceAt(p, d.Letters[i])
		if f == Unknown {
			return turn{}, awaitedPart("the cards that " + r.memberName(p) + " discarded")
		}
		names = append(names, r.cardName(f))
	}
	return turn{player: p, move: tarokk.Move{Open: &names}, at: r.deal.lineNumber("discard", p)}, nil
}

func (r *replay) claimMove(p int) (turn, error) {
	claims := slices.Contains(r.deal.lineWords("claim"), seatNames[p:p+1])
	r.used["claim "+seatNames[p:p+1]] = true
	return turn{player: p, move: tarokk.Move{Claim: &claims}, at: r.deal.lineNumber("claim", Nobody)}, nil
}

// feeMove names the honours that the record tells, or else those that were drawn.
func (r *replay) feeMove(p int) (turn, error) {
	names := []string{}
	honours, at := r.know.drawn[p].Minus(tarokk.AllBut(tarokk.Honours)), r.deal.At
	if l := r.useLine("fee", p); l != nil {
		honours, at = card.SetOf(l.Cards...), l.At
	}
	for _, f := range honours.Faces() {
		names = append(names, r.cardName(f))
	}
	return turn{player: p, move: tarokk.Move{Fee: &names}, at: at, claim: "E-FEE"}, nil
}

// makeWishes makes the wishes between two deals; they are "go" if the record tells none.
func (r *replay) makeWishes(last bool) error {
	if r.state.Stage != tarokk.Between {
		if l := r.deal.findLine("between", Nobody); l != nil {
			return r.newBreach(l.At, Nobody, "R-SESS-1", "members are not asked after this deal")
		}
		return nil
	}
	words, at := r.deal.lineWords("between"), r.deal.lineNumber("between", Nobody)
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
			return r.breachOf(at, Nobody, err)
		}
		r.state = next
	}
	r.report.takeBalance(r.state)
	return nil
}
