package client

import (
	"context"
	"errors"
	"syscall/js"
)

// ownCarrier is the fetch of a browser or of Node. It bypasses the browser's cache: the client keeps
// tiles itself, and some browsers delay a request until another one of the same URL is answered, as
// with two long polls of two pages.
var ownCarrier Carrier = func(ctx context.Context, c Call) (Answer, error) {
	sent := map[string]any{}
	for name, value := range c.Header {
		sent[name] = value
	}
	abort := js.Global().Get("AbortController").New()
	defer abort.Call("abort") // ends an answer that is not read to its end
	defer context.AfterFunc(ctx, func() { abort.Call("abort") })()
	init := map[string]any{
		"method": c.Method, "headers": sent, "signal": abort.Get("signal"),
		"cache": "no-store", "credentials": "omit", "referrerPolicy": "no-referrer",
	}
	if c.Body != nil {
		init["body"] = bytesOf(c.Body)
	}
	resp, err := awaitPromise(ctx, js.Global().Call("fetch", c.URL, init))
	if err != nil {
		return Answer{}, err
	}
	answered := func(name string) string {
		if v := resp.Get("headers").Call("get", name); v.Type() == js.TypeString {
			return v.String()
		}
		return ""
	}
	body, err := readStream(ctx, resp.Get("body"), c.Limit)
	return Answer{resp.Get("status").Int(), answered, body}, err
}

// readStream reads a ReadableStream up to limit. Null stands for an answer without a body.
func readStream(ctx context.Context, stream js.Value, limit int) (body []byte, err error) {
	if stream.IsNull() {
		return nil, nil
	}
	reader := stream.Call("getReader")
	for len(body) < limit {
		part, err := awaitPromise(ctx, reader.Call("read"))
		if err != nil || part.Get("done").Bool() {
			return body, err
		}
		chunk := make([]byte, part.Get("value").Length())
		js.CopyBytesToGo(chunk, part.Get("value"))
		body = append(body, chunk[:min(len(chunk), limit-len(body))]...)
	}
	return body, nil
}

func bytesOf(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return array
}

// awaitPromise returns the value of a promise. When ctx ends, the promise is rejected, so
// awaitPromise need not watch ctx.
func awaitPromise(ctx context.Context, promise js.Value) (js.Value, error) {
	kept, broken := make(chan js.Value, 1), make(chan js.Value, 1)
	keep := js.FuncOf(func(_ js.Value, args []js.Value) any { kept <- args[0]; return nil })
	defer keep.Release()
	fail := js.FuncOf(func(_ js.Value, args []js.Value) any { broken <- args[0]; return nil })
	defer fail.Release()
	promise.Call("then", keep, fail)
	select {
	case v := <-kept:
		return v, nil
	case reason := <-broken:
		if ctx.Err() != nil {
			return js.Value{}, ctx.Err()
		}
		return js.Value{}, errors.New(reason.Call("toString").String())
	}
}
