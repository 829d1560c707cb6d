package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pakli/pakli/protocol/book"
	"github.com/pakli/pakli/protocol/games/books"
	"github.com/pakli/pakli/verifier"
)

// runScore replays a game record and says what it comes to. It exits as
// pakli-verify does: 4 if a rule was broken, 3 if the record stops short.
func runScore(ctx context.Context, e env, args []string) (int, error) {
	var list []command
	for _, b := range books.All() {
		if b.Score == nil {
			continue
		}
		name, _, _ := strings.Cut(b.Game, "/")
		list = append(list, command{name, "score a record of " + name, func(_ context.Context, e env, args []string) (int, error) {
			return scoreRecord(e, b, name, args)
		}})
	}
	return dispatch(ctx, e, list, "pakli score", args), nil
}

func scoreRecord(e env, b book.Book, name string, args []string) (int, error) {
	f := e.flags("score "+name, "FILE")
	usage := f.Usage
	f.Usage = func() {
		usage()
		fmt.Fprintf(e.err, "\nFILE is a record of deals, - standard input. A deal is typed in as\n\n%s", indented(b.Example))
	}
	asJSON := f.Bool("json", false, "print one JSON object")
	if err := parse(f, args, 1); err != nil {
		return exitUsage, err
	}
	text, err := readRecord(f.Arg(0), b.MaxBytes)
	if err != nil {
		return exitFail, err
	}
	scored, err := b.Score(text)
	if err != nil {
		return exitFail, fmt.Errorf("%s: %w", f.Arg(0), err)
	}
	if *asJSON {
		encoder := json.NewEncoder(e.out)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(scored.Report)
	} else {
		_, err = io.WriteString(e.out, scored.Report.String())
	}
	return scoreExit(scored), err
}

func indented(text string) string {
	return strings.ReplaceAll("  "+strings.ReplaceAll(text, "\n", "\n  "), "  \n", "\n")
}

// readRecord reads a file, or standard input for "-", no further than a record
// may be long.
func readRecord(name string, most int64) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, most+1))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, most+1))
}

// scoreExit is the exit code of a record, as pakli-verify has it.
func scoreExit(s book.Scored) int {
	switch {
	case s.Broken:
		return verifier.Foul.ExitCode()
	case s.Unfinished:
		return verifier.Unfinished.ExitCode()
	}
	return exitDone
}
