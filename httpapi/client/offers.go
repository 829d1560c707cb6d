package client

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/pakli/pakli/protocol/wire"
)

// OfferRow is an open table in a list, as the server says.
type OfferRow struct {
	ID        wire.Hash `json:"id"`
	Code      string    `json:"code"` // as many letters as name it now
	N         uint64    `json:"n"`    // its place in the list
	Title     string    `json:"title"`
	Game      string    `json:"game"`
	Organiser string    `json:"organiser"` // C2SP verifier key
	Places    int       `json:"places"`
	Free      int       `json:"free"`
	Players   []string  `json:"players"`         // names of the players who joined
	After     string    `json:"after,omitempty"` // earlier table of some of its players, who now play with anybody
	Present   []int     `json:"present"`         // places in Players of those whose programs are there
}

// OfferList is a page of open tables: GET /v1/offers. There may be more if Next is set.
type OfferList struct {
	Offers []OfferRow `json:"offers"`
	Next   *uint64    `json:"next,omitempty"` // the value of after for the next page
}

// OpenOffer is an open table with its documents: GET /v1/offers/{id}.
type OpenOffer struct {
	ID        wire.Hash  `json:"id"`
	Code      string     `json:"code"`
	Offer     string     `json:"offer"`           // as its organiser has signed it
	Joins     []string   `json:"joins"`           // in the order of acceptance
	Free      int        `json:"free"`            // places
	Table     *wire.Hash `json:"table,omitempty"` // once it is begun
	Away      int        `json:"away"`            // seconds since the organiser was last heard of
	Challenge []byte     `json:"challenge"`       // for the organiser to answer
	Version   uint64     `json:"version"`         // changes with everything except the challenge
}

// Presence lists who is present at a table or open table, as the server says: GET /v1/present/{id}.
type Presence struct {
	Present   []string `json:"present"`   // verifier keys
	Challenge []byte   `json:"challenge"` // for the program of a seat to answer
}

// Presence returns who is present at a table. PostSeatPresent says that a seat's program is.
func (s *Server) Presence(ctx context.Context, id wire.Hash) (Presence, error) {
	return readAs[Presence](ctx, s, request{path: "/v1/present/" + id.String()})
}

func (s *Server) PostSeatPresent(ctx context.Context, id wire.Hash, present []byte) (Presence, error) {
	return readAs[Presence](ctx, s, request{path: "/v1/present/" + id.String(), entry: present})
}

// Offers lists open tables, or those with a code.
func (s *Server) Offers(ctx context.Context, after uint64, code string) (OfferList, error) {
	return readAs[OfferList](ctx, s, request{path: fmt.Sprintf("/v1/offers?after=%d&code=%s", after, url.QueryEscape(code))})
}

// Offer returns an open table once its version differs from known.
func (s *Server) Offer(ctx context.Context, id wire.Hash, known uint64, wait time.Duration) (OpenOffer, error) {
	path := fmt.Sprintf("/v1/offers/%s?after=%d&wait=%g", id, known, wait.Seconds())
	return readAs[OpenOffer](ctx, s, request{path: path, wait: wait})
}

// PostOffer posts an offer, PostJoin a join, PostLeave a leave, and PostPresent that the organiser is
// there.
func (s *Server) PostOffer(ctx context.Context, offer []byte) (OpenOffer, error) {
	return readAs[OpenOffer](ctx, s, request{path: "/v1/offers", entry: offer})
}

func (s *Server) PostJoin(ctx context.Context, id wire.Hash, join []byte) (OpenOffer, error) {
	return readAs[OpenOffer](ctx, s, request{path: "/v1/offers/" + id.String() + "/joins", entry: join})
}

func (s *Server) PostLeave(ctx context.Context, id wire.Hash, leave []byte) (OpenOffer, error) {
	return readAs[OpenOffer](ctx, s, request{path: "/v1/offers/" + id.String() + "/leaves", entry: leave})
}

func (s *Server) PostPresent(ctx context.Context, id wire.Hash, present []byte) (OpenOffer, error) {
	return readAs[OpenOffer](ctx, s, request{path: "/v1/offers/" + id.String() + "/present", entry: present})
}
