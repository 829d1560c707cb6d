package serve

import (
	"context"
	cryptorand "crypto/rand"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/internal/command"
)

// hookOptions name the program of the club that is told about events.
type hookOptions struct{ url, secret, pages string }

// sender returns the sender to that program, or nil. The operator chose the address, so it may be of
// this machine.
func (o hookOptions) sender(data string) (*notify.HookSender, error) {
	if o.url == "" {
		if o.secret != "" || o.pages != "" {
			return nil, command.WrongUsage("--webhook-secret and --webhook-pages are for a program that --webhook-url names")
		}
		return nil, nil
	}
	for name, text := range map[string]string{"webhook-url": o.url, "webhook-pages": o.pages} {
		if text != "" && !isURL(text) {
			return nil, command.WrongUsage("--%s %q is no address that begins with https:// or http://", name, text)
		}
	}
	if o.secret == "" {
		return nil, command.WrongUsage("--webhook-url needs --webhook-secret, a file with whsec_ and base64, as from: echo whsec_$(openssl rand -base64 32)")
	}
	text, err := os.ReadFile(o.secret)
	if err != nil {
		return nil, err
	}
	secret, err := notify.ParseSecret(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.secret, err)
	}
	return notify.NewHook(o.url, secret, 0, feedOf(data, hookFile)), nil
}

// feedOf returns the feed of events. A file in the directory of the log records how far it was told.
func feedOf(data, file string) *notify.Feed {
	return &notify.Feed{File: filepath.Join(data, file), After: time.After, Clock: time.Now, Chance: rand.Float64}
}

// runTold runs a feed of a setting until ctx ends. A server goes on without it.
func (s *Server) runTold(ctx context.Context, setting string, run func(context.Context) error, logger *slog.Logger) {
	if err := run(ctx); err != nil && ctx.Err() == nil {
		logger.Error("nothing more is told of events by this setting, until the server is started again", "setting", setting, "error", err)
	}
}

// pushOptions say how push services reach the operator, and which services may be used.
type pushOptions struct{ contact, services string }

// check returns what is wrong with the settings.
func (o pushOptions) check(onCluster bool) error {
	switch {
	case o.contact == "":
		return nil
	case onCluster:
		return command.WrongUsage("--push-contact is for a log with one server: each front end of a cluster would have another key")
	case !strings.HasPrefix(o.contact, "mailto:") && !strings.HasPrefix(o.contact, "https://"):
		return command.WrongUsage("--push-contact %q must begin with mailto: or https://", o.contact)
	}
	return nil
}

// openPush returns the sender to browsers, with this server's key, which it makes at the first start,
// or nil if nobody is told.
func (o Options) openPush() (*notify.PushSender, error) {
	if o.push.contact == "" {
		return nil, nil
	}
	key, err := notify.LoadKey(filepath.Join(o.Data, pushKeyFile), cryptorand.Reader)
	if err != nil {
		return nil, err
	}
	return notify.NewPush(notify.PushOptions{Feed: feedOf(o.Data, pushFile), Key: key, Contact: o.push.contact, Services: strings.Fields(strings.ReplaceAll(o.push.services, ",", " ")), List: filepath.Join(o.Data, pushListFile), Random: cryptorand.Reader})
}

func pushKey(s *notify.PushSender) string {
	if s == nil {
		return ""
	}
	return s.Key.Public()
}
