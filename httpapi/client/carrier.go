//go:build !js

package client

import (
	"bytes"
	"context"
	"io"
	"net/http"
)

// ownCarrier serves Clients without a Carrier of their own, which share its idle connections.
var ownCarrier = func() Carrier {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = t.MaxIdleConns // there are few hosts
	return CarrierOver(&http.Client{Transport: t})
}()

// CarrierOver returns a Carrier that sends calls through hc.
func CarrierOver(hc *http.Client) Carrier {
	return func(ctx context.Context, c Call) (Answer, error) {
		req, err := http.NewRequestWithContext(ctx, c.Method, c.URL, bytes.NewReader(c.Body))
		if err != nil {
			return Answer{}, err
		}
		for name, value := range c.Header {
			req.Header.Set(name, value)
		}
		resp, err := hc.Do(req)
		if err != nil {
			return Answer{}, err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(io.LimitReader(resp.Body, int64(c.Limit)))
		return Answer{resp.StatusCode, resp.Header.Get, body}, err
	}
}
