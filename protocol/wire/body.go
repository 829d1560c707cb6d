package wire

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// Kind names what a message does. Each kind has one type of body.
type Kind string

const (
	KindKey     Kind = "key"     // KeyBody: join with a card key
	KindShuffle Kind = "shuffle" // CardsBody: the whole deck, shuffled
	KindShow    Kind = "show"    // TokensBody: shares in cards shown to others
	KindGive    Kind = "give"    // CardsBody: hand cards, masked for their receiver
	KindPermute Kind = "permute" // CardsBody: the own hand, shuffled
	KindMove    Kind = "move"    // MoveBody: a player's choice
)

// KeyBody carries a seat's public card key.
type KeyBody struct {
	Key []byte `json:"key"`
}

// CardsBody carries masked cards in the order the statement gives them.
type CardsBody struct {
	Cards [][]byte `json:"cards"`
}

// TokensBody carries tokens, in ascending order of the cards they are due for.
type TokensBody struct {
	Tokens [][]byte `json:"tokens"`
}

// MoveBody carries a move, in the JSON of its game, and the mover's own tokens
// for the hand cards that the move turns up, in the order of the rules' terms.
type MoveBody struct {
	Move   json.RawMessage `json:"move"`
	Tokens [][]byte        `json:"tokens"`
}

// Move is the move of a message, in the JSON of its game; nil if it has none that can be read.
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
	var beyond error // bounds, which matter once the form is right
	switch b := into.(type) {
	case *KeyBody:
		s.literal(`{"key":`)
		b.Key = s.binary()
		beyond = checkBinary("key", [][]byte{b.Key})
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
	return checkPlain(move) // which holds in every entry
}

func checkList(what string, list [][]byte) error {
	if len(list) > MaxList {
		return fmt.Errorf("%ss must be a list of at most %d", what, MaxList)
	}
	return checkBinary(what, list)
}

// EncodeBody writes a body or a move in canonical JSON.
func EncodeBody(v any) (json.RawMessage, error) { return canonical(v) }

// DecodeMove reads a game's move from canonical JSON.
func DecodeMove(raw json.RawMessage, into any) error { return decode(raw, into) }
