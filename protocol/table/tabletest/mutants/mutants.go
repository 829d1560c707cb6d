// Package mutants alters the entries of a table in every way, as an outsider could and as
// the seat itself could, and says what must come of each: for tests that nothing slips
// through and that nobody honest is blamed.
package mutants

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/table/tabletest"
	"github.com/pakli/pakli/protocol/wire"
)

// Mutant is an entry with one alteration, and what must come of it.
type Mutant struct {
	Name  string
	Entry []byte
	Foul  []table.Check // its seat has failed one of them; none: it is void
	Moves bool          // it is another move, perhaps a legal one: a referee decides
}

// Effort says how many alterations are made.
type Effort struct {
	Bytes int // of each value, so many are altered
	Moves int // other moves tried in place of one
}

// Vocabulary is what stands in moves of a game, and their form.
type Vocabulary struct {
	Words []string
	Verbs []string // fields of a move
	Move  func() any
}

// Of are the mutants of an entry of a table.
func Of(t *tabletest.Table, at int, e Effort, v Vocabulary) ([]Mutant, error) {
	parsed, err := wire.Parse(t.Entries[at])
	if err != nil {
		return nil, err
	}
	m := parsed.Message
	seat, state := table.Seat(m.Seat), t.States[at-1]
	checks, err := Checks(t, at)
	if err != nil {
		return nil, err
	}
	b := &breeder{seat: seat, entry: t.Entries[at], state: state, bytes: e.Bytes, other: t.Hands[(int(seat)+1)%len(t.Hands)].Signer, words: v,
		sign: func(text string) []byte {
			signed, err := note.Sign(&note.Note{Text: text + "\n"}, t.Hands[seat].Signer)
			if err != nil {
				panic(err)
			}
			return signed
		}}
	b.outsider()
	b.envelope()
	b.bodies()
	b.proofs(checks)
	if m.Kind == table.Move {
		b.others(e.Moves)
		checks = []table.Check{table.CheckReveal}
	}
	b.values(checks)
	return b.list, nil
}

// Checks are those of what an entry proves.
func Checks(t *tabletest.Table, at int) ([]table.Check, error) {
	parsed, err := wire.Parse(t.Entries[at])
	if err != nil {
		return nil, err
	}
	m := parsed.Message
	statements, err := t.States[at-1].Statements(table.Seat(m.Seat), m.Kind, m.Body)
	return checksOf(statements), err
}

// ErrBlamed is an honest seat that is blamed.
var ErrBlamed = errors.New("an honest seat is blamed")

// Judge is what the replay makes of a mutant of an entry, and whether that is right. No
// fault: it is applied, and legal has nothing against the table with it.
func Judge(t *tabletest.Table, at int, m Mutant, legal func(*tabletest.Table) error) (*table.Fault, error) {
	parsed, err := wire.Parse(t.Entries[at])
	if err != nil {
		return nil, err
	}
	seat := table.Seat(parsed.Message.Seat)
	view := *t
	view.Entries, view.States, view.State = slices.Clip(t.Entries[:at]), slices.Clip(t.States[:at]), t.States[at-1]
	next, err := tabletest.Apply(view.State, m.Entry)
	fault := new(table.Fault)
	switch {
	case err == nil && commits(view.State, next):
		return &table.Fault{Class: table.Foul, Seat: seat, Check: table.CheckShuffle}, view.BlamedInAnswer(m.Entry)
	case err == nil && !m.Moves:
		return nil, errors.New("it is applied")
	case err == nil:
		view.Entries, view.States, view.State = append(view.Entries, m.Entry), append(view.States, next), next
		return nil, legal(&view)
	case !errors.As(err, &fault):
		fault = &table.Fault{Class: table.Void, Check: table.CheckForm, Err: err}
	}
	switch {
	case fault.Class == table.Foul && fault.Seat != seat:
		return fault, fmt.Errorf("%w: %v", ErrBlamed, fault)
	case fault.Class == table.Void != (len(m.Foul) == 0), fault.Class == table.Foul && !slices.Contains(m.Foul, fault.Check):
		return fault, fmt.Errorf("%v, want one of %q", fault, m.Foul)
	}
	return fault, nil
}

// commits reports whether a message has committed to a proof that others ask for: what is wrong
// with it shows in the answer.
func commits(before, after *table.State) bool {
	_, old := before.Question()
	_, asked := after.Question()
	return asked && !old
}

// breeder alters one entry of a table in every way.
type breeder struct {
	seat  table.Seat
	entry []byte
	sign  func(text string) []byte // as the entry's seat does
	other note.Signer              // another seat
	state *table.State             // before the entry
	bytes int                      // of those in a value, so many are altered
	words Vocabulary
	list  []Mutant
}

func (b *breeder) add(name string, entry []byte, foul ...table.Check) {
	b.list = append(b.list, Mutant{Name: name, Entry: entry, Foul: foul})
}

