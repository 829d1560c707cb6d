package sealed_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pakli/pakli/protocol/player/sealed"
)

// A copy from a page that a terminal cannot read, the reverse, a passphrase that is not
// asked for, and a file that would take all memory of a page.
func TestEachReadsTheOthers(t *testing.T) {
	record := bytes.Repeat([]byte("secret"), 20_000)
	for _, c := range []struct {
		work     int
		inPage   error
		unsealed func([]byte, string) ([]byte, error)
	}{
		{sealed.Page, nil, sealed.Unseal},
		{sealed.Page, nil, sealed.UnsealInPage},
		{sealed.Machine, nil, sealed.UnsealInPage},
		{sealed.Machine + 1, sealed.ErrWork, sealed.UnsealInPage},
	} {
		file, err := sealed.Seal(record, "kulcs", c.work)
		if err != nil || !sealed.Is(file) || bytes.Contains(file, []byte("secret")) {
			t.Fatalf("sealed with 2^%d: %v", c.work, err)
		}
		got, err := c.unsealed(file, "kulcs")
		if !errors.Is(err, c.inPage) || err == nil && !bytes.Equal(got, record) {
			t.Errorf("sealed with 2^%d, unsealed: %d bytes, %v", c.work, len(got), err)
		}
		if c.inPage == nil && c.work == sealed.Page {
			if _, err := c.unsealed(file, "kulcs "); !errors.Is(err, sealed.ErrPassphrase) {
				t.Errorf("another passphrase: %v", err)
			}
			if _, err := c.unsealed(file[:len(file)-1], "kulcs"); err == nil {
				t.Error("half a file was read")
			}
		}
	}
	if sealed.Is(record) {
		t.Error("a plain record is taken for a sealed one")
	}
	if _, err := sealed.Seal(record, "", sealed.Page); err == nil {
		t.Error("sealed with nothing")
	}
}
