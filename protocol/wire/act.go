package wire

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/note"
)

// Kinds of acts (10.11). Each has one type of body. No kind of message has one of these names.
const (
	KindTimeout Kind = "timeout" // TimeoutBody: a seat is late by the clock
	KindResign  Kind = "resign"  // ResignBody: a seat gives up the deal or the table
	KindAgree   Kind = "agree"   // AgreeBody: what a seat wants, which happens once all want it
	KindPause   Kind = "pause"   // EmptyBody: clocks stop
	KindResume  Kind = "resume"  // EmptyBody: clocks run again
	KindBack    Kind = "back"    // EmptyBody: the seat that has left plays on
	KindExpose  Kind = "expose"  // ExposeBody: a seat turns up cards of its hand
	KindReseat  Kind = "reseat"  // ReseatBody: another player takes a seat
	KindClose   Kind = "close"   // CloseBody: the table is over
)

// Act is what a seat, the organiser or an arbiter does at a table/v2 besides the messages that are
// due. Like a message it builds on the head. By is the signer's verifier key. Its proofs stand in
// the entry; none is a blob.
type Act struct {
	Format string
	Table  Hash
	Parent Hash
	By     string
	Kind   Kind
	Body   json.RawMessage
	Proofs [][]byte
}

// EmptyBody is the body of an act whose kind says everything.
type EmptyBody struct{}

// ResignBody says what the seat gives up: [ResignDeal] or [ResignTable].
type ResignBody struct {
	Scope string `json:"scope"`
}

// What a seat resigns.
const (
	ResignDeal  = "deal"
	ResignTable = "table"
)

// AgreeBody says what the seat wants; [AgreeNothing] takes an earlier wish back.
type AgreeBody struct {
	To string `json:"to"`
}

// What seats agree to.
const (
	AgreeNothing = ""
	AgreeEnd     = "end"    // the table is over
	AgreeUndo    = "undo"   // the open deal is undone
	AgreePause   = "pause"  // clocks stop
	AgreeResume  = "resume" // clocks run again
)

// ExposeBody turns up cards of the signer's hand, ascending, with the signer's tokens for them.
type ExposeBody struct {
	Cards  []int    `json:"cards"`
	Tokens [][]byte `json:"tokens"`
}

// ReseatBody gives a seat to another key. Accept is that key's Ed25519 signature of [AcceptText],
// of 64 bytes.
type ReseatBody struct {
	Seat   int    `json:"seat"`
	Key    string `json:"key"`
	Accept []byte `json:"accept"`
}

// AcceptText returns what the new player of a seat signs (10.11.4).
func AcceptText(table, parent Hash, seat int) []byte {
	return fmt.Appendf(nil, "pakli-accept/v1\n%s\n%s\n%d\n", table, parent, seat)
}

// CloseBody says why a table is closed.
type CloseBody struct {
	Reason Text `json:"reason"`
}

// TimeoutBody claims that a seat is late (52). Seen is a mark that covers the head.
type TimeoutBody struct {
	Seat    int      `json:"seat"`
	Seen    Hash     `json:"seen"`
	Spans   []Span   `json:"spans"`
	Silence [][]byte `json:"silence"` // lines of keepers: what follows the name in a signature line
}

// Span is the time of one duty between two marks: the duty was owed since an entry, and a message
// discharged it. Done is empty for the duty that is owed now.
type Span struct {
	Since Hash   `json:"since"`
	Done  string `json:"done"`
	From  Hash   `json:"from"`
	To    Hash   `json:"to"`
}

// Marks returns the marks that a claim names.
func (b *TimeoutBody) Marks() []Hash {
	list := []Hash{b.Seen}
	for _, s := range b.Spans {
		list = append(list, s.From, s.To)
	}
	return list
}

type actText struct {
	Format string          `json:"pakli"`
	Table  Hash            `json:"table"`
	Parent Hash            `json:"parent"`
	By     string          `json:"by"`
	Kind   Kind            `json:"kind"`
	Body   json.RawMessage `json:"body"`
	Proofs [][]byte        `json:"proofs"`
}

func (a *Act) entryText() actText {
	t := actText(*a)
	t.Proofs = append([][]byte{}, a.Proofs...)
	return t
}

func parseAct(line []byte) (*Act, error) {
	s := scanner{line: line}
	a := &Act{Format: ActFormat}
	s.literal(actPrefix)
	a.Table = s.hash()
	s.literal(`","parent":"`)
	a.Parent = s.hash()
	s.literal(`","by":`)
	a.By = string(s.text())
	s.literal(`,"kind":`)
	a.Kind = Kind(s.text())
	s.literal(`,"body":`)
	a.Body = s.object(1)
	s.literal(`,"proofs":`)
	a.Proofs = s.binaries()
	s.literal(`}`)
	if err := s.close(); err != nil {
		return nil, err
	}
	if _, err := ParseVerifier(a.By); err != nil {
		return nil, fmt.Errorf("by: %w", err)
	}
	return a, a.checkForm()
}

