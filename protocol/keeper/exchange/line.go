package exchange

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/pakli/pakli/protocol/keeper"
	"github.com/pakli/pakli/protocol/wire"
)

// FormatLine writes a line as a signature line of a note, with its line feed.
func FormatLine(name string, line []byte) string {
	return fmt.Sprintf("— %s %s\n", name, base64.StdEncoding.EncodeToString(line))
}

var errLine = errors.New("a line is a dash, a name, and 76 bytes in base64")

// ParseLine reads exactly what FormatLine writes. It checks only the form.
func ParseLine(text string) (name string, line []byte, err error) {
	rest, dash := strings.CutPrefix(text, "— ")
	name, coded, _ := strings.Cut(rest, " ")
	line, err = base64.StdEncoding.DecodeString(strings.TrimSuffix(coded, "\n"))
	if !dash || err != nil || len(line) != keeper.Size || wire.CheckName(name) != nil || FormatLine(name, line) != text {
		return "", nil, errLine
	}
	return name, line, nil
}
