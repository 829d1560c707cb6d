package wire

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// scanner takes canonical JSON of a known form off a line: literal text, and
// values between it. It accepts what [decode] accepts into a struct of that form,
// and so what [canonical] writes, without writing it again: messages and their
// bodies are most of a log. The first fault sticks; callers check close.
type scanner struct {
	line []byte
	at   int
	err  error
}

var errCanonical = errors.New("wire: not canonical")

func (s *scanner) fail(what string) {
	if s.err == nil {
		s.err = fmt.Errorf("%w: want %s at byte %d, and there is %.40q", errCanonical, what, s.at, s.line[s.at:])
	}
}

// close returns the first fault. Bytes that are left over are one.
func (s *scanner) close() error {
	if s.at != len(s.line) {
		s.fail("the end")
	}
	return s.err
}

// literal takes exactly this text.
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

// until takes what stands before the next byte c.
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

// hash takes a hash, without its quotation marks.
func (s *scanner) hash() (h Hash) {
	if s.err != nil {
		return h
	}
	end := min(s.at+2*len(h), len(s.line))
	h, s.err = ParseHash(string(s.line[s.at:end]))
	s.at = end
	return h
}

// number takes an integer that a comma follows.
func (s *scanner) number() int {
	start := s.at
	digits := string(s.until(','))
	n, err := strconv.Atoi(digits)
	if err != nil || strconv.Itoa(n) != digits {
		s.at = start
		s.fail("a number")
	}
	return n
}

// text takes a string. Without backslashes, none has a quotation mark in it.
func (s *scanner) text() []byte {
	s.literal(`"`)
	taken := s.until('"')
	s.literal(`"`)
	return taken
}

// list takes a list, each of whose values take takes.
func (s *scanner) list(take func()) {
	s.literal("[")
	for first := true; s.err == nil && !s.skip("]"); first = false {
		if !first {
			s.literal(",")
		}
		take()
	}
}

// texts takes a list of strings.
func (s *scanner) texts() (list []string) {
	list = []string{}
	s.list(func() { list = append(list, string(s.text())) })
	return list
}

// binary takes a value in base64.
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
	s.list(func() { list = append(list, s.binary()) })
	return list
}

// maxDepth is how deep package json goes into an object that is itself a value.
const maxDepth = 10_000 - 1

// object takes an object of any form without white space.
func (s *scanner) object() json.RawMessage {
	n, ok := objectLength(s.line[s.at:])
	if s.err != nil || !ok || !json.Valid(s.line[s.at:s.at+n]) {
		s.fail("an object without white space")
		return nil
	}
	taken := bytes.Clone(s.line[s.at : s.at+n])
	s.at += n
	return taken
}

// objectLength returns where the object ends that b begins with. Whether it is
// well formed inside is not looked at.
func objectLength(b []byte) (int, bool) {
	if len(b) == 0 || b[0] != '{' {
		return 0, false
	}
	depth := 0
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '"':
			n := bytes.IndexByte(b[i+1:], '"')
			if n < 0 || bytes.IndexByte(b[i+1:i+1+n], '\\') >= 0 {
				return 0, false
			}
			i += n + 1
		case '{', '[':
			if depth++; depth > maxDepth {
				return 0, false
			}
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		case ' ', '\t', '\r', '\n':
			return 0, false
		}
	}
	return 0, false
}

var strictBase64 = base64.StdEncoding.Strict()

// parseBase64 accepts the one padded standard base64 spelling of some bytes.
func parseBase64(text []byte) ([]byte, error) {
	if bytes.ContainsAny(text, "\r\n") { // which the decoder passes over
		return nil, errCanonical
	}
	b := make([]byte, strictBase64.DecodedLen(len(text)))
	n, err := strictBase64.Decode(b, text)
	return b[:n:n], err
}
