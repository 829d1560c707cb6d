package httpapi_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pakli/pakli/httpapi"
)

// FuzzAccept: whatever is asked for, one of what is offered comes or nothing;
// the same in one header as in several; and what is named alone comes.
func FuzzAccept(f *testing.F) {
	for _, s := range []string{"", "*/*", "text/*;q=0.5, application/json", "application/json;q=0", "a/b;q=1.5,*/*;q=-1", ",;,q=", "*/*;q=NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, accept string) {
		offers := []string{"text/plain; charset=utf-8", "application/json"}
		one, err := httpapi.Negotiate([]string{accept}, offers...)
		if err == nil && !slices.Contains(offers, one) {
			t.Errorf("%q chooses %q", accept, one)
		}
		if many, again := httpapi.Negotiate(strings.Split(accept, ","), offers...); many != one || (again == nil) != (err == nil) {
			t.Errorf("%q chooses %q in one header and %q in several", accept, one, many)
		}
		if named, err := httpapi.Negotiate([]string{"*/*;q=0.5", "application/json"}, offers...); named != offers[1] {
			t.Errorf("JSON is named, and %q comes: %v", named, err)
		}
	})
}

// FuzzLastEventID: an id has one spelling, and a stream goes on right after it.
func FuzzLastEventID(f *testing.F) {
	for _, s := range []string{"", "0", "1", "00", "+1", "-1", "2147483646", "2147483647", "1e3", "٣"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, id string) {
		next, err := httpapi.Resumed(id)
		if err == nil && id != "" && strconv.Itoa(next-1) != id || id == "" && next != 0 {
			t.Errorf("after %q comes %d", id, next)
		}
	})
}
