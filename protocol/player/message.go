// Package player is a seat's side of the protocol: it turns what the seat owes into proved and
// signed messages, and keeps the seat's secrets.
//
// A [Hand] makes one message for one duty in one state. An [Identity] is the seat's secrets, which
// a [Vault] keeps: in files (package seatfile), or in a browser. [Seat] ties both to a log. It
// promises that a player who crashes at any instant never signs two different messages on one
// parent: a message is durably in the seat's journal before it leaves the machine, and is posted
// again from there, byte for byte, for as long as its parent is the head.
//
// A player believes only its own replay. Before it signs, it has applied every message of the
// table, with its proofs, and found it in the log under a signed checkpoint that is consistent with
// all earlier ones.
package player

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"golang.org/x/mod/sumdb/note"

	"github.com/pakli/pakli/protocol/proof"
	"github.com/pakli/pakli/protocol/table"
	"github.com/pakli/pakli/protocol/wire"
)

// Hand makes the messages of one seat at one table.
type Hand struct {
	Seat   table.Seat
	Secret proof.Secret
	Signer note.Signer
	Locks  Locks  // needed where the suite defers
	Chain  *Chain // where seats ask for proofs: the values kept of the chain; nil: each is computed anew
}

// SignMessage returns the entry that discharges d in s. For a Move, move is the move; for a Mint,
// the list of faces of the new cards, or nil for faces at random; otherwise nil. It fails if s does
// not wait for d, if the move breaks a rule, or if a statement to prove is not true.
func (h Hand) SignMessage(s *table.State, d table.Duty, move json.RawMessage, rand io.Reader) ([]byte, error) {
	body, witnesses, err := h.MessageBody(s, d, move, rand)
	if err != nil {
		return nil, err
	}
	if err := h.keepOrder(s, witnesses); err != nil {
		return nil, err
	}
	raw, err := wire.EncodeBody(body)
	if err != nil {
		return nil, err
	}
	proofs, err := h.proveStatements(s, d.Kind, raw, witnesses, rand)
	if err != nil {
		return nil, err
	}
	return wire.Sign(&wire.Message{
		Format: wire.MessageFormat, Table: s.ID(), Parent: s.Head(),
		Seat: int(h.Seat), Kind: d.Kind, Body: raw, Proofs: proofs,
	}, h.Signer)
}

// MessageBody returns the body of the message that discharges d in s, one of wire's types of
// bodies, and, for relations that have witnesses, the witness of each statement in order.
func (h Hand) MessageBody(s *table.State, d table.Duty, move json.RawMessage, rand io.Reader) (any, []proof.Witness, error) {
	switch d.Kind {
	case table.Key:
		return h.keyBody(s), nil, nil
	case table.Shuffle:
		in, key := s.Deck()
		if key == nil {
			return nil, nil, errors.New("the card keys of this deal cancel each other, so no card would be hidden under them: its seats have all shared their secrets")
		}
		return h.shuffleBody(s, d, key, in, rand)
	case table.Permute:
		return h.shuffleBody(s, d, h.Secret.Key(), s.MaskedCards(d.Cards), rand)
	case table.Mix, table.Cut, table.Insert:
		_, key := s.Deck()
		if d.Family() == "" {
			return h.shuffleBody(s, d, key, s.MaskedCards(d.Cards), rand)
		}
		return h.arrangeBody(s, d, key, rand)
	case table.Mint:
		return h.mintBody(s, d, move, rand)
	case table.Show:
		return wire.TokensBody{Tokens: h.cardTokens(s, d.Cards)}, nil, nil
	case table.Give:
		return h.giveBody(s, d, s.CardKey(d.To[0]), rand)
	case table.Return:
		_, key := s.Deck()
		return h.giveBody(s, d, key, rand)
	case table.Disclose:
		body, err := h.discloseBody(s)
		return body, nil, err
	case table.Dispute:
		return wire.DisputeBody{Card: int(d.Cards[0])}, nil, nil
	case table.Beacon:
		body, err := h.beaconBody(s)
		return body, nil, err
	case table.Answer:
		return wire.AnswerBody{}, nil, nil
	case table.Move:
		turned, err := s.TurnedCards(h.Seat, move)
		if err != nil {
			return nil, nil, err
		}
		return wire.MoveBody{Move: move, Tokens: h.cardTokens(s, turned)}, nil, nil
	}
	return nil, nil, fmt.Errorf("there is no message for a duty of kind %q", d.Kind)
}

