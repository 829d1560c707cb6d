package command

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Manual returns the command that writes the manual pages of a program, in man(7), into a directory:
// one of the program, and one of each command or family.
func Manual(program, about string, list func() []Command) Command {
	return Command{Name: "manual", Short: "write the manual pages into a directory", Arguments: "DIR", NoJSON: "man reads it", Examples: []string{program + " manual man/man1"}, Declare: func(f *Flags) Body {
		return func(context.Context, Env) error {
			all := list()
			write := func(name string, page *page) error {
				return os.WriteFile(filepath.Join(f.Arg(0), name+".1"), []byte(page.String()), 0o644)
			}
			first := newPage(program, about)
			for _, c := range all {
				if c.Name == "" {
					first.command(c, program)
					continue
				}
				first.item(program+" "+c.Name, c.Short)
				p := newPage(program+"-"+c.Name, c.Short)
				p.command(c, program+" "+c.Name)
				if err := write(program+"-"+c.Name, p); err != nil {
					return err
				}
			}
			return write(program, first)
		}
	}}
}

// page is a manual page that is being written.
type page struct{ strings.Builder }

func newPage(name, about string) *page {
	p := new(page)
	fmt.Fprintf(p, ".TH %s 1\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), roff(name), roff(about))
	p.WriteString(".SH DESCRIPTION\n")
	return p
}

// item writes a word with its explanation.
func (p *page) item(word, text string) { fmt.Fprintf(p, ".TP\n.B %s\n%s\n", roff(word), roff(text)) }

// command writes the usage of a command, or of each of a family.
func (p *page) command(c Command, name string) {
	for _, below := range c.Commands {
		p.command(below, name+" "+below.Name)
	}
	if c.Declare == nil {
		return
	}
	f := c.declare(Env{Out: io.Discard, Err: io.Discard}, name)
	fmt.Fprintf(p, ".SS %s\n%s\n", roff(f.Name()), roff(c.sentence()))
	for _, line := range c.Examples {
		fmt.Fprintf(p, ".PP\n.EX\n%s\n.EE\n", roff(line))
	}
	f.VisitAll(func(each *flag.Flag) { p.item(f.describe(each)) })
	if f.Long != "" {
		p.WriteString(".PP\n.EX\n")
		for line := range strings.Lines(f.Long) {
			p.WriteString(roff(line))
		}
		p.WriteString(".EE\n")
	}
}

// roff escapes text for man(7): nothing in it is a request or an escape.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
