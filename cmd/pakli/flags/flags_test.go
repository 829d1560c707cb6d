package flags

import (
	"crypto/rand"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/ledger/tlog"
)

// No program accepts the policy that the guide for organisers prints.
func TestPolicyOfGuide(t *testing.T) {
	text := string(testmust.Have(os.ReadFile("../../../docs/guide/tournament.md"))(t))
	_, text, found := strings.Cut(text, "\n    log ")
	text, _, ended := strings.Cut("    log "+text, "\n\n")
	testmust.Require(t, found && ended, "the guide has no policy")
	keys := map[string]string{}
	var policy strings.Builder
	for line := range strings.Lines(text + "\n") {
		algorithm := tlog.Ed25519
		if strings.Contains(line, "witness") {
			algorithm = tlog.Ed25519Cosignature
		}
		policy.WriteString(regexp.MustCompile(`[a-z.]+\+…\+…`).ReplaceAllStringFunc(line, func(name string) string {
			name, _, _ = strings.Cut(name, "+")
			if keys[name] == "" || algorithm == tlog.Ed25519 {
				_, keys[name], _ = tlog.GenerateKey(rand.Reader, name, algorithm)
			}
			return keys[name]
		}))
	}
	p, err := tlog.ParsePolicy([]byte(policy.String()))
	testmust.Holdf(t, err == nil && len(p.Cosigners) == 2 && p.Cosigners[0].Lines != nil && p.Cosigners[1].Lines != nil, "%v of\n%s", err, policy.String())
}

// Two names of one server would be believed twice, and one name of two servers would mix their keys.
func TestAddress(t *testing.T) {
	for text, want := range map[string]string{
		"http://127.0.0.1:8080":            "http://127.0.0.1:8080",
		"HTTPS://Anna:Secret@Cards.Test":   "https://cards.test",
		"https://cards.test.:443//":        "https://cards.test",
		"https://cards.test:80":            "https://cards.test:80",
		"http://cards.test:80/thursday/":   "http://cards.test/thursday",
		"http://cards.test/Thursday?a=b#c": "http://cards.test/Thursday",
		"http://cards.test/a b":            "http://cards.test/a%20b",
		"http://[::1]:80/":                 "http://[::1]",
		"http://[::1]:8080":                "http://[::1]:8080",
		"http://[FE80::1%25eth0]:8080":     "http://[fe80::1%25eth0]:8080",
		"cards.test":                       "",
	} {
		testmust.Equal(t, address(text), want, text)
	}
}
