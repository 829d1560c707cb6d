package tabletest

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"github.com/pakli/pakli/protocol/player"
)

// ErrCrash is what the holder of a vault gets in place of its death.
var ErrCrash = errors.New("the process died")

// VaultPlace keeps the contents of vaults in memory, and outlives their holders.
type VaultPlace struct {
	// Crash, if set, is asked at each Replace whether the holder dies before the record is replaced, or
	// after.
	Crash func() (before, after bool)

	mu      sync.Mutex
	records map[string][]byte
	holder  *memoryVault
}

// Open opens the place's vault.
func (p *VaultPlace) Open() (player.Vault, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holder != nil {
		return nil, errors.New("the vault is in use")
	}
	if p.records == nil {
		p.records = map[string][]byte{}
	}
	p.holder = &memoryVault{p}
	return p.holder, nil
}

// Records are the names of the records in the place.
func (p *VaultPlace) Records() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Sorted(maps.Keys(p.records))
}

type memoryVault struct{ place *VaultPlace }

func (m *memoryVault) ReadRecord(name string) ([]byte, error) {
	m.place.mu.Lock()
	defer m.place.mu.Unlock()
	b, ok := m.place.records[name]
	if !ok {
		return nil, fs.ErrNotExist
	}
	return bytes.Clone(b), nil
}

func (m *memoryVault) ReplaceRecord(name string, data []byte) error {
	m.place.mu.Lock()
	defer m.place.mu.Unlock()
	if m.place.holder != m {
		return errors.New("the vault is closed")
	}
	before, after := false, false
	if m.place.Crash != nil {
		before, after = m.place.Crash()
	}
	if !before {
		m.place.records[name] = bytes.Clone(data)
	}
	if before || after {
		m.place.holder = nil
		return ErrCrash
	}
	return nil
}

func (m *memoryVault) Close() error {
	m.place.mu.Lock()
	defer m.place.mu.Unlock()
	if m.place.holder == m {
		m.place.holder = nil
	}
	return nil
}
