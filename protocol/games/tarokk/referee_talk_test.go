package tarokk_test

import (
	"errors"
	"slices"
	"strings"

	"github.com/pakli/pakli/protocol/games/tarokk"
)

// refTalk is R-CALL, R-ANC, R-CNT, R-FIG, R-CON and R-SIDE with open cards.
type refTalk struct {
	called string
	items  []refItem
	counts [4]int
	side   [4]string // "DEC", "DEF", or "" while it is not public
	last   string    // R-SIDE-1
	told   [4]bool   // discards announced
	opened [4]bool   // discards turned up
}

// refItem is the game ("game") or a figure ("DEC.trull").
type refItem struct {
	name  string
	by    int
	step  int
	fresh bool // announced in this turn
	moved bool // contra'd in this turn
}

func (t *refTalk) has(item string) bool { return t.item(item) != nil }

func (t *refTalk) item(name string) *refItem {
	for i := range t.items {
		if t.items[i].name == name {
			return &t.items[i]
		}
	}
	return nil
}

// known makes a side public (R-SIDE-5, R-SIDE-6).
func (t *refTalk) known(p int, side string) {
	if t.side[p] != "" {
		return
	}
	t.side[p] = side
	if side == "DEC" {
		t.alone()
	}
}

// alone makes opponents of all whose side is not public.
func (t *refTalk) alone() {
	for q := range t.side {
		if t.side[q] == "" {
			t.side[q] = "DEF"
		}
	}
}

// truly is the side on which p really is (R-CALL-1, R-CALL-7).
func (r *referee) truly(p int) string {
	if p == r.declarer || r.helper() == p {
		return "DEC"
	}
	return "DEF"
}

// helper is the declarer's partner, or none.
func (r *referee) helper() int {
	for p := range 4 {
		if p != r.declarer && (slices.Contains(r.hand(p), r.called) || slices.Contains(r.playedBy(p), r.called)) {
			return p
		}
	}
	return none
}

func (d *openDeal) playedBy(p int) []string {
	var list []string
	for i, trick := range d.tricks {
		if k := (p - d.leads[i] + 4) % 4; k < len(trick) {
			list = append(list, trick[k])
		}
	}
	return list
}

// begun is what everybody knows before the announcements.
func (r *referee) begun() {
	r.items, r.last = []refItem{{name: "game", by: r.declarer}}, "DEC"
	r.side[r.declarer] = "DEC"
	if r.partner != none {
		r.known(r.partner, "DEC")
	}
}

// announcements is R-ANC-1 and R-ANC-4.
func (r *referee) announcements() {
	r.begun()
	for turn, passes := 0, 0; passes < 3; turn++ {
		p := (r.declarer + turn) % 4
		_, m := r.move([]int{p}, func(p int, m tarokk.Move) error {
			_, err := r.turnOf(p, turn < 4, m.Say)
			return err
		})
		r.refTalk, _ = r.turnOf(p, turn < 4, m.Say)
		if passes++; len(m.Say.Turn) > 0 {
			passes = 0
		}
	}
}

// turnOf is what everybody knows after a turn, or what is wrong with it.
func (r *referee) turnOf(p int, first bool, say *tarokk.Speech) (after refTalk, err error) {
	before := r.refTalk
	defer func() { r.refTalk = before }()
	r.items = slices.Clone(r.items)
	for i := range r.items {
		r.items[i].fresh, r.items[i].moved = false, false
	}
	if say == nil || (say.Discards != nil) == r.told[p] {
		return before, errors.New("OPT-DISC-ANNOUNCE")
	}
	if say.Discards != nil {
		if err := r.disclosure(p, say.Discards); err != nil {
			return before, err
		}
		r.told[p] = true
	}
	gameFree, compulsory := r.items[0].step == 0, false
	for i, text := range say.Turn {
		kind, what, _ := strings.Cut(text, ":")
		if r.called == "" && kind != "call" && kind != "count" {
			return before, errors.New("R-ANC-2")
		}
		switch kind {
		case "call":
			err = r.call(p, what)
		case "count":
			err = r.count(p, i, what)
		case "fig":
			err = r.figure(p, what)
		case "compulsory": // OPT-FORCED-CONTRA-SPOKEN
			compulsory = true
			if r.o.ForcedContra != "spoken" || what != "game" || !first || !gameFree || p == r.declarer || !r.buried(p) {
				return before, errors.New("R-CALL-8")
			}
			r.alone()
			err = r.contra(p, what)
		case "contra":
			err = r.contra(p, what)
		default:
			err = errors.New("R-ANC-2")
		}
		if err != nil {
			return before, err
		}
	}
	if err := r.duties(p, first, gameFree, compulsory); err != nil {
		return before, err
	}
	return r.refTalk, nil
}

// buried reports whether the called card lies in the discard of p.
func (r *referee) buried(p int) bool { return slices.Contains(r.named(p, r.gone[p]), r.called) }

