package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"

	"golang.org/x/mod/sumdb/note"
)

// Kind names what a message does. Each kind has one type of body.
type Kind string

const (
	KindKey     Kind = "key"     // KeyBody: join with a card key
	KindShuffle Kind = "shuffle" // CardsBody: the whole deck, shuffled
	KindShow    Kind = "show"    // TokensBody: tokens for cards shown to others
	KindGive    Kind = "give"    // CardsBody: hand cards, masked for their receiver
	KindPermute Kind = "permute" // CardsBody: the sender's own hand, shuffled
	KindReturn  Kind = "return"  // CardsBody: hand cards, masked for all seats
	KindMix     Kind = "mix"     // CardsBody: a pile, shuffled
	KindCut     Kind = "cut"     // CardsBody: a pile, cut
	KindInsert  Kind = "insert"  // CardsBody: a pile, with its last card put somewhere else
	KindMint    Kind = "mint"    // CardsBody: new cards
	KindMove    Kind = "move"    // MoveBody: a player's choice

	KindDisclose Kind = "disclose" // DiscloseBody: locks of deals, with the orders of shuffles
	KindDispute  Kind = "dispute"  // DisputeBody: a hand card that has no face

	KindBeacon Kind = "beacon" // BeaconBody: the next value of a chain
	KindAnswer Kind = "answer" // AnswerBody: the proof that such values asked for
)

// KeyBody carries a seat's public card key.
type KeyBody struct {
	Key []byte `json:"key"`
}

// AnchoredKeyBody is a KeyBody at tables where seats choose challenges. Anchor is the beginning of
// the chain of the seat's beacon values.
type AnchoredKeyBody struct {
	Key    []byte `json:"key"`
	Anchor []byte `json:"anchor"`
}

// BeaconBody carries the next value of its seat's chain.
type BeaconBody struct {
	Value []byte `json:"value"`
}

// AnswerBody carries nothing: only one proof is asked for at a time.
type AnswerBody struct{}

// CardsBody carries masked cards in the order of the statement.
type CardsBody struct {
	Cards [][]byte `json:"cards"`
}

// TokensBody carries tokens, in ascending order of the cards they are due for.
type TokensBody struct {
	Tokens [][]byte `json:"tokens"`
}

// MoveBody carries a move, in the JSON of its game, and the mover's own tokens for the hand cards
// that the move turns up, in the order of the rules' terms.
type MoveBody struct {
	Move   json.RawMessage `json:"move"`
	Tokens [][]byte        `json:"tokens"`
}

// DiscloseBody carries a seat's locks of deals, in ascending order of deals.
type DiscloseBody struct {
	Deals []DisclosedDeal `json:"deals"`
}

// DisclosedDeal is a seat's lock of a deal, and one byte for each card that it has shuffled: the
// place, from 0, that the card came from.
type DisclosedDeal struct {
	Deal  int64  `json:"deal"` // from 1
	Lock  []byte `json:"lock"`
	Order []byte `json:"order"`
}

// DisputeBody names a card by its place in the deal.
type DisputeBody struct {
	Card int `json:"card"`
}

// Move returns the move of a message, in the JSON of its game, or nil if it has no readable move.
func (m *Message) Move() json.RawMessage {
	var body MoveBody
	if m == nil || m.Kind != KindMove || DecodeBody(m.Body, &body) != nil {
		return nil
	}
	return body.Move
}

