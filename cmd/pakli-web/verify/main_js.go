package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"syscall/js"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/cmd/pakli-web/tamper"
	"github.com/pakli/pakli/verifier/report/page"
)

func main() {
	js.Global().Set("pakliVerify", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var keys []string
		for i := range args[1].Length() {
			keys = append(keys, args[1].Index(i).String())
		}
		return promiseJSON(func() (any, error) { return judgeFile(bytesOf(args[0]), keys, args[2].String()) })
	}))
	js.Global().Set("pakliCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, arguments, file := args[0].String(), []byte(args[1].String()), args[2]
		return promiseJSON(func() (any, error) { return answerCall(name, arguments, file) })
	}))
	js.Global().Get("pakliHost").Call("ready")
	select {}
}

// promiseJSON is what f comes to, as JSON, or fails with.
func promiseJSON(f func() (any, error)) js.Value {
	return js.Global().Get("Promise").New(promiseExecutor(func() (any, error) {
		answer, err := f()
		if err != nil {
			return nil, err
		}
		text, err := json.Marshal(answer)
		return string(text), err
	}))
}

// bytesOf copies a Uint8Array.
func bytesOf(v js.Value) []byte {
	b := make([]byte, v.Get("length").Int())
	js.CopyBytesToGo(b, v)
	return b
}

// printable is an answer with its report as a file of its own, for print.
type printable struct {
	judge.Answer
	HTML string `json:"html,omitempty"`
}

// judgeFile is the verdict on a bundle.
func judgeFile(file []byte, keys []string, lang string) (printable, error) {
	a, report, err := judge.ReportOn(context.Background(), file, keys, lang)
	var html strings.Builder
	if err == nil && report != nil {
		err = page.WriteDocument(&html, report)
	}
	return printable{a, html.String()}, err
}

// game is that of the page on which one tries to cheat; nil: none was played yet.
var game *tamper.Game

// answerCall answers pages: judge judges a file; of the page on which one tries to cheat, try.begin plays a game, with an event "progress" after each message,
// and try makes a change to it and has it judged.
func answerCall(name string, arguments []byte, file js.Value) (any, error) {
	switch {
	case name == "judge":
		var a struct {
			Keys []string
			Lang string
		}
		if err := json.Unmarshal(arguments, &a); err != nil {
			return nil, err
		}
		return judgeFile(bytesOf(file), a.Keys, a.Lang)
	case name == "try.begin":
		g, err := tamper.Play(context.Background(), func(entries int) {
			js.Global().Get("pakliHost").Call("emit", fmt.Sprintf(`{"event":"progress","n":%d}`, entries))
		})
		game = g
		return map[string]any{"changes": tamper.Changes}, err
	case name == "try" && game != nil:
		var a struct {
			Lang   string
			Change tamper.Change
		}
		if err := json.Unmarshal(arguments, &a); err != nil {
			return nil, fmt.Errorf("the call's arguments: %w", err)
		}
		return game.Try(context.Background(), a.Change, a.Lang)
	}
	return nil, fmt.Errorf("there is no call %q, or no game yet", name)
}

// promiseExecutor is the executor of a promise that f keeps or breaks.
func promiseExecutor(f func() (any, error)) js.Func {
	var executor js.Func
	executor = js.FuncOf(func(_ js.Value, settle []js.Value) any {
		go func() {
			defer executor.Release()
			if result, err := f(); err != nil {
				settle[1].Invoke(js.Global().Get("Error").New(err.Error()))
			} else {
				settle[0].Invoke(result)
			}
		}()
		return nil
	})
	return executor
}
