package httpapi

import (
	"context"
	"math"
	"net/http"
	"net/netip"
	"time"

	"github.com/pakli/pakli/httpapi/client"
	"github.com/pakli/pakli/protocol/offer"
	"github.com/pakli/pakli/protocol/wire"
)

// getOffers lists open tables, or finds them by a code.
func (s *offerAPI) getOffers(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	after, _ := q.number("after", 0, math.MaxInt64)
	limit, code := q.pageLimit(), r.URL.Query().Get("code")
	if code != "" {
		var err error
		if code, err = offer.ReadCode(code); err != nil {
			q.noteMistake("%v", err)
		}
	}
	if q.err != nil {
		return q.err
	}
	s.answer(w, r, http.StatusOK, s.offerList(uint64(after), code, limit)) // it is not kept: offers change without the log
	return nil
}

// offerList is a page of open tables, or those with a code.
func (s *Server) offerList(after uint64, code string, limit int) client.OfferList {
	list := client.OfferList{Offers: []client.OfferRow{}}
	for _, row := range s.offers.list(after, code, limit) {
		o := row.Offer
		list.Offers = append(list.Offers, client.OfferRow{
			ID: o.Hash, Code: offer.Code(o.Hash)[:row.Code], N: row.N, Title: o.Title, Game: o.Table.Game,
			Organiser: o.Table.Organiser, Places: o.Places, Free: row.Free, Players: row.Players, After: o.After, Present: s.presence.among(o.Hash, row.Keys),
		})
	}
	if code == "" && len(list.Offers) == limit {
		list.Next = &list.Offers[limit-1].N
	}
	return list
}

// getOffer shows an open table, and waits for it to change.
func (s *offerAPI) getOffer(w http.ResponseWriter, r *http.Request) error {
	q := query{r: r}
	id, wait := q.tableID(), q.waitTime()
	known, given := q.number("after", 0, math.MaxInt64)
	if q.err != nil {
		return q.err
	}
	if !given {
		if now, err := s.offers.get(id); err == nil {
			known = int(now.Version)
		}
	}
	if err := s.pollUntil(r, wait, func(ctx context.Context) error { return s.offers.wait(ctx, id, uint64(known)) }); err != nil {
		return err
	}
	o, err := s.offers.get(id)
	if err != nil {
		return err
	}
	s.answer(w, r, http.StatusOK, openDocument(o))
	return nil
}

func openDocument(o offerView) client.OpenOffer {
	d := client.OpenOffer{
		Joins: []string{}, Free: o.Free, Table: o.Table, Away: int(o.Away / time.Second), Challenge: o.Challenge, Version: o.Version,
	}
	if o.Offer != nil {
		d.ID, d.Code, d.Offer = o.Offer.Hash, offer.Code(o.Offer.Hash)[:o.Code], string(o.Offer.Text)
	}
	for _, j := range o.Joins {
		d.Joins = append(d.Joins, string(j))
	}
	return d
}

func (s *offerAPI) postOffer(w http.ResponseWriter, r *http.Request) error {
	return s.postDocument(w, r, s.offers.post)
}

func (s *offerAPI) postJoin(w http.ResponseWriter, r *http.Request) error {
	return s.postAt(w, r, s.offers.join)
}

func (s *offerAPI) postLeave(w http.ResponseWriter, r *http.Request) error {
	return s.postAt(w, r, func(id wire.Hash, doc []byte, _ netip.Prefix) (offerView, bool, error) {
		return s.offers.leave(id, doc)
	})
}

func (s *offerAPI) postPresent(w http.ResponseWriter, r *http.Request) error {
	return s.postAt(w, r, s.offers.hearOrganiser)
}

// postAt takes a document about the offer that the path names.
func (s *offerAPI) postAt(w http.ResponseWriter, r *http.Request, take func(wire.Hash, []byte, netip.Prefix) (offerView, bool, error)) error {
	q := query{r: r}
	id := q.tableID()
	if q.err != nil {
		return q.err
	}
	return s.postDocument(w, r, func(doc []byte, address netip.Prefix) (offerView, bool, error) { return take(id, doc, address) })
}

// postDocument gives what was posted to the board, and answers with the table as it then
// is: 200 if the document was there.
func (s *offerAPI) postDocument(w http.ResponseWriter, r *http.Request, take func([]byte, netip.Prefix) (offerView, bool, error)) error {
	doc, err := s.takeDocument(w, r)
	if err != nil {
		return err
	}
	o, again, err := take(doc, addressOf(r))
	if err != nil {
		return err
	}
	s.answer(w, r, postStatus(again), openDocument(o))
	return nil
}

// takeDocument reads what was posted, and waits for a turn: anybody can sign, and that takes time to verify.
func (s *Server) takeDocument(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := s.mayWrite(w, r); err != nil {
		return nil, err
	}
	doc, err := readDocument(w, r)
	if err != nil {
		return nil, err
	}
	return doc, s.awaitTurn(r.Context())
}
