package tabletest

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
	"github.com/pakli/pakli/protocol/wire"
)

// Mutant is an entry with one alteration, and the outcome that it must have.
type Mutant struct {
	Name  string
	Entry []byte
	Foul  []table.Check // its seat has failed one of these checks; if empty, the entry is void
	Moves bool          // it is another move, perhaps a legal one; a referee decides
}

// Effort is the number of alterations that are made.
type Effort struct {
	Bytes int // number of bytes altered in each value
	Moves int // number of other moves tried in place of one
}

// Vocabulary is the words in the moves of a game, and their form.
type Vocabulary struct {
	Words []string
	Verbs []string // the fields of a move
	Move  func() any
}

// MutantsOf are the mutants of an entry of a table.
func MutantsOf(t *Table, at int, e Effort, v Vocabulary) ([]Mutant, error) {
	parsed, err := wire.Parse(t.Entries[at])
	if err != nil {
		return nil, err
	}
	m := parsed.Message
	seat, state := table.Seat(m.Seat), t.States[at-1]
	checks, err := ProofChecks(t, at)
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
	b.alterAsOutsider()
	b.alterEnvelope()
	b.alterBody()
	b.alterProofs(checks)
	if m.Kind == table.Move {
		b.addOtherMoves(e.Moves)
		checks = []table.Check{table.CheckReveal}
	}
	b.alterValues(checks)
	return b.list, nil
}

// ProofChecks are the checks of what an entry proves.
func ProofChecks(t *Table, at int) ([]table.Check, error) {
	parsed, err := wire.Parse(t.Entries[at])
	if err != nil {
		return nil, err
	}
	m := parsed.Message
	statements, err := t.States[at-1].Statements(table.Seat(m.Seat), m.Kind, m.Body)
	return checksOf(statements), err
}

// ErrBlamed says that an honest seat is blamed.
var ErrBlamed = errors.New("an honest seat is blamed")

