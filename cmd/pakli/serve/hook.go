package serve

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/pakli/pakli/httpapi/webhook"
	"github.com/pakli/pakli/internal/command"
)

// hookOptions say which program of the club is told what happens in events.
type hookOptions struct{ url, secret, pages string }

// sender is what tells it; nil if there is none. The address is the operator's own, and so may be of this machine.
func (o hookOptions) sender(data string) (*webhook.Sender, error) {
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
	secret, err := webhook.ParseSecret(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.secret, err)
	}
	return webhook.New(webhook.Options{URL: o.url, Secret: secret, File: filepath.Join(data, hookFile), After: time.After, Clock: time.Now, Chance: rand.Float64}), nil
}