func (a *Act) checkForm() error {
	switch {
	case len(a.Kind) == 0 || len(a.Kind) > MaxName:
		return fmt.Errorf("the kind has %d bytes, must have 1 to %d", len(a.Kind), MaxName)
	case len(a.Proofs) > MaxProofs:
		return fmt.Errorf("proofs must be a list of at most %d", MaxProofs)
	}
	for i, p := range a.Proofs {
		if len(p) == 0 || len(p) > MaxInline {
			return fmt.Errorf("proof %d has %d bytes, must have 1 to %d", i, len(p), MaxInline)
		}
	}
	return nil
}

// Signer returns the verifier of By. It panics unless the act was parsed.
func (a *Act) Signer() note.Verifier {
	v, err := ParseVerifier(a.By)
	if err != nil {
		panic(fmt.Sprintf("wire: an act that was not parsed: %v", err))
	}
	return v
}

// ActBody is a pointer to the body of an act. It checks the bounds of the body.
type ActBody interface{ checkForm() error }

// DecodeAct reads the body of an act, and checks that it is canonical and within bounds.
func DecodeAct(raw json.RawMessage, into ActBody) error {
	if err := DecodeCanonical(raw, into); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return into.checkForm()
}

func (*EmptyBody) checkForm() error { return nil }

func (b *ResignBody) checkForm() error { return oneOf("scope", b.Scope, ResignDeal, ResignTable) }

func (b *AgreeBody) checkForm() error {
	return oneOf("to", b.To, AgreeNothing, AgreeEnd, AgreeUndo, AgreePause, AgreeResume)
}

func (b *CloseBody) checkForm() error { return b.Reason.CheckLength("the reason", MaxReason) }

func oneOf(field, said string, choices ...string) error {
	if !slices.Contains(choices, said) {
		return fmt.Errorf("%s: %.20q, must be one of %q", field, said, choices)
	}
	return nil
}

func (b *ExposeBody) checkForm() error {
	if len(b.Cards) == 0 || len(b.Cards) > MaxList || b.Cards[0] < 0 || b.Cards[len(b.Cards)-1] >= MaxList {
		return fmt.Errorf("cards must be a list of 1 to %d, each 0 to %d", MaxList, MaxList-1)
	}
	for i := range b.Cards[1:] {
		if b.Cards[i] >= b.Cards[i+1] {
			return errors.New("cards must ascend")
		}
	}
	if len(b.Tokens) != len(b.Cards) {
		return fmt.Errorf("%d tokens for %d cards", len(b.Tokens), len(b.Cards))
	}
	return checkList("token", b.Tokens)
}

func (b *ReseatBody) checkForm() error {
	if b.Seat < 0 || b.Seat >= MaxSeats {
		return fmt.Errorf("seat number %d is out of range 0 to %d", b.Seat, MaxSeats-1)
	}
	if len(b.Accept) != signatureBytes-4 {
		return fmt.Errorf("accept has %d bytes, must have %d", len(b.Accept), signatureBytes-4)
	}
	_, err := ParseVerifier(b.Key)
	return err
}

func (b *TimeoutBody) checkForm() error {
	switch {
	case b.Seat < 0 || b.Seat >= MaxSeats:
		return fmt.Errorf("seat number %d is out of range 0 to %d", b.Seat, MaxSeats-1)
	case len(b.Spans) == 0 || len(b.Spans) > MaxSpans:
		return fmt.Errorf("spans must be a list of 1 to %d", MaxSpans)
	case b.Silence == nil || len(b.Silence) > MaxKeepers:
		return fmt.Errorf("silence must be a list of at most %d", MaxKeepers)
	}
	for i, s := range b.Spans {
		if last := i == len(b.Spans)-1; (s.Done == "") != last {
			return errors.New("the last span, and no other, has no message that discharged its duty")
		} else if last {
			continue
		}
		if _, err := ParseHash(s.Done); err != nil {
			return err
		}
	}
	for i, line := range b.Silence {
		if len(line) != lineBytes {
			return fmt.Errorf("silence, number %d, has %d bytes, must have %d", i+1, len(line), lineBytes)
		}
	}
	return nil
}

// lineBytes is a key hash of 4 bytes, a time of 8 bytes and a signature.
const lineBytes = 4 + 8 + 64

// AcceptedBy reports whether the holder of the new key has accepted the seat.
func (b *ReseatBody) AcceptedBy(table, parent Hash) bool {
	v, err := ParseVerifier(b.Key)
	return err == nil && v.Verify(AcceptText(table, parent, b.Seat), b.Accept)
}

// SignAccept signs the acceptance of a seat with the new key, for [ReseatBody].
func SignAccept(s note.Signer, table, parent Hash, seat int) ([]byte, error) {
	return s.Sign(AcceptText(table, parent, seat))
}

// Base64 is the encoding of binary values.
func Base64(b []byte) string { return strictBase64.EncodeToString(b) }