// places are those of n that are altered, in order, first and last among them.
func (b *breeder) places(n int) []int {
	var list []int
	for i := range min(n, b.bytes) {
		list = append(list, i*(n-1)/max(1, min(n, b.bytes)-1))
	}
	return list
}

// Flipped is b with one bit changed.
func Flipped(b []byte, at int, bit byte) []byte {
	b = bytes.Clone(b)
	b[at] ^= bit
	return b
}

// outsider is all that can be done without the seat's key.
func (b *breeder) outsider() {
	for _, at := range b.places(len(b.entry)) {
		b.add(fmt.Sprintf("byte %d", at), Flipped(b.entry, at, 1))
	}
	signature := bytes.LastIndex(b.entry, []byte("\n\n")) + 2
	for _, at := range b.places(len(b.entry) - signature) {
		b.add(fmt.Sprintf("signature, byte %d", at), Flipped(b.entry, signature+at, 2))
	}
	text := string(b.entry[:signature-1])
	by, err := note.Sign(&note.Note{Text: text}, b.other)
	if err != nil {
		panic(err)
	}
	b.add("signed by another seat", by)
	named := strings.Replace(string(by[signature:]), "— "+b.other.Name()+" ", "— "+b.state.SeatName(b.seat)+" ", 1)
	b.add("signed by another seat in its name", []byte(text+"\n"+named))
	b.add("cut short", b.entry[:len(b.entry)-1])
	b.add("a line more", append(bytes.Clone(b.entry), '\n'))
}

// line is the text of a message, with proofs as they stand in an entry.
type line struct {
	Format string          `json:"pakli"`
	Table  wire.Hash       `json:"table"`
	Parent wire.Hash       `json:"parent"`
	Seat   int             `json:"seat"`
	Kind   table.Kind      `json:"kind"`
	Body   json.RawMessage `json:"body"`
	Proofs [][]byte        `json:"proofs"`
}

func (b *breeder) message() *line {
	m := new(line)
	if err := json.NewDecoder(bytes.NewReader(b.entry)).Decode(m); err != nil {
		panic(err)
	}
	return m
}

// resigned is what the seat itself signs: a message with one change.
func (b *breeder) resigned(name string, change func(*line), foul ...table.Check) {
	m := b.message()
	change(m)
	b.add(name, b.sign(encoded(m)), foul...)
}

