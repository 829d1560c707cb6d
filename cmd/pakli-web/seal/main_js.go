package main

import (
	"errors"
	"syscall/js"

	"github.com/pakli/pakli/protocol/player/sealed"
)

func main() {
	offer("pakliSeal", func(record []byte, passphrase string) ([]byte, error) {
		return sealed.Seal(record, passphrase, sealed.Page)
	})
	offer("pakliUnseal", sealed.UnsealInPage)
	js.Global().Get("pakliHost").Call("ready")
	select {}
}

func offer(name string, f func([]byte, string) ([]byte, error)) {
	js.Global().Set(name, js.FuncOf(func(_ js.Value, args []js.Value) any {
		bytes := make([]byte, args[0].Get("length").Int())
		js.CopyBytesToGo(bytes, args[0])
		passphrase := args[1].String()
		return js.Global().Get("Promise").New(promiseExecutor(func() ([]byte, error) { return f(bytes, passphrase) }))
	}))
}

// promiseExecutor returns the executor of a promise of the result of f.
func promiseExecutor(f func() ([]byte, error)) js.Func {
	var executor js.Func
	executor = js.FuncOf(func(_ js.Value, settle []js.Value) any {
		go func() {
			defer executor.Release()
			result, err := f()
			if err != nil {
				e := js.Global().Get("Error").New(err.Error())
				e.Set("kind", kindOf(err))
				settle[1].Invoke(e)
				return
			}
			b := js.Global().Get("Uint8Array").New(len(result))
			js.CopyBytesToJS(b, result)
			settle[0].Invoke(b)
		}()
		return nil
	})
	return executor
}

func kindOf(err error) string {
	switch {
	case errors.Is(err, sealed.ErrPassphrase):
		return "passphrase"
	case errors.Is(err, sealed.ErrWork):
		return "work"
	}
	return ""
}
