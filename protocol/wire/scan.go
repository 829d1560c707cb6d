package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// scanner reads canonical JSON of a known form off a line: literal text, and the values between. It
// accepts what [DecodeCanonical] accepts into a struct of that form, and so what [EncodeBody]
// writes, without encoding it again: messages and their bodies are most of a log. The first error
// sticks; callers check close.
type scanner struct {
	line []byte
	at   int
	err  error
}

var errCanonical = errors.New("not canonical")

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: want %s at byte %d, and there is %.40q", errCanonical, what, s.at, s.line[s.at:])
	}
}

// close returns the first error. Bytes left over are an error.
func (s *scanner) close() error {
	if s.at != len(s.line) {
		s.fail("the end")
	}
	return s.err
}

// literal reads exactly this text.
func (s *scanner) literal(text string) {
	if !s.skip(text) {
		s.fail(strconv.Quote(text))
	}
}

func (s *scanner) skip(text string) bool {
	if s.err != nil || len(s.line)-s.at < len(text) || string(s.line[s.at:s.at+len(text)]) != text {
		return false
	}
	s.at += len(text)
	return true
}

// until reads what stands before the next byte c.
func (s *scanner) until(c byte) []byte {
	if s.err != nil {
		return nil
	}
	n := bytes.IndexByte(s.line[s.at:], c)
	if n < 0 {
		s.fail(strconv.Quote(string(c)))
		return nil
	}
	taken := s.line[s.at : s.at+n]
	s.at += n
	return taken
}

// hash reads a hash, without its quotation marks.
func (s *scanner) hash() (h Hash) {
	if s.err != nil {
		return h
	}
	end := min(s.at+2*len(h), len(s.line))
	h, s.err = ParseHash(string(s.line[s.at:end]))
	s.at = end
	return h
}

// number reads an integer.
func (s *scanner) number() int64 {
	start := s.at
	for s.err == nil && s.at < len(s.line) && (s.line[s.at] == '-' || '0' <= s.line[s.at] && s.line[s.at] <= '9') {
		s.at++
	}
	digits := string(s.line[start:s.at])
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || strconv.FormatInt(n, 10) != digits || n > MaxNumber || n < -MaxNumber {
		s.at = start
		s.fail("a number")
	}
	return n
}

// text reads a string. Strings have no backslashes, so none contains a quotation mark.
func (s *scanner) text() []byte {
	s.literal(`"`)
	taken := s.until('"')
	s.literal(`"`)
	return taken
}

// list reads a list from open to end, separated by commas. Each call of take reads one element.
func (s *scanner) list(open, end string, take func()) {
	s.literal(open)
	for first := true; s.err == nil && !s.skip(end); first = false {
		if !first {
			s.literal(",")
		}
		take()
	}
}

// texts reads a list of strings.
func (s *scanner) texts() (list []string) {
	list = []string{}
	s.list("[", "]", func() { list = append(list, string(s.text())) })
	return list
}

// binary reads a value in base64.
func (s *scanner) binary() []byte {
	start := s.at
	b, err := parseBase64(s.text())
	if err != nil && s.err == nil {
		s.at = start
		s.fail("canonical base64")
	}
	return b
}

func (s *scanner) binaries() (list [][]byte) {
	list = [][]byte{}
	s.list("[", "]", func() { list = append(list, s.binary()) })
	return list
}

// disclosedDeals reads a list of locks.
func (s *scanner) disclosedDeals() (list []DisclosedDeal) {
	s.list("[", "]", func() {
		s.literal(`{"deal":`)
		d := DisclosedDeal{Deal: s.number()}
		s.literal(`,"lock":`)
		d.Lock = s.binary()
		s.literal(`,"order":`)
		d.Order = s.binary()
		s.literal(`}`)
		list = append(list, d)
	})
	return list
}

// object reads any object (10.3), with depth objects and lists open around it.
func (s *scanner) object(depth int) json.RawMessage {
	start := s.at
	s.fields(depth)
	if s.err != nil {
		return nil
	}
	return bytes.Clone(s.line[start:s.at])
}

func (s *scanner) fields(depth int) {
	s.list("{", "}", func() {
		s.text()
		s.literal(":")
		s.value(depth + 1)
	})
}

// value reads any value (10.3).
func (s *scanner) value(depth int) {
	var first byte
	if s.at < len(s.line) {
		first = s.line[s.at]
	}
	switch {
	case s.err != nil:
	case (first == '{' || first == '[') && depth >= MaxDepth:
		s.fail(fmt.Sprintf("no more than %d objects and lists one in another", MaxDepth))
	case first == '{':
		s.fields(depth)
	case first == '[':
		s.list("[", "]", func() { s.value(depth + 1) })
	case first == '"':
		s.text()
	case first == 't':
		s.literal("true")
	case first == 'f':
		s.literal("false")
	case first == '-' || '0' <= first && first <= '9':
		s.number()
	default:
		s.fail("a value")
	}
}

var strictBase64 = base64.StdEncoding.Strict()

// parseBase64 accepts only the one padded standard base64 spelling of some bytes.
func parseBase64(text []byte) ([]byte, error) {
	if bytes.ContainsAny(text, "\r\n") { // the decoder skips them
		return nil, errCanonical
	}
	b := make([]byte, strictBase64.DecodedLen(len(text)))
	n, err := strictBase64.Decode(b, text)
	return b[:n:n], err
}
