package offer

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/pakli/pakli/protocol/wire"
)

// MinCode is the least number of letters that name an offer.
const MinCode = 5

// Code returns a hash as people type it. Its first letters are the code of an offer.
func Code(hash wire.Hash) string { return hash.Code() }

// CodeLetters returns the length of the offer's code as a server said it, or MinCode if what the
// server said is not a code of this offer.
func (o *Offer) CodeLetters(said string) int {
	if !strings.HasPrefix(Code(o.Hash), said) {
		return MinCode
	}
	return max(len(said), MinCode)
}

// ReadCode returns the one spelling of an offer's code that a person typed.
func ReadCode(typed string) (string, error) { return wire.ReadCode(typed, MinCode) }

// Invitation is what a player was told of an offer. A code alone pins nothing: whoever runs the
// server can show another offer under it.
type Invitation struct {
	Server string // "": unknown
	Code   string
	Pinned bool
	Offer  wire.Hash         // if pinned
	Log    [sha256.Size]byte // SHA-256 of the log's verifier key, if pinned
}

// Invite returns the invitation to an offer, with a code of so many letters.
func Invite(server string, o *Offer, letters int) Invitation {
	return Invitation{strings.TrimSuffix(server, "/"), Code(o.Hash)[:letters], true, o.Hash, sha256.Sum256([]byte(o.Log))}
}

// String returns the link with the server. Browsers never send the part after # to a server.
func (i Invitation) String() string {
	if !i.Pinned {
		return i.Server + "/j/" + i.Code
	}
	return i.Server + "/j/" + i.Code + "#" + i.Fragment()
}

// Fragment returns the part of the link that pins the offer and its log.
func (i Invitation) Fragment() string { return fmt.Sprintf("%s.%x", i.Offer, i.Log) }

// ReadInvitation reads a code or a link.
func ReadInvitation(text string) (i Invitation, err error) {
	text = strings.TrimSpace(text)
	if !strings.Contains(text, "/") {
		i.Code, err = ReadCode(text)
		return i, err
	}
	u, err := url.Parse(text)
	if err != nil {
		return i, fmt.Errorf("the link: %w", err)
	}
	before, code, ok := strings.Cut(u.Path, "/j/")
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !ok {
		return i, errors.New("an invitation looks like https://host/j/CODE#…")
	}
	i.Server = u.Scheme + "://" + u.Host + before
	if i.Code, err = ReadCode(code); err != nil || u.Fragment == "" {
		return i, err
	}
	return i, i.Pin(u.Fragment)
}

// Pin reads the part of a link after its #.
func (i *Invitation) Pin(fragment string) (err error) {
	hash, log, _ := strings.Cut(fragment, ".")
	if i.Offer, err = wire.ParseHash(hash); err == nil {
		var sum []byte
		if sum, err = hex.DecodeString(log); err == nil && len(sum) != len(i.Log) {
			err = errors.New("too short or too long")
		}
		copy(i.Log[:], sum)
	}
	if err != nil {
		return fmt.Errorf("the link is cut short or was changed: after # it has an offer's hash and that of a log's key")
	}
	if !strings.HasPrefix(Code(i.Offer), i.Code) {
		return errors.New("the link was changed: its code is not that of its offer")
	}
	i.Pinned = true
	return nil
}

// CheckOffer says why an offer is not the one of the invitation; nil if it is.
func (i Invitation) CheckOffer(o *Offer) error {
	switch {
	case !strings.HasPrefix(Code(o.Hash), i.Code):
		return errors.New("the server shows an offer with another code")
	case i.Pinned && o.Hash != i.Offer:
		return errors.New("the server shows another offer than the link names")
	case i.Pinned && sha256.Sum256([]byte(o.Log)) != i.Log:
		return errors.New("the offer is for another log than the link names")
	}
	return nil
}
