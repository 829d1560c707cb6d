package bulletin

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pakli/pakli/protocol/wire"
	"golang.org/x/mod/sumdb/note"
)

// Notice is what a player tells an event (10.12). Notices are not chained: only the log orders
// them.
type Notice struct {
	Format string          `json:"pakli"`
	Event  wire.Hash       `json:"event"`
	Seen   wire.Hash       `json:"seen"` // the last decision that the player saw, or else the event
	By     string          `json:"by"`
	Kind   NoticeKind      `json:"kind"`
	Body   json.RawMessage `json:"body"`
}

// NoticeKind names what a notice says. Each kind has one type of body.
type NoticeKind string

// Kinds of notices.
const (
	Register NoticeKind = "register" // RegisterBody
	Withdraw NoticeKind = "withdraw" // RoundBody: from this round on
	Skip     NoticeKind = "skip"     // RoundBody: this round only
	Appeal   NoticeKind = "appeal"   // AppealBody
	Call     NoticeKind = "call"     // CallBody
)

// RegisterBody asks for a place in the event.
type RegisterBody struct {
	Name   wire.Text `json:"name"`
	Club   wire.Text `json:"club"`
	Draw   bool      `json:"draw"`   // whether the player will sit at the draw
	Ticket string    `json:"ticket"` // the door's signature over the key, in base64, or empty
}

// RoundBody names a round.
type RoundBody struct {
	Round int `json:"round"`
}

// AppealBody asks the jury for another ruling.
type AppealBody struct {
	Ruling wire.Hash `json:"ruling"`
	Reason wire.Text `json:"reason"`
}

// CallBody calls an arbiter to a table.
type CallBody struct {
	Table  wire.Hash `json:"table"`
	Reason wire.Text `json:"reason"`
}

func (n *Notice) checkForm() error {
	if _, err := wire.ParseVerifier(n.By); err != nil {
		return err
	}
	_, err := n.ReadBody()
	return err
}

// ReadBody returns the body as a pointer to the type of its kind.
func (n *Notice) ReadBody() (any, error) {
	var body form
	switch n.Kind {
	case Register:
		body = new(RegisterBody)
	case Withdraw, Skip:
		body = new(RoundBody)
	case Appeal:
		body = new(AppealBody)
	case Call:
		body = new(CallBody)
	default:
		return nil, fmt.Errorf("%.40q is no kind of notice", n.Kind)
	}
	return body, readBody(n.Body, body)
}

func (b *RegisterBody) checkForm() error {
	if b.Ticket != "" {
		if _, err := wire.ParseBinary(b.Ticket, ticketBytes); err != nil {
			return fmt.Errorf("ticket: %w", err)
		}
	}
	if b.Name == "" {
		return errors.New("who registers has a name")
	}
	return cmp.Or(b.Name.CheckLength("the name", wire.MaxText), b.Club.CheckLength("the club", wire.MaxText))
}

func (b *RoundBody) checkForm() error { return checkRound(b.Round) }

func (b *AppealBody) checkForm() error { return b.Reason.CheckLength("the reason", wire.MaxReason) }

func (b *CallBody) checkForm() error { return b.Reason.CheckLength("the reason", wire.MaxReason) }

// ticketBytes is the length of a note's 4-byte key hash and an Ed25519 signature.
const ticketBytes = 4 + 64

// TicketText returns the text of the note that a door signs for a key which it lets in.
func TicketText(event wire.Hash, vkey string) string {
	return "pakli-ticket/v1\n" + event.String() + "\n" + vkey + "\n"
}

// SignTicket returns the door's signature over a key that may register.
func SignTicket(event wire.Hash, vkey string, door note.Signer) (string, error) {
	signed, err := note.Sign(&note.Note{Text: TicketText(event, vkey)}, door)
	if err != nil {
		return "", err
	}
	_, line, _ := bytes.Cut(signed, []byte("\n\n"))
	return string(bytes.Fields(line)[2]), nil
}

// CheckTicket reports whether a ticket is the door's signature over the key.
func CheckTicket(ticket string, event wire.Hash, vkey, door string) bool {
	v, err := wire.ParseVerifier(door)
	if err != nil {
		return false
	}
	s, err := wire.ParseBinary(ticket, ticketBytes)
	return err == nil && binary.BigEndian.Uint32(s) == v.KeyHash() && v.Verify([]byte(TicketText(event, vkey)), s[4:])
}
