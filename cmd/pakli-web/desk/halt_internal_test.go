package desk

import (
	"errors"
	"strings"
	"testing"

	"github.com/pakli/pakli/internal/testmust"
	"github.com/pakli/pakli/protocol/player"
	"github.com/pakli/pakli/protocol/player/vaulttest"
)

// told is a Host that keeps what the page was told last, and nothing else.
type told struct {
	Host
	last string
}

func (h *told) Emit(event []byte) { h.last = string(event) }

// A person whose own seat plays elsewhere can say so on the page: a bot of the same browser that
// stops must not take that question away.
func TestBotStopsAfterThePerson(t *testing.T) {
	sits := func(name string, bot bool) *seat {
		vault := testmust.Have(new(vaulttest.Place).Open())(t)
		id := testmust.Have(player.CreateIdentity(vault, name))(t)
		return &seat{Identity: id, about: about{Name: name, Bot: bot}}
	}
	h := new(told)
	c := &conversation{desk: New(h), halted: map[string]string{}}
	c.halt(sits("bela", true), "elsewhere", player.ErrElsewhere)
	if !strings.Contains(h.last, `"stopped"`) || !strings.Contains(h.last, "bela: ") {
		t.Errorf("of the bot the page is told %s", h.last)
	}
	c.halt(sits("anna", false), "elsewhere", player.ErrElsewhere)
	c.halt(sits("csilla", true), "stopped", errors.New("no"))
	if !strings.Contains(h.last, `"elsewhere"`) {
		t.Errorf("of the person's seat the page is told %s", h.last)
	}
}
