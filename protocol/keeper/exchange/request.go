package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/wire"
)

// RequestFormat is the first line of a request to a keeper.
const RequestFormat = "pakli-keep/v1"

// maxReceipt bounds a receipt in a request, in bytes.
const maxReceipt = 64 << 10

// MaxRequest bounds a request, in bytes.
const MaxRequest = 3*wire.MaxEntry + maxReceipt + wire.MaxAttached + 256

// Request asks a keeper about a place of a table. It proves the table by the genesis entry, whose
// hash is the table's id, and the receipt for it (docs/spec/65-log.md, 65.5). A request to hold
// also has the message and, before it, if its signer has taken the seat over, the act that gave the
// seat. A request for silence has the parent and the seat:
//
//	pakli-keep/v1
//	genesis <bytes> LF <the entry> LF
//	receipt <bytes> LF <the receipt> LF
//	reseat <bytes> LF <the act> LF
//	message <bytes> LF <the message> LF
//
//	parent <hash> LF
//	seat <n> LF
type Request struct {
	Genesis, Receipt []byte
	Reseat           []byte // nil: the signer has had the seat from the beginning
	Message          []byte // with its blobs; nil: the request is for silence
	Parent           wire.Hash
	Seat             int
}

// Marshal returns the request as the keeper reads it.
func (r Request) Marshal() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n", RequestFormat)
	block := func(word string, text []byte) { fmt.Fprintf(&b, "%s %d\n%s\n", word, len(text), text) }
	block("genesis", r.Genesis)
	block("receipt", r.Receipt)
	if r.Reseat != nil {
		block("reseat", r.Reseat)
	}
	if r.Message != nil {
		block("message", r.Message)
	} else {
		fmt.Fprintf(&b, "parent %s\nseat %d\n", r.Parent, r.Seat)
	}
	return b.Bytes()
}

var errRequest = errors.New("no request of the format " + RequestFormat)

// ParseRequest reads exactly what Marshal writes. It checks only the form.
func ParseRequest(body []byte) (r Request, err error) {
	rest, ok := bytes.CutPrefix(body, []byte(RequestFormat+"\n"))
	if !ok || len(body) > MaxRequest {
		return r, errRequest
	}
	if r.Genesis, rest, err = readBlock(rest, "genesis"); err == nil {
		r.Receipt, rest, err = readBlock(rest, "receipt")
	}
	if err == nil && bytes.HasPrefix(rest, []byte("reseat ")) {
		r.Reseat, rest, err = readBlock(rest, "reseat")
	}
	switch {
	case err != nil:
	case bytes.HasPrefix(rest, []byte("message ")):
		r.Message, rest, err = readBlock(rest, "message")
	default:
		rest, err = r.readPlace(rest)
	}
	if err != nil || len(rest) > 0 || !bytes.Equal(r.Marshal(), body) {
		return Request{}, errRequest
	}
	return r, nil
}

func (r *Request) readPlace(text []byte) (rest []byte, err error) {
	lines := strings.SplitN(string(text), "\n", 3)
	parent, ok := strings.CutPrefix(lines[0], "parent ")
	if !ok || len(lines) < 3 {
		return nil, errRequest
	}
	if r.Parent, err = wire.ParseHash(parent); err != nil {
		return nil, err
	}
	r.Seat, err = seatOf(strings.TrimPrefix(lines[1], "seat "))
	return []byte(lines[2]), err
}

// readBlock reads a word, a length, and that many bytes.
func readBlock(text []byte, word string) (b, rest []byte, err error) {
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	size, ok := strings.CutPrefix(string(head), word+" ")
	n, err := strconv.Atoi(size)
	if !ok || err != nil || n < 0 || n >= len(rest) || rest[n] != '\n' {
		return nil, nil, errRequest
	}
	return rest[:n:n], rest[n+1:], nil
}

// seatOf reads a seat's number.
func seatOf(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n >= wire.MaxSeats {
		return 0, fmt.Errorf("seat %.20q, must be 0 to %d", text, wire.MaxSeats-1)
	}
	return n, nil
}
