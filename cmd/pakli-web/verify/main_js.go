package main

import (
	"context"
	"encoding/json"
	"fmt"
	"syscall/js"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
	"github.com/pakli/pakli/cmd/pakli-web/tamper"
)

func main() {
	js.Global().Set("pakliVerify", js.FuncOf(func(_ js.Value, args []js.Value) any {
		file := make([]byte, args[0].Get("length").Int())
		js.CopyBytesToGo(file, args[0])
		var keys []string
		for i := range args[1].Length() {
			keys = append(keys, args[1].Index(i).String())
		}
		return js.Global().Get("Promise").New(promiseExecutor(func() (any, error) {
			a, err := judge.File(context.Background(), file, keys, args[2].String())
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(a)
			return string(text), err
		}))
	}))
	js.Global().Set("pakliCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, arguments := args[0].String(), []byte(args[1].String())
		return js.Global().Get("Promise").New(promiseExecutor(func() (any, error) {
			answer, err := answerCall(name, arguments)
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(answer)
			return string(text), err
		}))
	}))
	js.Global().Get("pakliHost").Call("ready")
	select {}
}

// game is that of the page on which one tries to cheat; nil: none was played yet.
var game *tamper.Game

// answerCall answers that page: try.begin plays a game, with an event "progress" after each message,
// and try makes a change to it and has it judged.
func answerCall(name string, arguments []byte) (any, error) {
	switch {
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
