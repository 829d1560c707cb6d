package main

import (
	"context"
	"encoding/json"
	"syscall/js"

	"github.com/pakli/pakli/cmd/pakli-web/judge"
)

func main() {
	js.Global().Set("pakliVerify", js.FuncOf(func(_ js.Value, args []js.Value) any {
		var keys []string
		for i := range args[1].Length() {
			keys = append(keys, args[1].Index(i).String())
		}
		file := make([]byte, args[0].Get("length").Int())
		js.CopyBytesToGo(file, args[0])
		return promiseJSON(func() (any, error) {
			a, err := judge.File(context.Background(), file, keys, args[2].String())
			if err != nil {
				return nil, err
			}
			return a.WithPage()
		})
	}))
	js.Global().Get("pakliHost").Call("ready")
	select {}
}

// promiseJSON returns a JavaScript promise of the result of f, as JSON.
func promiseJSON(f func() (any, error)) js.Value {
	var executor js.Func
	executor = js.FuncOf(func(_ js.Value, settle []js.Value) any {
		go func() {
			defer executor.Release()
			answer, err := f()
			var text []byte
			if err == nil {
				text, err = json.Marshal(answer)
			}
			if err != nil {
				settle[1].Invoke(js.Global().Get("Error").New(err.Error()))
				return
			}
			settle[0].Invoke(string(text))
		}()
		return nil
	})
	return js.Global().Get("Promise").New(executor)
}
