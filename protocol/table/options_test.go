package table_test

import (
	"strings"
	"testing"

	"github.com/pakli/pakli/protocol/table"
)

// Options in a second spelling, out of range, or that nobody reads.
func TestOptions(t *testing.T) {
	for _, c := range []struct {
		given map[string]string
		want  string // part of the error; empty for none
	}{
		{nil, ""},
		{map[string]string{"colour": "red", "open": "true", "rounds": "12"}, ""},
		{map[string]string{"colour": "green"}, "option colour=green: must be one of blue, red"},
		{map[string]string{"open": "yes"}, "option open=yes: must be one of true, false"},
		{map[string]string{"rounds": "012"}, "option rounds=012: must be a number from 1 to 20"},
		{map[string]string{"rounds": "+2"}, "option rounds=+2"},
		{map[string]string{"rounds": "0"}, "option rounds=0"},
		{map[string]string{"rounds": "21"}, "option rounds=21"},
		{map[string]string{"rounds": ""}, "option rounds="},
		{map[string]string{"Colour": "red"}, "unknown option Colour: known are colour, open, rounds"},
	} {
		o := table.ReadOptions(table.Config{Options: c.given})
		colour, open, rounds := o.Choice("colour", "blue", "red"), o.Bool("open", true), o.Int("rounds", 4, 1, 20)
		err := o.Err()
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %q", c.given, err, c.want)
		}
		if c.given == nil && (colour != "blue" || !open || rounds != 4) {
			t.Errorf("defaults: %s, %v, %d", colour, open, rounds)
		}
		if len(c.given) == 3 && (colour != "red" || !open || rounds != 12) {
			t.Errorf("%v is read as %s, %v, %d", c.given, colour, open, rounds)
		}
	}
	err := table.ReadOptions(table.Config{Options: map[string]string{"limit": "1"}}).Err()
	if err == nil || err.Error() != "unknown option limit: this game has no options" {
		t.Error(err)
	}
}
