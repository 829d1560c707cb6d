package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"runtime/debug"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/pakli/pakli/httpapi/client"
)

// service answers one request, or returns an error that becomes a problem
// before anything was written. Parameters of the path are r.PathValue.
type service func(w http.ResponseWriter, r *http.Request) error

// routes builds the router. It, mount and callerOf are all that knows echo.
func (s *Server) routes(posts *postAPI) http.Handler {
	e := echo.New()
	e.IPExtractor = s.caller
	e.HTTPErrorHandler = func(err error, c echo.Context) {
		s.refuseUnrouted(c.Response(), c.Request(), cmp.Or(s.awaitTurn(c.Request().Context()), routerProblem(err)))
	}

	read := func(path string, h service) {
		h = s.inTurn(s.retryDenied(h))
		e.GET(path, s.mount(h))
		e.HEAD(path, s.mount(h))
	}
	log, offers, tables, events, pages := &logAPI{s}, &offerAPI{s}, posts.events.tableAPI, posts.events, &pageAPI{s}
	read("/", pages.getRoot)
	read("/checkpoint", log.getCheckpoint)
	read("/cosigned/checkpoint", log.getCosigned)
	read("/tile/*", log.getTile)
	read("/v1/log", log.getLog)
	read("/v1/logs", log.getLogs)
	read("/v1/tables", tables.getTables)
	read("/v1/tables/:id", tables.getTable)
	read("/v1/tables/:id/messages", tables.getMessages)
	read("/v1/tables/:id/events", tables.getMessageEvents)
	read("/v1/tables/:id/bundle", tables.getBundle)
	read("/v1/tables/:id/clock", tables.getClock)
	read("/v1/tables/:id/sheet", events.getSheet)
	read("/v1/events", events.getEvents)
	read("/v1/events/:id", events.getEvent)
	read("/v1/events/:id/entries", events.getEventEntries)
	read("/v1/events/:id/roster", events.getEventRoster)
	read("/v1/events/:id/players", events.getEventPlayers)
	read("/v1/events/:id/players/:number", events.getEventPlayer)
	read("/v1/events/:id/rounds/:round", events.getEventRound)
	read("/v1/events/:id/standings", events.getEventStandings)
	read("/v1/events/:id/rulings", events.getEventRulings)
	read("/v1/events/:id/bundle", events.getEventBundle)
	read("/v1/events/:id/stream", events.getEventStream)
	read("/v1/find/:code", tables.getFind)
	read("/v1/marks", tables.getMarks)
	read("/v1/marks/:mark", tables.getMark)
	read("/v1/offers", offers.getOffers)
	read("/v1/offers/:id", offers.getOffer)
	read("/v1/lobby/events", tables.getLobbyEvents)
	read("/v1/present/:id", offers.getPresent)
	read("/v1/checkpoint", log.getNewest)
	read("/v1/checkpoint/events", log.getCheckpointEvents)
	read("/v1/consistency", log.getConsistency)
	read("/v1/entries/:index/receipt", log.getReceipt)
	read("/v1/entries/:index/inclusion", log.getInclusion)
	read("/v1/blobs/:hash", log.getBlob)
	read("/v1/health", log.getHealth)
	read("/livez", log.getLive)
	read("/readyz", log.getReady)
	read("/problems/:slug", pages.getProblem)
	read("/v1/openapi.json", pages.getOpenAPI)
	read("/docs", pages.getContents)
	read("/docs/api", pages.getReference)
	read("/docs/:page", pages.getDocument)
	read("/docs/:folder/:page", pages.getDocument)
	if s.pages != nil {
		for _, path := range s.pages.Paths() {
			read(path, pages.getPage)
		}
	}
	e.POST("/v1/tables", s.mount(posts.acceptAt(beginsTable)))
	e.POST("/v1/tables/:id/messages", s.mount(posts.acceptAt(movesTable)))
	e.POST("/v1/events", s.mount(posts.acceptAt(beginsEvent)))
	e.POST("/v1/events/:id/entries", s.mount(posts.acceptAt(movesEvent)))
	e.POST("/v1/events/:id/push", s.mount(events.postPush))
	e.POST("/v1/offers", s.mount(offers.postOffer))
	e.POST("/v1/offers/:id/joins", s.mount(offers.postJoin))
	e.POST("/v1/offers/:id/leaves", s.mount(offers.postLeave))
	e.POST("/v1/offers/:id/present", s.mount(offers.postPresent))
	e.POST("/v1/present/:id", s.mount(offers.postSeatPresent))
	e.POST("/v1/marks", s.mount(posts.postMark))
	e.POST("/v1/entries", s.mount(posts.acceptAt(anyEntry)))
	return e
}

func (s *Server) mount(h service) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		for i, name := range c.ParamNames() {
			r.SetPathValue(name, c.ParamValues()[i])
		}
		seenIn(r.Context()).route = c.Path()
		defer s.recover(c)
		if err := h(c.Response(), r); err != nil {
			s.refuse(c.Response(), r, err)
		}
		return nil
	}
}

// callerOf returns how to find the caller: it is the other end of the connection or, if
// that is one of our proxies, the address that this names. The list is read from the
// right, since its left part is what the caller said.
func callerOf(proxies []netip.Prefix) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, p := range proxies {
		address := p.Masked().Addr()
		trust = append(trust, echo.TrustIPRange(&net.IPNet{IP: address.AsSlice(), Mask: net.CIDRMask(p.Bits(), address.BitLen())}))
	}
	extract := echo.ExtractIPFromXFFHeader(trust...)
	return func(r *http.Request) string {
		if values := r.Header.Values("X-Forwarded-For"); len(values) > 0 {
			forwarded := *r
			forwarded.Header = http.Header{"X-Forwarded-For": {withoutPorts(values)}}
			r = &forwarded
		}
		return extract(r)
	}
}

