package serve

import (
	"context"
	"os"

	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/web"
	"github.com/pakli/pakli/httpapi/web/build"
	"github.com/pakli/pakli/internal/version"
)

// openPages prepares the pages of a server.
func (o Options) openPages(key, push string) (httpapi.Pages, error) {
	if o.Pages == "off" {
		return nil, nil
	}
	pages, err := pagesFor(key, o.policy, o.isLocal())
	if err == nil {
		pages.Push = push
	}
	return pages, err
}

// pagesFor returns the pages of a log and of others that they may ask. Their module is compiled on
// demand only if the program runs from its sources, and only for requests of its own machine:
// otherwise strangers could make it run a compiler. alone says that by the settings nobody else
// reaches the server. policy is a file that names the log's cosigners, or "".
func pagesFor(key, policy string, alone bool, logs ...string) (*web.Pages, error) {
	p := web.Options{Key: key, Logs: logs, Version: version.Read().Version}
	if policy != "" {
		text, err := os.ReadFile(policy)
		if err != nil {
			return nil, err
		}
		p.Policy = string(text)
	}
	switch embedded, cannot := build.EmbeddedModule(), build.CheckBuildable(); {
	case embedded != nil:
		p.Make = func(context.Context) (build.Module, error) { return *embedded, nil }
	case cannot != nil:
		p.None = "This server was made without its pages, and cannot make them: " + cannot.Error() + ". A server from an image or a release has them, and so has go run ./cmd/pakli serve."
	case !alone:
		p.None = "This server is open to other machines, and so compiles no pages on demand. Build it with its pages: go run ./httpapi/web/build/make, then go build -tags webdist ./cmd/pakli."
	default:
		p.Make, p.Own = build.Make, true
	}
	return web.New(p)
}
