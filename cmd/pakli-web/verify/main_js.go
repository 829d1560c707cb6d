package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
)

func main() {
	js.Global().Set("pakliVerify", js.FuncOf(func(_ js.Value, args []js.Value) any {
		file := make([]byte, args[0].Get("length").Int())
		js.CopyBytesToGo(file, args[0])
		var keys []string
		for i := range args[1].Length() {
			keys = append(keys, args[1].Index(i).String())
		}
		return js.Global().Get("Promise").New(settled(func() (any, error) {
			a, err := judge.File(context.Background(), file, keys, args[2].String())
			if err != nil {
				return nil, err
			}
			text, err := json.Marshal(a)
			return string(text), err
		}))
	}))
	js.Global().Get("pakliHost").Call("ready")
	select {}
}

// settled is the executor of a promise that f keeps or breaks.
func settled(f func() (any, error)) js.Func {
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