// Judge is what the replay makes of a mutant of an entry, and whether that is right. Without a fault
// the mutant is applied, and legal must have no objection to the table with it.
func Judge(t *Table, at int, m Mutant, legal func(*Table) error) (*table.Fault, error) {
	parsed, err := wire.Parse(t.Entries[at])
	if err != nil {
		return nil, err
	}
	seat := table.Seat(parsed.Message.Seat)
	view := *t
	view.Entries, view.States, view.State = slices.Clip(t.Entries[:at]), slices.Clip(t.States[:at]), t.States[at-1]
	next, err := Apply(view.State, m.Entry)
	fault := new(table.Fault)
	switch {
	case err == nil && hasCommitted(view.State, next):
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

// hasCommitted reports whether a message has committed to a proof that others ask for, so that a fault
// in it shows only in the answer.
func hasCommitted(before, after *table.State) bool {
	_, old := before.Question()
	_, asked := after.Question()
	return asked && !old
}

// breeder makes every alteration of one entry of a table.
type breeder struct {
	seat  table.Seat
	entry []byte
	sign  func(text string) []byte // as the entry's seat signs
	other note.Signer              // the signer of another seat
	state *table.State             // before the entry
	bytes int                      // number of bytes altered in each value
	words Vocabulary
	list  []Mutant
}

func (b *breeder) addMutant(name string, entry []byte, foul ...table.Check) {
	b.list = append(b.list, Mutant{Name: name, Entry: entry, Foul: foul})
}

// alteredPlaces are the places, of n, that are altered, in order, including the first and the last.
func (b *breeder) alteredPlaces(n int) []int {
	var list []int
	for i := range min(n, b.bytes) {
		list = append(list, i*(n-1)/max(1, min(n, b.bytes)-1))
	}
	return list
}

// FlipBit is b with one bit changed.
func FlipBit(b []byte, at int, bit byte) []byte {
	b = bytes.Clone(b)
	b[at] ^= bit
	return b
}

// alterAsOutsider makes all the alterations that are possible without the seat's key.
func (b *breeder) alterAsOutsider() {
	for _, at := range b.alteredPlaces(len(b.entry)) {
		b.addMutant(fmt.Sprintf("byte %d", at), FlipBit(b.entry, at, 1))
	}
	signature := bytes.LastIndex(b.entry, []byte("\n\n")) + 2
	for _, at := range b.alteredPlaces(len(b.entry) - signature) {
		b.addMutant(fmt.Sprintf("signature, byte %d", at), FlipBit(b.entry, signature+at, 2))
	}
	text := string(b.entry[:signature-1])
	by, err := note.Sign(&note.Note{Text: text}, b.other)
	if err != nil {
		panic(err)
	}
	b.addMutant("signed by another seat", by)
	named := strings.Replace(string(by[signature:]), "— "+b.other.Name()+" ", "— "+b.state.SeatName(b.seat)+" ", 1)
	b.addMutant("signed by another seat in its name", []byte(text+"\n"+named))
	b.addMutant("cut short", b.entry[:len(b.entry)-1])
	b.addMutant("a line more", append(bytes.Clone(b.entry), '\n'))
}

// messageLine is the text of a message, with its proofs as an entry has them.
type messageLine struct {
	Format string          `json:"pakli"`
	Table  wire.Hash       `json:"table"`
	Parent wire.Hash       `json:"parent"`
	Seat   int             `json:"seat"`
	Kind   table.Kind      `json:"kind"`
	Body   json.RawMessage `json:"body"`
	Proofs [][]byte        `json:"proofs"`
}

func (b *breeder) readMessage() *messageLine {
	m := new(messageLine)
	if err := json.NewDecoder(bytes.NewReader(b.entry)).Decode(m); err != nil {
		panic(err)
	}
	return m
}

// addResigned adds a message with one change, signed by the seat itself.
func (b *breeder) addResigned(name string, change func(*messageLine), foul ...table.Check) {
	m := b.readMessage()
	change(m)
	b.addMutant(name, b.sign(encodeBody(m)), foul...)
}

// encodeBody is v in canonical JSON.
func encodeBody(v any) string {
	raw, err := wire.EncodeBody(v)
	if err != nil {
		panic(err)
	}
	return string(raw)
}

// alterEnvelope alters the fields that say where the message belongs, and the text around it.
func (b *breeder) alterEnvelope() {
	for _, at := range b.alteredPlaces(len(wire.Hash{})) {
		b.addResigned(fmt.Sprintf("table, byte %d", at), func(m *messageLine) { m.Table[at] ^= 1 })
		b.addResigned(fmt.Sprintf("parent, byte %d", at), func(m *messageLine) { m.Parent[at] ^= 1 })
	}
	for _, seat := range b.alteredPlaces(wire.MaxSeats) {
		if table.Seat(seat) != b.seat {
			b.addResigned(fmt.Sprintf("seat %d", seat), func(m *messageLine) { m.Seat = seat })
		}
	}
	kinds := append(WithCards(), table.Key, table.Show, table.Move, "deal", "")
	if _, asks := b.state.AsksForProofs(); asks {
		kinds = append(kinds, table.Beacon, table.Answer)
	}
	for _, kind := range kinds {
		if kind != b.readMessage().Kind {
			b.addResigned("kind "+string(kind), func(m *messageLine) { m.Kind = kind })
		}
	}
	b.addResigned("another format", func(m *messageLine) { m.Format = "pakli/v2" })
	text := string(b.entry[:bytes.IndexByte(b.entry, '\n')])
	b.addMutant("white space", b.sign(strings.Replace(text, `,"parent"`, `, "parent"`, 1)))
	b.addMutant("a field more", b.sign(text[:len(text)-1]+`,"more":1}`))
	b.addMutant("no proofs at all", b.sign(text[:strings.LastIndex(text, `,"proofs":`)]+"}"))
	b.addMutant("nothing", b.sign(""))
}

// alterProofs alters every proof; checks are the checks of their statements.
func (b *breeder) alterProofs(checks []table.Check) {
	list := b.readMessage().Proofs
	set := func(i int, p []byte) func(*messageLine) { return func(m *messageLine) { m.Proofs[i] = p } }
	for i, p := range list {
		for _, at := range b.alteredPlaces(len(p)) {
			for _, bit := range []byte{1, 0x80} {
				b.addResigned(fmt.Sprintf("proof %d, byte %d, bit %d", i, at, bit), set(i, FlipBit(p, at, bit)), checks[i])
			}
		}
		b.addResigned(fmt.Sprintf("proof %d of zeros", i), set(i, make([]byte, len(p))), checks[i])
		b.addResigned(fmt.Sprintf("proof %d cut short", i), set(i, p[:len(p)-1]), checks[i])
		b.addResigned(fmt.Sprintf("proof %d made longer", i), set(i, append(bytes.Clone(p), 0)), checks[i])
		b.addResigned(fmt.Sprintf("proof %d dropped", i), func(m *messageLine) { m.Proofs = slices.Delete(m.Proofs, i, i+1) }, table.CheckProofs)
		b.addResigned(fmt.Sprintf("proof %d empty", i), set(i, []byte{}))
		for j := range i {
			b.addResigned(fmt.Sprintf("proofs %d and %d exchanged", j, i), func(m *messageLine) { m.Proofs[i], m.Proofs[j] = m.Proofs[j], m.Proofs[i] }, checks...)
		}
	}
	b.addResigned("a proof more", func(m *messageLine) { m.Proofs = append(m.Proofs, []byte{1}) }, table.CheckProofs)
}

// alterValues alters the key, the cards or the tokens in the body, to which the checks belong.
func (b *breeder) alterValues(proved []table.Check) {
	var body struct {
		Key    []byte          `json:"key"`
		Anchor []byte          `json:"anchor"`
		Value  []byte          `json:"value"`
		Cards  [][]byte        `json:"cards"`
		Move   json.RawMessage `json:"move"`
		Tokens [][]byte        `json:"tokens"`
	}
	m := b.readMessage()
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
			b.alterAnchor(body.Key, body.Anchor)
		}
	case table.Beacon:
		b.alterBeacon(body.Value)
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
		b.addResigned(what+name, func(m *messageLine) { m.Body = json.RawMessage(encodeBody(wrap(l))) }, foul...)
	}
	replaced := func(i int, v []byte) [][]byte { l := slices.Clone(list); l[i] = v; return l }
	for _, i := range b.alteredPlaces(len(list)) {
		v := list[i]
		for _, at := range b.alteredPlaces(len(v)) {
			set(fmt.Sprintf(" %d, byte %d", i, at), replaced(i, FlipBit(v, at, 1)), checks...)
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

// alterAnchor alters what a seat binds its values to. Any other value of the right length is one that
// the seat may have.
func (b *breeder) alterAnchor(key, anchor []byte) {
	set := func(a []byte) func(*messageLine) {
		return func(m *messageLine) { m.Body = json.RawMessage(encodeBody(wire.AnchoredKeyBody{Key: key, Anchor: a})) }
	}
	b.addResigned("anchor cut short", set(anchor[1:]), table.CheckValues)
	b.addResigned("anchor made longer", set(append(bytes.Clone(anchor), 0)), table.CheckValues)
	b.addResigned("no anchor", func(m *messageLine) { m.Body = json.RawMessage(encodeBody(wire.KeyBody{Key: key})) }, table.CheckBody)
}

// alterBeacon alters a value that a seat has fixed.
func (b *breeder) alterBeacon(value []byte) {
	set := func(name string, v []byte) {
		b.addResigned("value "+name, func(m *messageLine) { m.Body = json.RawMessage(encodeBody(wire.BeaconBody{Value: v})) }, table.CheckBeacon)
	}
	for _, at := range b.alteredPlaces(len(value)) {
		set(fmt.Sprintf("byte %d", at), FlipBit(value, at, 1))
	}
	set("of zeros", make([]byte, len(value)))
	set("cut short", value[1:])
	set("made longer", append(bytes.Clone(value), 0))
	set("before it", table.LinkBefore(b.state.ID(), b.seat, value))
}

// alterBody alters the form of the body.
func (b *breeder) alterBody() {
	body := string(b.readMessage().Body)
	for _, v := range [][2]string{
		{"empty body", `{}`}, {"body of no kind", `{"no":1}`}, {"body with a field more", strings.Replace(body[:len(body)-1]+`,"more":1}`, "{,", "{", 1)},
	} {
		if v[1] == body {
			continue
		}
		b.addResigned(v[0], func(m *messageLine) { m.Body = json.RawMessage(v[1]) }, table.CheckBody)
	}
}

// Effects are all the checks of what a message says.
var Effects = []table.Check{
	table.CheckBody, table.CheckValues, table.CheckKey, table.CheckRules, table.CheckHand, table.CheckProofs,
	table.CheckOwnership, table.CheckShuffle, table.CheckReveal, table.CheckTransfer, table.CheckCondition,
	table.CheckArrange, table.CheckMint, table.CheckFace,
}

// addOtherMoves adds other moves in place of the one that was made, with its tokens and proofs.
func (b *breeder) addOtherMoves(most int) {
	var body wire.MoveBody
	var move map[string]any
	m := b.readMessage()
	if err := json.Unmarshal(m.Body, &body); err != nil {
		panic(err)
	}
	if err := json.Unmarshal(body.Move, &move); err != nil {
		panic(err)
	}
	seen := map[string]bool{string(body.Move): true}
	var list []string
	for _, v := range b.variantsOf(move) {
		if raw := b.orderFields(v); !seen[raw] {
			seen[raw] = true
			list = append(list, raw)
		}
	}
	for i := 0; i < len(list); i += 1 + len(list)/most {
		m := b.readMessage()
		m.Body = json.RawMessage(encodeBody(wire.MoveBody{Move: json.RawMessage(list[i]), Tokens: body.Tokens}))
		other := Mutant{Name: "move " + list[i], Entry: b.sign(encodeBody(m)), Foul: Effects, Moves: true}
		if _, err := wire.Parse(other.Entry); err != nil {
			other.Foul, other.Moves = nil, false // a move with null in it is none of any table
		}
		b.list = append(b.list, other)
	}
}

// orderFields writes a varied move in the field order of players if it has the fields of a move: most
// variants differ in what they say, not in form.
func (b *breeder) orderFields(v any) string {
	m := b.words.Move()
	raw := encodeBody(v)
	d := json.NewDecoder(strings.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(m) == nil {
		return encodeBody(m)
	}
	return raw
}

// variantsOf are all the values that differ from v in one respect.
func (b *breeder) variantsOf(v any) []any {
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
			for _, w := range b.variantsOf(v[i]) {
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
			for _, w := range b.variantsOf(v[k]) {
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
		}[proof.RelationName(s)])
	}
	return checks
}
