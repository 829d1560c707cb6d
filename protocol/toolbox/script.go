package toolbox

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/pakli/pakli/protocol/card"
	"github.com/pakli/pakli/protocol/table"
)

// ReadHead reads the lines before the first operation of a script: "seats N" and "faces N", by default
// 2 and 52, and "names a,b,c".
func ReadHead(script string) (Config, error) {
	c := Config{Seats: 2, Faces: 52}
	for line := range strings.Lines(script) {
		words := strings.Fields(cleanLine(line))
		if len(words) == 0 {
			continue
		}
		var err error
		switch words[0] {
		case "seats":
			c.Seats, err = parseNumber(words[1:])
		case "faces":
			c.Faces, err = parseNumber(words[1:])
		case "names":
			c.Names = strings.Split(strings.Join(words[1:], " "), ",")
			c.Faces = len(c.Names)
		default:
			return c, nil
		}
		if err != nil {
			return c, fmt.Errorf("%s: %w", words[0], err)
		}
	}
	return c, nil
}

// Run plays a script of one operation a line: "A: cut stock". "all: cut stock" does it for each seat in
// turn. A line that begins with "!" must be refused. Text after # is for people. An error names the
// line.
func Run(script io.Reader, seats []Seat) error {
	lines := bufio.NewScanner(script)
	for n := 1; lines.Scan(); n++ {
		line := cleanLine(lines.Text())
		who, what, operation := strings.Cut(line, ":")
		if line == "" || !operation && isHead(line) {
			continue
		}
		who, refused := strings.CutPrefix(strings.TrimSpace(who), "!")
		err := runLine(strings.TrimSpace(who), strings.Fields(what), seats)
		if refused && err == nil {
			err = errors.New("this was to be refused, and was done")
		} else if refused {
			err = nil
		}
		if err != nil {
			return fmt.Errorf("line %d: %s: %w", n, line, err)
		}
	}
	return lines.Err()
}

func cleanLine(line string) string {
	line, _, _ = strings.Cut(line, "# ")
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") {
		return ""
	}
	return line
}

func isHead(line string) bool {
	return slices.Contains([]string{"seats", "faces", "names"}, strings.Fields(line)[0])
}

func runLine(who string, words []string, seats []Seat) error {
	for i, s := range seats {
		if who != "all" && who != table.Seat(i).Letter() {
			continue
		}
		if err := runOperation(scriptCall{Seat: s, seats: seats, words: words}); err != nil || who != "all" {
			return err
		}
	}
	if who == "all" {
		return nil
	}
	return fmt.Errorf("there is no seat %q", who)
}

// scriptCall is an operation of a seat, whose words are read one after another.
type scriptCall struct {
	Seat
	seats []Seat
	words []string
	err   error
}

func (c *scriptCall) nextWord() string {
	if len(c.words) == 0 {
		c.fail(errors.New("there is a word missing"))
		return ""
	}
	w := c.words[0]
	c.words = c.words[1:]
	return w
}

func (c *scriptCall) fail(err error) {
	if c.err == nil {
		c.err = err
	}
}

func (c *scriptCall) readPile() Pile { return Pile(c.nextWord()) }

func (c *scriptCall) readNumber() int {
	n, err := parseNumber([]string{c.nextWord()})
	c.fail(err)
	return n
}

func parseNumber(words []string) (int, error) {
	if len(words) != 1 {
		return 0, errors.New("one number is wanted")
	}
	n, err := strconv.Atoi(words[0])
	if err != nil {
		return 0, fmt.Errorf("%q is no number", words[0])
	}
	return n, nil
}

// readFaces reads numbers and ranges, like "3" and "0-24,30".
func (c *scriptCall) readFaces() (list []card.Face) {
	for part := range strings.SplitSeq(c.nextWord(), ",") {
		from, to, wide := strings.Cut(part, "-")
		first, err := parseNumber([]string{from})
		c.fail(err)
		last := first
		if wide {
			last, err = parseNumber([]string{to})
			c.fail(err)
		}
		if first < 0 || last >= card.MaxFaces {
			c.fail(fmt.Errorf("there is no face %s", part))
			return nil
		}
		for f := first; f <= last; f++ {
			list = append(list, card.Face(f))
		}
	}
	return list
}

func (c *scriptCall) readFace() card.Face {
	list := c.readFaces()
	if len(list) != 1 {
		c.fail(errors.New("one face is wanted"))
		return 0
	}
	return list[0]
}

func (c *scriptCall) readSeat() table.Seat {
	name := c.nextWord()
	for i := range c.seats {
		if table.Seat(i).Letter() == name {
			return table.Seat(i)
		}
	}
	c.fail(fmt.Errorf("there is no seat %q", name))
	return 0
}

// readRef reads a card: "stock/0" is the first of a pile, "hand/0" of the seat's own hand, "B/0" of
// another seat's hand, and "=3" the card of the own hand with face 3. Cards of a hand are in the order
// of their places.
func (c *scriptCall) readRef() Ref {
	word := c.nextWord()
	if face, own := strings.CutPrefix(word, "="); own {
		f, err := parseNumber([]string{face})
		c.fail(err)
		for r, has := range c.Hand() {
			if int(has) == f {
				return r
			}
		}
		c.fail(fmt.Errorf("no card of the hand has face %d", f))
		return 0
	}
	name, place, _ := strings.Cut(word, "/")
	n, err := parseNumber([]string{place})
	c.fail(err)
	list := c.Piles()[Pile(name)]
	if name == "hand" {
		list = handRefs(c.Seat)
	}
	for i, s := range c.seats {
		if table.Seat(i).Letter() == name {
			list = handRefs(s)
		}
	}
	if n < 0 || n >= len(list) {
		c.fail(fmt.Errorf("there is no card %s", word))
		return 0
	}
	return list[n]
}

