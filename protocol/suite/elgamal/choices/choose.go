package choices

import (
	"strings"

	"github.com/pakli/pakli/protocol/suite/group"
)

// Kind is one of the arguments.
type Kind int

// The arguments, in order of preference among equally long proofs.
const (
	Threshold Kind = iota
	Inequality
	Subset
)

func (k Kind) String() string { return [...]string{"threshold", "inequality", "subset"}[k] }

// Plan says how a condition is proved. It follows from public numbers alone, so prover and verifier
// make the same Plan.
type Plan struct {
	Permuted bool // whether the hand is permuted first
	Parts    []Part
	Size     int // of the proof, in bytes
}

// Part says that at least Need of the cards have a face inside the set, or outside. For a permuted hand
// it speaks of exactly Need cards: the first ones if inside, the last ones if outside.
type Part struct {
	Kind   Kind
	Inside bool
	Need   int
	Size   int // in bytes
}

// String names the arguments in their order.
func (p Plan) String() string {
	var names []string
	if p.Permuted {
		names = append(names, "permuted")
	}
	for _, part := range p.Parts {
		names = append(names, part.Kind.String())
	}
	if names == nil {
		return "nothing"
	}
	return strings.Join(names, " + ")
}

// faceBound is "at least need of k cards have one of so many faces of a deck".
type faceBound struct {
	inside            bool
	need, faces, deck int
}

// Choose returns how to prove over g that from min to max of so many cards have a face in a set of so
// many faces of a deck: by the hand as it lies or, if that is shorter, by a permuted hand. Threshold
// costs multiplications for each card and face, of which a batch saves nothing. The other ways cost a
// third of them alone and a fifth in a batch, so Choose takes them even if they are longer by less than
// a quarter.
func Choose(g *group.Group, cards, deck, set, min, max int) Plan {
	var bounds []faceBound
	if min > 0 {
		bounds = append(bounds, faceBound{true, min, set, deck})
	}
	if max < cards {
		bounds = append(bounds, faceBound{false, cards - max, deck - set, deck})
	}
	plan := Plan{}
	for _, b := range bounds {
		plan.addPart(b.bestPart(g, cards))
	}
	permuted := Plan{Permuted: true, Size: permutedSize(g, cards)}
	for _, b := range bounds {
		permuted.addPart(b.bestPart(g, b.need))
	}
	some := 0 < min && min < cards || 0 < max && max < cards
	if permuted.Size < plan.Size || some && 4*permuted.Size < 5*plan.Size {
		return permuted
	}
	return plan
}

func (p *Plan) addPart(part Part) {
	p.Parts = append(p.Parts, part)
	p.Size += part.Size
}

// bestPart returns the shorter of inequality and subset for b and so many cards. It returns threshold
// if only threshold can prove b, or if the other is longer by a quarter or more.
func (b faceBound) bestPart(g *group.Group, cards int) Part {
	part := func(k Kind, size int) Part { return Part{k, b.inside, b.need, size} }
	direct := part(Threshold, thresholdSize(g, cards, b.faces, b.need))
	if b.need < cards || b.faces == b.deck {
		return direct
	}
	best := part(Inequality, inequalitySize(g, cards, b.deck-b.faces))
	if size := subsetSize(g, cards, b.faces); b.faces >= max(cards, 2) && size < best.Size {
		best = part(Subset, size)
	}
	if 4*best.Size < 5*direct.Size {
		return best
	}
	return direct
}

// cardRange returns the range of cards that p speaks of.
func (p Part) cardRange(plan Plan, cards int) (from, to int) {
	switch {
	case !plan.Permuted:
		return 0, cards
	case p.Inside:
		return 0, p.Need
	}
	return cards - p.Need, cards
}
