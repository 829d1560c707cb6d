package main

import (
	"context"
	"runtime/debug"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/web"
	"github.com/pakli/pakli/httpapi/web/build"
)

// openPages makes the pages of a server ready. Their module is compiled on demand only
// where the program runs from its sources and listens on its own machine: elsewhere a
// stranger's request would run a compiler.
func (o serverOptions) openPages(key string) (httpapi.Pages, error) {
	if o.pages == "off" {
		return nil, nil
	}
	p := web.Options{Key: key, Version: version()}
	switch {
	case build.Embedded() != nil:
		p.Make = func(context.Context) (build.Module, error) { return *build.Embedded(), nil }
	case build.Sources() == "":
		p.None = "This server was installed without its pages. A server from an image or a release has them, and so has go run ./cmd/pakli serve."
	case !loopback(o.listen):
		p.None = "This server is open to other machines, and so compiles no pages on demand. Build it with its pages: go run ./httpapi/web/build/make, then go build -tags webdist."
	default:
		p.Make = build.Make
	}
	return web.New(p)
}

func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	return info.Main.Version
}
