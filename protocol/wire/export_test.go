package wire

// Text is a message as its entry has it.
func Text(m *Message) any { return m.text() }

// ParseMessage reads the text of a message.
var ParseMessage = parseMessage

// ParseMessageByJSON reads the text of a message by way of package json, and of
// writing it again.
func ParseMessageByJSON(line []byte) (*Message, error) {
	var t text
	if err := decode(line, &t); err != nil {
		return nil, err
	}
	m := &Message{Format: t.Format, Table: t.Table, Parent: t.Parent, Seat: t.Seat, Kind: t.Kind, Body: t.Body}
	if m.Format != MessageFormat || m.Seat < 0 || m.Seat >= MaxSeats || len(m.Kind) == 0 || len(m.Kind) > MaxName || m.Body[0] != '{' || t.Proofs == nil {
		return nil, errCanonical
	}
	return m, m.readProofs(t.Proofs)
}

// DecodeBodyByJSON is DecodeBody without its bounds, by way of package json.
func DecodeBodyByJSON(raw []byte, into any) error { return decode(raw, into) }
