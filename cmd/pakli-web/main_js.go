package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall/js"

	"github.com/pakli/pakli/cmd/pakli-web/desk"
	"github.com/pakli/pakli/protocol/player"
)

func main() {
	h := host{js.Global().Get("pakliHost")}
	d := desk.New(h)
	js.Global().Set("pakliCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		name, arguments, bytes := args[0].String(), []byte(args[1].String()), bytesOf(args[2])
		return promise(func() (any, error) {
			result, err := d.Call(context.Background(), name, arguments, bytes)
			return string(result), err
		})
	}))
	h.Call("ready")
	select {}
}

// promise returns a JavaScript promise of the result of f.
func promise(f func() (any, error)) js.Value {
	var executor js.Func
	executor = js.FuncOf(func(_ js.Value, settle []js.Value) any {
		go func() {
			defer executor.Release()
			result, err := f()
			if err == nil {
				settle[0].Invoke(result)
				return
			}
			e := js.Global().Get("Error").New(err.Error())
			e.Set("kind", kindOf(err))
			settle[1].Invoke(e)
		}()
		return nil
	})
	return js.Global().Get("Promise").New(executor)
}

// kindOf returns the kind of an error, which decides what a page does: held, full, damaged, kept,
// noseat, nocode, departs and from what, or "".
func kindOf(err error) string {
	var h hostError
	var departs *desk.DepartureError
	switch {
	case errors.As(err, &departs):
		return "departs " + string(departs.What)
	case errors.As(err, &h):
		return h.kind
	case errors.Is(err, desk.ErrDamaged):
		return "damaged"
	case errors.Is(err, desk.ErrKept):
		return "kept"
	case errors.Is(err, desk.ErrNoSeat):
		return "noseat"
	case errors.Is(err, desk.ErrNoCode), errors.Is(err, desk.ErrNoEvent):
		return "nocode"
	}
	return ""
}

// bytesOf copies a Uint8Array. For any other value it returns nil.
func bytesOf(v js.Value) []byte {
	if v.Type() != js.TypeObject {
		return nil
	}
	b := make([]byte, v.Get("length").Int())
	js.CopyBytesToGo(b, v)
	return b
}

// hostError is an error of the environment with its kind: held by another tab, full, or damaged.
type hostError struct{ text, kind string }

func (e hostError) Error() string { return e.text }

func (e hostError) Is(target error) bool {
	return e.kind == "full" && target == desk.ErrFull || e.kind == "damaged" && target == desk.ErrDamaged
}

// await waits for a promise.
func await(p js.Value) (js.Value, error) {
	type settled struct {
		value js.Value
		err   error
	}
	done := make(chan settled, 1)
	then := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- settled{value: args[0]}
		return nil
	})
	defer then.Release()
	failed := js.FuncOf(func(_ js.Value, args []js.Value) any {
		kind := ""
		if k := args[0].Get("kind"); k.Type() == js.TypeString {
			kind = k.String()
		}
		done <- settled{err: hostError{js.Global().Call("String", args[0].Get("message")).String(), kind}}
		return nil
	})
	defer failed.Release()
	p.Call("then", then, failed)
	s := <-done
	return s.value, s.err
}

// host implements desk.Host with pakliHost.
type host struct{ js.Value }

func (h host) Emit(event []byte) { h.Call("emit", string(event)) }

func (h host) Vault(seat string) (player.Vault, error) {
	v, err := await(h.Call("vault", seat))
	return vault{v}, err
}

func (h host) Vaults(record string) (map[string][]byte, error) {
	v, err := await(h.Call("vaults", record))
	if err != nil {
		return nil, err
	}
	all := map[string][]byte{}
	for i := range v.Length() {
		all[v.Index(i).Get("id").String()] = bytesOf(v.Index(i).Get("bytes"))
	}
	return all, nil
}

func (h host) Remove(seat string) error {
	_, err := await(h.Call("remove", seat))
	return err
}

// vault is a player.Vault of the environment.
type vault struct{ js.Value }

func (v vault) ReadRecord(name string) ([]byte, error) {
	record, err := await(v.Call("read", name))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the record %s: %w", name, err)
	case record.IsNull():
		return nil, fs.ErrNotExist
	}
	return bytesOf(record), nil
}

func (v vault) ReplaceRecord(name string, data []byte) error {
	b := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(b, data)
	_, err := await(v.Call("replace", name, b))
	return err
}

func (v vault) Close() error {
	v.Call("close")
	return nil
}
