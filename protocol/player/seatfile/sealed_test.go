package seatfile_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player/sealed"
)

// A copy from a page that a terminal cannot read, the reverse, a passphrase that is not
// asked for, and a file that would take all memory of a page.
func TestEachReadsTheOthers(t *testing.T) {
	const quick = 6
	record := bytes.Repeat([]byte("secret"), 20_000)
	file, err := sealed.Seal(record, "kulcs", quick)
	testmust.Requiref(t, err == nil && sealed.Is(file) && !bytes.Contains(file, []byte("secret")), "sealed: %v", err)
	naming := func(work int) []byte {
		return bytes.Replace(file, fmt.Appendf(nil, " %d\n", quick), fmt.Appendf(nil, " %d\n", work), 1)
	}
	for _, c := range []struct {
		name     string
		file     []byte
		phrase   string
		unsealed func([]byte, string) ([]byte, error)
		fails    error
	}{
		{"at a terminal", file, "kulcs", sealed.Unseal, nil},
		{"in a page", file, "kulcs", sealed.UnsealInPage, nil},
		{"by another passphrase", file, "kulcs ", sealed.Unseal, sealed.ErrPassphrase},
		{"by another passphrase, in a page", file, "kulcs ", sealed.UnsealInPage, sealed.ErrPassphrase},
		{"of a page, and another's work", naming(sealed.Page), "kulcs", sealed.Unseal, sealed.ErrPassphrase},
		{"of a machine in a page, and another's work", naming(sealed.Machine), "kulcs", sealed.UnsealInPage, sealed.ErrPassphrase},
		{"of a machine with more memory than a page has", naming(sealed.Machine + 1), "kulcs", sealed.UnsealInPage, sealed.ErrWork},
		{"of a machine with more memory than any", naming(23), "kulcs", sealed.Unseal, sealed.ErrWork},
	} {
		got, err := c.unsealed(c.file, c.phrase)
		testmust.Holdf(t, errors.Is(err, c.fails) && (err != nil || bytes.Equal(got, record)), "%s: %d bytes, %v; want %v", c.name, len(got), err, c.fails)
	}
	testmust.Fail(t, testmust.ErrorOf(sealed.Unseal(file[:len(file)-1], "kulcs")), "half a file was read")
	testmust.Hold(t, !sealed.Is(record), "a plain record is taken for a sealed one")
	testmust.Fail(t, testmust.ErrorOf(sealed.Seal(record, "", quick)), "sealed with nothing")
}