func (h Hand) shuffleBody(s *table.State, d table.Duty, key proof.Key, in []proof.MaskedCard, rand io.Reader) (any, []proof.Witness, error) {
	out, witness, err := h.Secret.Shuffle(s.Context(h.Seat, d.Kind).Slot(0), key, in, h.shuffleRandom(s, d.Kind, rand))
	if err != nil {
		return nil, nil, err
	}
	return cardsOf(out), []proof.Witness{witness}, nil
}

func cardsOf(cards []proof.MaskedCard) wire.CardsBody {
	body := wire.CardsBody{Cards: make([][]byte, len(cards))}
	for i, c := range cards {
		body.Cards[i] = c.Bytes()
	}
	return body
}

func (h Hand) arrangeBody(s *table.State, d table.Duty, key proof.Key, rand io.Reader) (any, []proof.Witness, error) {
	arranger, err := proof.ArrangerOf(h.Secret)
	if err != nil {
		return nil, nil, err
	}
	out, witness, err := arranger.Arrange(s.Context(h.Seat, d.Kind).Slot(0), d.Family(), key, s.MaskedCards(d.Cards), rand)
	if err != nil {
		return nil, nil, err
	}
	return cardsOf(out), []proof.Witness{witness}, nil
}

// mintBody makes cards of the chosen faces, a list of numbers; if it is nil, each has a random face
// of its set.
func (h Hand) mintBody(s *table.State, d table.Duty, chosen json.RawMessage, rand io.Reader) (any, []proof.Witness, error) {
	arranger, err := proof.ArrangerOf(h.Secret)
	if err != nil {
		return nil, nil, err
	}
	faces := d.Sets[0].Faces()[:0]
	for i, set := range d.Sets {
		f, err := pickFace(h, s, uint16(i), set.Faces(), rand)
		if err != nil {
			return nil, nil, err
		}
		faces = append(faces, f)
	}
	if chosen != nil {
		if err := json.Unmarshal(chosen, &faces); err != nil || len(faces) != len(d.Sets) {
			return nil, nil, fmt.Errorf("%d new cards need a list of as many faces", len(d.Sets))
		}
	}
	_, key := s.Deck()
	var cards []proof.MaskedCard
	var witnesses []proof.Witness
	for i, set := range d.Sets {
		c, witness, err := arranger.Mint(s.Context(h.Seat, d.Kind).Slot(uint16(i)), key, s.FaceDeck(), faces[i], set, rand)
		if err != nil {
			return nil, nil, err
		}
		cards, witnesses = append(cards, c), append(witnesses, witness)
	}
	return cardsOf(cards), witnesses, nil
}

func (h Hand) giveBody(s *table.State, d table.Duty, to proof.Key, rand io.Reader) (any, []proof.Witness, error) {
	body, witnesses := wire.CardsBody{Cards: [][]byte{}}, []proof.Witness{}
	context := s.Context(h.Seat, d.Kind)
	for i, old := range s.MaskedCards(d.Cards) {
		c, witness, err := h.Secret.Transfer(context.Slot(uint16(i)), old, to, rand)
		if err != nil {
			return nil, nil, err
		}
		body.Cards = append(body.Cards, c.Bytes())
		witnesses = append(witnesses, witness)
	}
	return body, witnesses, nil
}

func (h Hand) cardTokens(s *table.State, cards []table.Card) [][]byte {
	list := make([][]byte, len(cards))
	for i, c := range s.MaskedCards(cards) {
		list[i] = h.Secret.Token(c).Bytes()
	}
	return list
}

// proveStatements proves the statements that the table computes from the body.
func (h Hand) proveStatements(s *table.State, kind table.Kind, body json.RawMessage, witnesses []proof.Witness, rand io.Reader) ([][]byte, error) {
	statements, err := s.Statements(h.Seat, kind, body)
	if err != nil {
		return nil, err
	}
	context := s.Context(h.Seat, kind)
	proofs := make([][]byte, len(statements))
	for i, statement := range statements {
		var w proof.Witness
		if i < len(witnesses) {
			w = witnesses[i]
		}
		shuffle, shuffles := statement.(proof.Shuffle)
		_, asks := s.AsksForProofs()
		switch {
		case kind == table.Answer:
			proofs[i], err = h.answerShuffle(s, shuffle)
		case asks && shuffles:
			proofs[i], err = h.commitShuffle(s, kind, shuffle, w)
		default:
			proofs[i], err = h.Secret.Prove(context.Slot(uint16(i)), statement, w, rand)
		}
		if err != nil {
			return nil, fmt.Errorf("cannot prove %s for seat %s: %w", proof.RelationName(statement), s.SeatName(h.Seat), err)
		}
	}
	return proofs, nil
}