// withoutPorts returns the addresses of X-Forwarded-For. Some proxies name the port
// too, or bracket IPv6.
func withoutPorts(values []string) string {
	list := strings.Split(strings.Join(values, ","), ",")
	for i, text := range list {
		text = strings.TrimSpace(text)
		if a, err := netip.ParseAddrPort(text); err == nil {
			text = a.Addr().String()
		} else if inner, ok := strings.CutPrefix(text, "["); ok {
			text = strings.TrimSuffix(inner, "]")
		}
		list[i] = text
	}
	return strings.Join(list, ",")
}

// recover makes a panic of ours a 500; the server lives on. An answer that was
// begun cannot be taken back and is cut off.
func (s *Server) recover(c echo.Context) {
	p := recover()
	if p == nil {
		return
	}
	s.logger.Error("panic", "request", c.Response().Header().Get(headerRequest), "path", c.Request().URL.Path, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	if c.Response().Committed || p == http.ErrAbortHandler {
		panic(http.ErrAbortHandler)
	}
	s.refuse(c.Response(), c.Request(), fmt.Errorf("panic: %v", p))
}

// refuseUnrouted refuses what no route takes: in words of a page, to who prefers a page.
func (s *Server) refuseUnrouted(w http.ResponseWriter, r *http.Request, err error) {
	if read := r.Method == http.MethodGet || r.Method == http.MethodHead; read && s.pages != nil && problemOf(err).Type == client.ProblemBase+client.NotFound {
		if media, err := negotiate(w, r, mediaJSON, mediaHTML); err == nil && media == mediaHTML {
			seenIn(r.Context()).reason = client.NotFound
			s.pages.Missing(w, r)
			return
		}
	}
	s.refuse(w, r, err)
}

// routerProblem says what echo's router found wrong.
func routerProblem(err error) error {
	switch {
	case errors.Is(err, echo.ErrNotFound):
		return problem(client.NotFound, "there is nothing at this path")
	case errors.Is(err, echo.ErrMethodNotAllowed):
		return problem(client.MethodNotAllowed, "see the header Allow")
	}
	return err
}

// answerPreflight tells browsers what pages from elsewhere may send.
func answerPreflight(w http.ResponseWriter) {
	w.Header().Set("Access-Control-Allow-Methods", "GET, HEAD, POST, OPTIONS")
	w.Header().Set("Access-Control-Allow-Headers", "Accept, Content-Type, If-None-Match, Last-Event-ID, X-Request-Id")
	w.Header().Set("Access-Control-Max-Age", "86400")
	w.WriteHeader(http.StatusNoContent)
}

// Pages are what people see in a browser.
type Pages interface {
	http.Handler
	// Paths are those that it serves, in the form of the router.
	Paths() []string
	// Missing says to a person that there is nothing at this path, with status 404.
	Missing(http.ResponseWriter, *http.Request)
}

func (s *pageAPI) getPage(w http.ResponseWriter, r *http.Request) error {
	s.pages.ServeHTTP(w, r)
	return nil
}

// sameTiles makes /cosigned the prefix of a log: its tiles and blobs are those of
// the log without it.
func sameTiles(r *http.Request) *http.Request {
	for _, same := range []string{"/tile/", "/v1/blobs/"} {
		if strings.HasPrefix(r.URL.EscapedPath(), "/cosigned"+same) {
			clone, u := *r, *r.URL
			u.Path, u.RawPath = strings.TrimPrefix(u.Path, "/cosigned"), strings.TrimPrefix(u.RawPath, "/cosigned")
			clone.URL = &u
			return &clone
		}
	}
	return r
}

// retryDenied makes h look again before it denies: what one front end of a log has acknowledged,
// no other one denies (docs/spec/70-http.md, 70.4.1).
func (s *Server) retryDenied(h service) service {
	return func(w http.ResponseWriter, r *http.Request) error {
		_, err := askTwice(r.Context(), s, func() (struct{}, error) { return struct{}{}, h(w, r) })
		return err
	}
}

// askTwice asks once more if the first answer denies what others may have.
func askTwice[T any](ctx context.Context, s *Server, ask func() (T, error)) (T, error) {
	answer, err := ask()
	if s.catchUp == nil || !isDenial(err) {
		return answer, err
	}
	if err := s.lookAgain(ctx); err != nil {
		return answer, err
	}
	return ask()
}

// lookAgain waits for what was promised anywhere.
func (s *Server) lookAgain(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.latestTime)
	defer cancel()
	resume := pauseTurn(ctx)
	err := s.catchUp(ctx)
	if late := resume(); late != nil {
		return late
	}
	if err != nil {
		s.logger.Debug("cannot look what is in the log", "error", err)
		return problem(client.Busy, "it cannot be said now what the log has")
	}
	return nil
}

// isDenial reports whether an answer says that something is not there, or that it is
// something else.
func isDenial(err error) bool {
	if err == nil {
		return false
	}
	p := problemOf(err)
	return (p.Status == http.StatusNotFound || p.Status == http.StatusConflict) && p.Index == nil
}
