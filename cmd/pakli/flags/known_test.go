package flags

import (
	"testing"

	"github.com/pakli/pakli/internal/testmust"
)

// Two names of one server would be believed twice; one name of two, with the key of the other.
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