// encoded is v in canonical JSON.
func encoded(v any) string {
	raw, err := wire.EncodeBody(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// envelope alters what says where the message belongs, and the text around it.
func (b *breeder) envelope() {
	for _, at := range b.places(len(wire.Hash{})) {
		b.resigned(fmt.Sprintf("table, byte %d", at), func(m *line) { m.Table[at] ^= 1 })
		b.resigned(fmt.Sprintf("parent, byte %d", at), func(m *line) { m.Parent[at] ^= 1 })
	}
	for _, seat := range b.places(wire.MaxSeats) {
		if table.Seat(seat) != b.seat {
			b.resigned(fmt.Sprintf("seat %d", seat), func(m *line) { m.Seat = seat })
		}
	}
	kinds := append(tabletest.WithCards(), table.Key, table.Show, table.Move, "deal", "")
	if _, asks := b.state.Asks(); asks {
		kinds = append(kinds, table.Beacon, table.Answer)
	}
	for _, kind := range kinds {
		if kind != b.message().Kind {
			b.resigned("kind "+string(kind), func(m *line) { m.Kind = kind })
		}
	}
	b.resigned("another format", func(m *line) { m.Format = "pakli/v2" })
	text := string(b.entry[:bytes.IndexByte(b.entry, '\n')])
	b.add("white space", b.sign(strings.Replace(text, `,"parent"`, `, "parent"`, 1)))
	b.add("a field more", b.sign(text[:len(text)-1]+`,"more":1}`))
	b.add("no proofs at all", b.sign(text[:strings.LastIndex(text, `,"proofs":`)]+"}"))
	b.add("nothing", b.sign(""))
}

// proofs alters every proof; checks are those of its statements.
func (b *breeder) proofs(checks []table.Check) {
	list := b.message().Proofs
	set := func(i int, p []byte) func(*line) { return func(m *line) { m.Proofs[i] = p } }
	for i, p := range list {
		for _, at := range b.places(len(p)) {
			for _, bit := range []byte{1, 0x80} {
				b.resigned(fmt.Sprintf("proof %d, byte %d, bit %d", i, at, bit), set(i, Flipped(p, at, bit)), checks[i])
			}
		}
		b.resigned(fmt.Sprintf("proof %d of zeros", i), set(i, make([]byte, len(p))), checks[i])
		b.resigned(fmt.Sprintf("proof %d cut short", i), set(i, p[:len(p)-1]), checks[i])
		b.resigned(fmt.Sprintf("proof %d made longer", i), set(i, append(bytes.Clone(p), 0)), checks[i])
		b.resigned(fmt.Sprintf("proof %d dropped", i), func(m *line) { m.Proofs = slices.Delete(m.Proofs, i, i+1) }, table.CheckProofs)
		b.resigned(fmt.Sprintf("proof %d empty", i), set(i, []byte{}))
		for j := range i {
			b.resigned(fmt.Sprintf("proofs %d and %d exchanged", j, i), func(m *line) { m.Proofs[i], m.Proofs[j] = m.Proofs[j], m.Proofs[i] }, checks...)
		}
	}
	b.resigned("a proof more", func(m *line) { m.Proofs = append(m.Proofs, []byte{1}) }, table.CheckProofs)
}

// values alters the key, the cards or the tokens in the body, of which these checks are.
func (b *breeder) values(proved []table.Check) {
	var body struct {
		Key    []byte          `json:"key"`
		Anchor []byte          `json:"anchor"`
		Value  []byte          `json:"value"`
		Cards  [][]byte        `json:"cards"`
		Move   json.RawMessage `json:"move"`
		Tokens [][]byte        `json:"tokens"`
	}
	m := b.message()
	if err := json.Unmarshal(m.Body, &body); err != nil {
		panic(err)
	}
	wrap := func(l [][]byte) any { return wire.TokensBody{Tokens: l} }
	list, what := body.Tokens, "token"
	switch m.Kind {
	case table.Key:
		list, what, wrap = [][]byte{body.Key}, "key", func(l [][]byte) any { return wire.KeyBody{Key: slices.Concat(l...)} }
		if body.Anchor != nil {
			wrap = func(l [][]byte) any {
				return wire.AnchoredKeyBody{Key: slices.Concat(l...), Anchor: body.Anchor}
			}
			b.anchors(body.Key, body.Anchor)
		}
	case table.Beacon:
		b.beacons(body.Value)
		return
	case table.Answer:
		return // it says nothing
	case table.Show:
	case table.Move:
		wrap = func(l [][]byte) any { return wire.MoveBody{Move: body.Move, Tokens: l} }
	default:
		list, what, wrap = body.Cards, "card", func(l [][]byte) any { return wire.CardsBody{Cards: l} }
	}
	checks := append([]table.Check{table.CheckValues}, proved...)
	if m.Kind == table.Key {
		checks = append(checks, table.CheckKey)
	}
	set := func(name string, l [][]byte, foul ...table.Check) {
		b.resigned(what+name, func(m *line) { m.Body = json.RawMessage(encoded(wrap(l))) }, foul...)
	}
	replaced := func(i int, v []byte) [][]byte { l := slices.Clone(list); l[i] = v; return l }
	for _, i := range b.places(len(list)) {
		v := list[i]
		for _, at := range b.places(len(v)) {
			set(fmt.Sprintf(" %d, byte %d", i, at), replaced(i, Flipped(v, at, 1)), checks...)
		}
		set(fmt.Sprintf(" %d of zeros", i), replaced(i, make([]byte, len(v))), checks...)
		set(fmt.Sprintf(" %d cut short", i), replaced(i, v[1:]), table.CheckValues)
		if m.Kind == table.Key {
			continue
		}
		set(fmt.Sprintf(" %d dropped", i), slices.Delete(slices.Clone(list), i, i+1), table.CheckValues)
		set(fmt.Sprintf(" %d twice", i), slices.Insert(slices.Clone(list), i, v), table.CheckValues)
		if j := (i + 1) % len(list); j != i {
			set(fmt.Sprintf("s %d and %d exchanged", i, j), slices.Replace(replaced(i, list[j]), j, j+1, v), checks...)
			set(fmt.Sprintf(" %d in place of %d", j, i), replaced(i, list[j]), checks...)
		}
	}
	if m.Kind != table.Key {
		set("s: one more", append(slices.Clone(list), bytes.Repeat([]byte{1}, 32)), table.CheckValues)
	}
}

// anchors alters what a seat binds its values to: any of the right length is another that it
// may have.
func (b *breeder) anchors(key, anchor []byte) {
	set := func(a []byte) func(*line) {
		return func(m *line) { m.Body = json.RawMessage(encoded(wire.AnchoredKeyBody{Key: key, Anchor: a})) }
	}
	b.resigned("anchor cut short", set(anchor[1:]), table.CheckValues)
	b.resigned("anchor made longer", set(append(bytes.Clone(anchor), 0)), table.CheckValues)
	b.resigned("no anchor", func(m *line) { m.Body = json.RawMessage(encoded(wire.KeyBody{Key: key})) }, table.CheckBody)
}

// beacons alters a value that a seat has fixed.
func (b *breeder) beacons(value []byte) {
	set := func(name string, v []byte) {
		b.resigned("value "+name, func(m *line) { m.Body = json.RawMessage(encoded(wire.BeaconBody{Value: v})) }, table.CheckBeacon)
	}
	for _, at := range b.places(len(value)) {
		set(fmt.Sprintf("byte %d", at), Flipped(value, at, 1))
	}
	set("of zeros", make([]byte, len(value)))
	set("cut short", value[1:])
	set("made longer", append(bytes.Clone(value), 0))
	set("before it", table.Link(b.state.ID(), b.seat, value))
}

// bodies alters the form of the body.
func (b *breeder) bodies() {
	body := string(b.message().Body)
	for _, v := range [][2]string{
		{"empty body", `{}`}, {"body of no kind", `{"no":1}`}, {"body with a field more", strings.Replace(body[:len(body)-1]+`,"more":1}`, "{,", "{", 1)},
	} {
		if v[1] == body {
			continue
		}
		b.resigned(v[0], func(m *line) { m.Body = json.RawMessage(v[1]) }, table.CheckBody)
	}
}

// Effects are all checks of what a message says.
var Effects = []table.Check{
	table.CheckBody, table.CheckValues, table.CheckKey, table.CheckRules, table.CheckHand, table.CheckProofs,
	table.CheckOwnership, table.CheckShuffle, table.CheckReveal, table.CheckTransfer, table.CheckCondition,
	table.CheckArrange, table.CheckMint, table.CheckFace,
}

// others are other moves than the one that was made, with its tokens and proofs.
func (b *breeder) others(most int) {
	var body wire.MoveBody
	var move map[string]any
	m := b.message()
	if err := json.Unmarshal(m.Body, &body); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(body.Move, &move); err != nil {
		panic(err)
	}
	seen := map[string]bool{string(body.Move): true}
	var list []string
	for _, v := range b.varied(move) {
		if raw := b.ordered(v); !seen[raw] {
			seen[raw] = true
			list = append(list, raw)
		}
	}
	for i := 0; i < len(list); i += 1 + len(list)/most {
		m := b.message()
		m.Body = json.RawMessage(encoded(wire.MoveBody{Move: json.RawMessage(list[i]), Tokens: body.Tokens}))
		other := Mutant{Name: "move " + list[i], Entry: b.sign(encoded(m)), Foul: Effects, Moves: true}
		if _, err := wire.Parse(other.Entry); err != nil {
			other.Foul, other.Moves = nil, false // with null in it, it is of no table
		}
		b.list = append(b.list, other)
	}
}

// ordered writes a varied move as players write theirs, if it has the fields of
// one: most variants differ in what they say, not in form.
func (b *breeder) ordered(v any) string {
	m := b.words.Move()
	raw := encoded(v)
	d := json.NewDecoder(strings.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(m) == nil {
		return encoded(m)
	}
	return raw
}

// varied are all values that differ from v in one thing.
func (b *breeder) varied(v any) []any {
	var list []any
	switch v := v.(type) {
	case bool:
		list = append(list, !v, nil, 1)
	case float64:
		list = append(list, v+1, v-1, "1")
	case string:
		for _, w := range b.words.Words {
			list = append(list, w)
		}
		for i := range v {
			list = append(list, v[:i]+v[i+1:], v[:i]+string(v[i]+1)+v[i+1:])
		}
		list = append(list, "", v+v, true)
	case []any:
		for i := range v {
			for _, w := range b.varied(v[i]) {
				l := slices.Clone(v)
				l[i] = w
				list = append(list, l)
			}
			list = append(list, slices.Delete(slices.Clone(v), i, i+1), slices.Insert(slices.Clone(v), i, v[i]))
		}
		for _, w := range b.words.Words {
			list = append(list, append(slices.Clone(v), w))
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			for _, w := range b.varied(v[k]) {
				m := maps.Clone(v)
				m[k] = w
				list = append(list, m)
			}
			m := maps.Clone(v)
			delete(m, k)
			list = append(list, maps.Clone(m))
			m["more"] = v[k]
			list = append(list, m)
		}
		for _, verb := range b.words.Verbs {
			m := maps.Clone(v)
			if _, there := m[verb]; !there {
				m[verb] = true
				list = append(list, m)
			}
		}
	}
	return list
}

// checksOf are the checks of statements.
func checksOf(list []proof.Statement) []table.Check {
	var checks []table.Check
	for _, s := range list {
		checks = append(checks, map[string]table.Check{
			"ownership": table.CheckOwnership, "shuffle": table.CheckShuffle, "reveal": table.CheckReveal,
			"transfer": table.CheckTransfer, "condition": table.CheckCondition,
			"arrange": table.CheckArrange, "mint": table.CheckMint,
		}[proof.Relation(s)])
	}
	return checks
}