func handRefs(s Seat) (list []Ref) {
	for r := range s.Hand() {
		list = append(list, r)
	}
	slices.Sort(list)
	return list
}

// readRefs reads all remaining words as cards.
func (c *scriptCall) readRefs() (list []Ref) {
	for len(c.words) > 0 {
		list = append(list, c.readRef())
	}
	return list
}

// showPairs shows every two cards of the hand whose faces are f and f + n, for f < n.
func (c *scriptCall) showPairs(n int) error {
	have := map[card.Face]Ref{}
	for r, f := range c.Hand() {
		have[f] = r
	}
	for f := range card.Face(n) {
		first, one := have[f]
		second, other := have[f+card.Face(n)]
		if one && other {
			if err := errors.Join(c.Show(first), c.Show(second)); err != nil {
				return err
			}
		}
	}
	return nil
}

// runOperation reads all words, and then does the operation.
func runOperation(c scriptCall) error {
	op := c.nextWord()
	do, known := calls[op]
	if !known {
		return fmt.Errorf("there is no operation %q", op)
	}
	f := do(&c)
	switch {
	case c.err != nil:
		return c.err
	case len(c.words) > 0:
		return fmt.Errorf("%q is too much", c.words[0])
	}
	return f()
}

// calls are the operations by their names in scripts.
var calls = map[string]func(*scriptCall) func() error{
	"deck":    func(c *scriptCall) func() error { return c.Deck },
	"end":     func(c *scriptCall) func() error { return c.End },
	"permute": func(c *scriptCall) func() error { return c.Permute },
	"mask":    func(c *scriptCall) func() error { p := c.readPile(); return func() error { return c.Mask(p) } },
	"mix":     func(c *scriptCall) func() error { p := c.readPile(); return func() error { return c.Mix(p) } },
	"cut":     func(c *scriptCall) func() error { p := c.readPile(); return func() error { return c.Cut(p) } },
	"create": func(c *scriptCall) func() error {
		p, faces := c.readPile(), c.readFaces()
		return func() error { return c.Create(p, faces...) }
	},
	"private": func(c *scriptCall) func() error { // private p 3 of 1,3,5
		p, f := c.readPile(), c.readFace()
		c.nextWord()
		in := c.readFaces()
		return func() error { return c.Private(p, f, card.SetOf(in...)) }
	},
	"random": func(c *scriptCall) func() error {
		p, of := c.readPile(), c.readFaces()
		return func() error { return c.Random(p, card.SetOf(of...)) }
	},
	"insert": func(c *scriptCall) func() error {
		r, p := c.readRef(), c.readPile()
		return func() error { return c.Insert(r, p) }
	},
	"return": func(c *scriptCall) func() error {
		r, p := c.readRef(), c.readPile()
		return func() error { return c.Return(r, p) }
	},
	"join": func(c *scriptCall) func() error {
		to, from := c.readPile(), c.readPile()
		return func() error { return c.Join(to, from) }
	},
	"equal": func(c *scriptCall) func() error {
		a, b := c.readPile(), c.readPile()
		return func() error { return c.Equal(a, b) }
	},
	"split": func(c *scriptCall) func() error {
		from, n, to := c.readPile(), c.readNumber(), c.readPile()
		return func() error { return c.Split(from, n, to) }
	},
	"take": func(c *scriptCall) func() error {
		from, n, to := c.readPile(), c.readNumber(), c.readPile()
		return func() error { return c.Take(from, n, to) }
	},
	"deal": func(c *scriptCall) func() error {
		from, n, to := c.readPile(), c.readNumber(), c.readSeat()
		return func() error { return c.Deal(from, n, to) }
	},
	"show": func(c *scriptCall) func() error {
		list := c.readRefs()
		return func() error {
			for _, r := range list {
				if err := c.Show(r); err != nil {
					return err
				}
			}
			return nil
		}
	},
	"give": func(c *scriptCall) func() error {
		r, to := c.readRef(), c.readSeat()
		return func() error { return c.Give(r, to) }
	},
	"draw": func(c *scriptCall) func() error { r := c.readRef(); return func() error { return c.Draw(r) } },
	"state": func(c *scriptCall) func() error { // state 0-3 1 2 hand/0 hand/1
		set, low, high, list := card.SetOf(c.readFaces()...), c.readNumber(), c.readNumber(), c.readRefs()
		return func() error { return c.State(set, low, high, list...) }
	},
	"pairs": func(c *scriptCall) func() error { n := c.readNumber(); return func() error { return c.showPairs(n) } },
	"coin":  func(c *scriptCall) func() error { return func() error { return c.throwNumber(2) } },
	"number": func(c *scriptCall) func() error {
		n := c.readNumber()
		return func() error { return c.throwNumber(n) }
	},
}

// throwNumber throws a number, which Watch reports.
func (c *scriptCall) throwNumber(n int) error {
	_, err := c.Number(n)
	return err
}
