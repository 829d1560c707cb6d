package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/pakli/pakli/protocol/games/tarokk/record"
	"github.com/pakli/pakli/verifier"
)

// runScore replays a game record and says what it comes to. It exits as
// pakli-verify does: 4 if a rule was broken, 3 if the record stops short.
func runScore(ctx context.Context, e env, args []string) (int, error) {
	list := []command{{"tarokk", "score a record of Hungarian tarokk", runScoreTarokk}}
	return dispatch(ctx, e, list, "pakli score", args), nil
}

func runScoreTarokk(_ context.Context, e env, args []string) (int, error) {
	f := e.flags("score tarokk", "FILE")
	asJSON := f.Bool("json", false, "print one JSON object")
	if err := parse(f, args, 1); err != nil {
		return exitUsage, err
	}
	text, err := readRecord(f.Arg(0))
	if err != nil {
		return exitFail, err
	}
	session, err := record.Parse(text)
	if err != nil {
		return exitFail, fmt.Errorf("%s: %w", f.Arg(0), err)
	}
	report, err := record.Score(session)
	if err != nil {
		return exitFail, err
	}
	if *asJSON {
		encoder := json.NewEncoder(e.out)
		encoder.SetEscapeHTML(false)
		err = encoder.Encode(report)
	} else {
		_, err = io.WriteString(e.out, report.String())
	}
	return scoreExit(report.Verdict), err
}

// readRecord reads a file, or standard input for "-", no further than a record
// may be long.
func readRecord(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(io.LimitReader(os.Stdin, record.MaxBytes+1))
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, record.MaxBytes+1))
}

// scoreExit is the exit code of a verdict, as pakli-verify has it.
func scoreExit(v record.Verdict) int {
	switch v {
	case record.Broken:
		return verifier.Foul.ExitCode()
	case record.Unfinished:
		return verifier.Unfinished.ExitCode()
	}
	return exitDone
}