// duties are what a turn must contain.
func (r *referee) duties(p int, first, gameFree, compulsory bool) error {
	if r.called == "" {
		return errors.New("R-CALL-1")
	}
	for _, i := range r.items { // R-CNT-3
		ultimo := strings.HasSuffix(i.name, "pagat_ultimo") && (i.fresh || i.step == 1)
		if (i.fresh || i.moved) && (ultimo || r.o.CountPais) && r.counts[p] == 0 && countTarokks(r.hand(p)) > 7 {
			return errors.New("R-CNT-3")
		}
	}
	if first && p == r.ultimo && !r.has("DEC.pagat_ultimo") { // R-CONV-8
		cards := r.dealt[p]
		if r.o.UltimoDuty == "exchanged" {
			cards = r.hand(p)
		}
		if !hasAny(cards, "T21", "T22") {
			return errors.New("R-CONV-8")
		}
	}
	if first && p != r.declarer && gameFree && r.buried(p) { // R-CALL-8
		return check(compulsory || r.o.ForcedContra == "silent" && r.items[0].step > 0, "R-CALL-8")
	}
	return nil
}

// call is R-CALL-1 to R-CALL-6.
func (r *referee) call(p int, card string) error {
	if p != r.declarer || r.called != "" {
		return errors.New("R-CALL-1")
	}
	if !slices.Contains(r.callable(), card) {
		return errors.New("R-CALL-2 to R-CALL-6")
	}
	r.called = card
	if slices.Contains(r.named(p, r.gone[p]), card) {
		r.alone()
	}
	return nil
}

func (r *referee) callable() []string {
	if r.forced != "" {
		return []string{r.forced}
	}
	var list []string
	mine := slices.Concat(r.hand(r.declarer), r.named(r.declarer, r.gone[r.declarer]))
	free := false
	for p := range 4 {
		free = free || p != r.declarer && r.o.FreeCall == "any" && r.tarokksGone(p) > 0
	}
	lower := slices.Contains(mine, "T20")
	for _, c := range strings.Fields("T20 T19 T18 T17 T16 T15 T14 T13 T12 T11 T10 T9 T8 T7 T6 T5 T4 T3 T2") {
		below := lower && !slices.Contains(mine, c)
		if free || c == "T20" || below {
			list = append(list, c)
		}
		lower = lower && !below
	}
	return list
}

// count is R-CNT-1 and R-CNT-4, and the options about counts.
func (r *referee) count(p, place int, number string) error {
	n := map[string]int{"8": 8, "9": 9}[number]
	if n == 0 || countTarokks(r.hand(p)) != n || r.counts[p] != 0 {
		return errors.New("R-CNT-1, R-CNT-4")
	}
	if place > 0 && (p == r.declarer || !r.o.CountPais) {
		return errors.New("R-ANC-2, R-ANC-3")
	}
	hidden := r.side[p] == ""
	speaks := r.side[p]
	if hidden {
		speaks = r.last
	}
	if r.o.CountPais && hidden && (r.truly(p) == "DEC" || r.o.CountSide == "figure" && speaks == "DEC") {
		return errors.New("OPT-COUNT-PAIS")
	}
	r.counts[p] = n
	switch {
	case r.o.CountSide == "figure":
		return r.speaks(p, speaks)
	case r.o.CountPais && hidden:
		r.known(p, "DEF")
	}
	return nil
}

// speaks is R-SIDE-1 and R-SIDE-7.
func (r *referee) speaks(p int, side string) error {
	if r.side[p] == "" && p != r.declarer && r.truly(p) != side {
		return errors.New("R-SIDE-7")
	}
	if r.side[p] != "" && r.side[p] != side {
		return errors.New("R-CON-3")
	}
	r.known(p, side)
	r.last = side
	return nil
}

// figure is R-FIG-1, R-FIG-7 to R-FIG-9 and R-SIDE-2.
func (r *referee) figure(p int, name string) error {
	side := r.side[p]
	if side == "" {
		side = r.last
	}
	if !slices.Contains(strings.Fields("trull four_kings double volat pagat_ultimo xxi_capture"), name) || r.has(side+"."+name) {
		return errors.New("R-FIG-1, R-FIG-9")
	}
	if other := map[string]string{"double": "volat", "volat": "double"}[name]; other != "" && r.has(side+"."+other) {
		i := r.item(side + "." + other)
		switch {
		case i.fresh && !r.o.DVSameTurn:
			return errors.New("R-FIG-7")
		case i.by == p && !r.o.DVSamePlayer:
			return errors.New("OPT-DV-SAME-PLAYER")
		case name == "double":
			return errors.New("R-FIG-8")
		}
	}
	r.items = append(r.items, refItem{name: side + "." + name, by: p, fresh: true})
	return r.speaks(p, side)
}

// contra is R-CON-1 to R-CON-4.
func (r *referee) contra(p int, name string) error {
	i := r.item(name)
	if i == nil || i.moved || i.step == 5 {
		return errors.New("R-CON-1, R-CON-2, AMB-28")
	}
	owner, _, figure := strings.Cut(name, ".")
	if !figure {
		owner = "DEC"
	}
	if i.step%2 == 0 {
		owner = map[string]string{"DEC": "DEF", "DEF": "DEC"}[owner]
	}
	i.step++
	i.moved = true
	return r.speaks(p, owner)
}