// DecodeBody reads a body into a pointer to one of the body types, and checks
// that it is canonical and within bounds.
func DecodeBody(raw json.RawMessage, into any) error {
	s := scanner{line: raw}
	var beyond error // a bound that is exceeded; reported only if the form is right
	switch b := into.(type) {
	case *KeyBody:
		s.literal(`{"key":`)
		b.Key = s.binary()
		beyond = checkBinary("key", [][]byte{b.Key})
	case *AnchoredKeyBody:
		s.literal(`{"key":`)
		b.Key = s.binary()
		s.literal(`,"anchor":`)
		b.Anchor = s.binary()
		beyond = checkBinary("key", [][]byte{b.Key})
	case *BeaconBody:
		s.literal(`{"value":`)
		b.Value = s.binary()
	case *AnswerBody:
		s.literal(`{`)
	case *CardsBody:
		s.literal(`{"cards":`)
		b.Cards = s.binaries()
		beyond = checkList("card", b.Cards)
	case *TokensBody:
		s.literal(`{"tokens":`)
		b.Tokens = s.binaries()
		beyond = checkList("token", b.Tokens)
	case *MoveBody:
		s.literal(`{"move":`)
		b.Move = s.object(2)
		s.literal(`,"tokens":`)
		b.Tokens = s.binaries()
		beyond = cmp.Or(checkMove(b.Move), checkList("token", b.Tokens))
	case *DiscloseBody:
		s.literal(`{"deals":`)
		b.Deals = s.disclosedDeals()
		beyond = checkDisclosed(b.Deals)
	case *DisputeBody:
		s.literal(`{"card":`)
		card := s.number()
		if b.Card = int(card); card < 0 || card >= MaxList {
			beyond = fmt.Errorf("card %d is out of range 0 to %d", card, MaxList-1)
		}
	default:
		panic(fmt.Sprintf("wire: %T is no body", into))
	}
	s.literal(`}`)
	if err := s.close(); err != nil {
		return fmt.Errorf("body: %w", err)
	}
	return beyond
}

func checkMove(move json.RawMessage) error {
	if len(move) > MaxMove {
		return fmt.Errorf("the move must be an object of at most %d bytes", MaxMove)
	}
	return checkPlain(move) // holds in every entry
}

func checkDisclosed(deals []DisclosedDeal) error {
	if len(deals) == 0 || len(deals) > MaxList {
		return fmt.Errorf("locks of %d deals, must be of 1 to %d", len(deals), MaxList)
	}
	for _, d := range deals {
		switch {
		case d.Deal < 1:
			return fmt.Errorf("there is no deal %d", d.Deal)
		case len(d.Lock) == 0 || len(d.Order) == 0 || len(d.Order) > MaxList:
			return fmt.Errorf("deal %d: a lock of %d bytes and an order of %d cards, must be of 1 or more and of 1 to %d", d.Deal, len(d.Lock), len(d.Order), MaxList)
		}
	}
	return nil
}

func checkList(what string, list [][]byte) error {
	if len(list) > MaxList {
		return fmt.Errorf("%ss must be a list of at most %d", what, MaxList)
	}
	return checkBinary(what, list)
}

// ParseDocument reads a text signed in the form of an entry (10.1 to 10.3), of at most so many
// bytes, that concerns no table: an entry of an event, or what players agree by before there is a
// table, which no log takes (70.12). It reads the text into a pointer to a struct whose first field
// is the format. The caller checks the bounds of values and the signature.
func ParseDocument(doc []byte, most int, format string, into any) (*Entry, error) {
	e, text, err := signedText(doc, format, most)
	if err != nil {
		return nil, err
	}
	if begin := `{"pakli":"` + format + `",`; !bytes.HasPrefix(text, []byte(begin)) {
		return nil, fmt.Errorf("the text does not begin with %s", begin)
	}
	return e, DecodeCanonical(text, into)
}

// SignChecked signs a text and returns it if check accepts it.
func SignChecked(t any, s note.Signer, check func(signed []byte) error) ([]byte, error) {
	signed, err := SignDocument(t, s)
	if err != nil {
		return nil, err
	}
	if err := check(signed); err != nil {
		return nil, fmt.Errorf("nothing was signed: %w", err)
	}
	return signed, nil
}

// SignDocument writes and signs a document.
func SignDocument(t any, s note.Signer) ([]byte, error) {
	text, err := EncodeBody(t)
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: string(text) + "\n"}, s)
}
