// Package notify tells others what happens in events (docs/spec/70-http.md): browsers whose page is closed what concerns
// their seats, by Web Push (70.16): RFC 8030, encrypted as RFC 8291 has it, from a server that RFC 8292 names; and a program of
// a club by signed requests (webhook.go; 70.15). Both read it from one [Feed].
//
// A browser says where its push service takes messages, and the server asks there: so only hosts that the operator has named are
// asked, at addresses of the internet. Where these messages go, which is a secret of the browser, is in no log and no list.
package notify

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ecdh"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/pakli/pakli/internal/durable"
	"github.com/pakli/pakli/protocol/bulletin"
	"github.com/pakli/pakli/protocol/wire"
)

// UsualServices are the hosts of the push services of common browsers: of Chromium and its like, Firefox, Edge and Safari.
const UsualServices = "fcm.googleapis.com,push.services.mozilla.com,notify.windows.com,push.apple.com"

// Bounds of what is kept, and of what is under way.
const (
	maxOfSeat  = 4
	maxOfEvent = 1024
	maxInAll   = 4096
	maxFlying  = 1024 // to each push service: one that is away keeps nothing from browsers of others
)

const (
	patience  = 10 * time.Second // with a push service
	lasts     = time.Hour        // of a message, here and at the push service
	turnDelay = time.Minute      // that a table waits before its seat is told
)

// TurnLook is the time between two looks at whose turn it is.
const TurnLook = 15 * time.Second

// turnDue is of a seat for which its table has waited.
const turnDue = "turn.due"

// ErrFull says that no more subscriptions are taken.
var ErrFull = errors.New("this server keeps no more subscriptions")

// SubscriptionError says why a subscription can never be of use.
type SubscriptionError struct{ reason string }

func (e *SubscriptionError) Error() string { return e.reason }

// PushOptions say for whom messages are sent, and how.
type PushOptions struct {
	*Feed
	Key      ServerKey
	Contact  string   // by which push services reach the operator: mailto: or https:
	Services []string // hosts, each with those below it
	List     string   // file of the subscriptions
	// Owed are the seats for which tables of an event wait, each by the last entry of its table.
	Owed   func(ctx context.Context, event wire.Hash) ([]Happening, error)
	Random io.Reader
	Client *http.Client // nil: one that reaches nothing but the internet
}

// PushSender tells browsers. It is safe for concurrent use.
type PushSender struct {
	PushOptions
	flying map[string]chan struct{} // by service: a token for each message under way

	mu   sync.Mutex
	list []*bulletin.Push // the oldest first
}

// NewPush reads the subscriptions that were kept.
func NewPush(o PushOptions) (*PushSender, error) {
	o.Gone, o.Lasts = []int{http.StatusNotFound, http.StatusGone}, lasts
	if o.Client == nil {
		dialer := net.Dialer{Timeout: patience, Control: refuseInside}
		o.Client = &http.Client{Timeout: patience, CheckRedirect: RefuseRedirect, Transport: &http.Transport{DialContext: dialer.DialContext, ForceAttemptHTTP2: true, MaxIdleConns: 16, IdleConnTimeout: time.Minute}}
	}
	s := &PushSender{PushOptions: o, flying: map[string]chan struct{}{}}
	for _, host := range o.Services {
		s.flying[host] = make(chan struct{}, maxFlying)
	}
	text, err := os.ReadFile(o.List)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	var docs []string
	if err == nil {
		err = json.Unmarshal(text, &docs)
	}
	for i := 0; err == nil && i < len(docs); i++ {
		var p *bulletin.Push
		if p, err = bulletin.ParsePush([]byte(docs[i])); err == nil && s.serviceOf(p) != "" { // which the operator still names
			s.list = append(s.list, p)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: delete it, and browsers have to subscribe again", o.List, err)
	}
	return s, nil
}

// inside are addresses that are of no single host of the internet, or lead to others: those that net/netip has no word for. Of IPv6,
// only one in eight is assigned to it (RFC 4291, 2.4): no address that has one of IPv4 within, or is of a site.
var (
	inside = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16"),
	}
	assigned = netip.MustParsePrefix("2000::/3")
)

// refuseInside keeps a connection from all but port 443 of the internet, whatever name has led there.
func refuseInside(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return err
	}
	a := at.Addr().Unmap()
	if at.Port() != 443 || !a.IsGlobalUnicast() || a.IsPrivate() || a.Is6() && !assigned.Contains(a) || slices.ContainsFunc(inside, func(p netip.Prefix) bool { return p.Contains(a) }) {
		return fmt.Errorf("%s is no address of a push service", address)
	}
	return nil
}

func hostOf(p *bulletin.Push) string {
	at, _ := url.Parse(p.Endpoint) // of a subscription that was read
	return at.Hostname()
}

// serviceOf is which of the named services a subscription is of; "": none. An address of IPv6 may end like a name, by its zone.
func (s *PushSender) serviceOf(p *bulletin.Push) string {
	at := hostOf(p)
	i := slices.IndexFunc(s.Services, func(host string) bool {
		return at == host || strings.HasSuffix(at, "."+host) && !strings.Contains(at, ":")
	})
	if i < 0 {
		return ""
	}
	return s.Services[i]
}

// Subscribe keeps a subscription, whose caller has seen that the seat has to do with the event; again: it was kept before.
func (s *PushSender) Subscribe(p *bulletin.Push) (again bool, err error) {
	if s.serviceOf(p) == "" {
		return false, &SubscriptionError{fmt.Sprintf("the operator of this server has not named %.80q among the push services that it asks", hostOf(p))}
	}
	if _, err := ecdh.P256().NewPublicKey(p.Key); err != nil {
		return false, &SubscriptionError{fmt.Sprintf("nothing can be encrypted to the key of the browser: %v", err)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var ofSeat []*bulletin.Push
	ofEvent := 0
	for _, q := range s.list {
		if q.Event == p.Event {
			ofEvent++
		}
		if q.Event == p.Event && wire.KeyMaterial(q.By) == wire.KeyMaterial(p.By) {
			ofSeat = append(ofSeat, q)
		}
		if bytes.Equal(q.Text, p.Text) {
			return true, nil
		}
	}
	isOld := func(q *bulletin.Push) bool { // what the same browser said before, or the oldest one of a seat that has too many
		return slices.Contains(ofSeat, q) && (q.Endpoint == p.Endpoint || len(ofSeat) >= maxOfSeat && q == ofSeat[0])
	}
	list := append(slices.DeleteFunc(slices.Clone(s.list), isOld), p)
	if len(list) > len(s.list) && (len(list) > maxInAll || ofEvent >= maxOfEvent) {
		return false, ErrFull
	}
	return false, s.keep(list)
}

// keep replaces the subscriptions, on disk first.
func (s *PushSender) keep(list []*bulletin.Push) error {
	docs := []string{}
	for _, p := range list {
		docs = append(docs, string(p.Text))
	}
	text, err := json.Marshal(docs)
	if err == nil {
		err = durable.Replace(s.List, text, 0o600)
	}
	if err == nil {
		s.list = list
	}
	return err
}

// forget drops subscriptions.
func (s *PushSender) forget(is func(*bulletin.Push) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keep(slices.DeleteFunc(slices.Clone(s.list), is)); err != nil {
		s.Logger.Warn("subscriptions that are of no use could not be deleted", "error", err)
	}
}

// Count is how many subscriptions there are.
func (s *PushSender) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list)
}

// Run tells what happens until ctx ends.
func (s *PushSender) Run(ctx context.Context) error {
	go s.watchTurns(ctx)
	return s.Feed.Run(ctx, func(ctx context.Context, h Happening) bool {
		s.tell(ctx, h)
		if h.Kind == StandingsPublished || h.Kind == EventCancelled {
			s.forget(func(p *bulletin.Push) bool { return p.Event == h.Event })
		}
		return true
	})
}

// tell sends what happened to those whom it concerns. Nobody waits for a push service that is away: what is under way when the
// server stops is lost, as push services may lose it too.
func (s *PushSender) tell(ctx context.Context, h Happening) {
	s.mu.Lock()
	list := slices.Clone(s.list)
	s.mu.Unlock()
	for _, p := range list {
		if text := textOf(h, p.Language); p.Event == h.Event && text != "" && slices.ContainsFunc(h.Keys, func(key string) bool { return wire.KeyMaterial(key) == wire.KeyMaterial(p.By) }) {
			flying := s.flying[s.serviceOf(p)]
			select {
			case flying <- struct{}{}:
				go func() {
					defer func() { <-flying }()
					s.send(ctx, h, p, text)
				}()
			default:
				s.Logger.Warn("a message to a browser was left out: too many are under way")
			}
		}
	}
}

// send sends a message until it was taken; a browser that is gone is forgotten.
func (s *PushSender) send(ctx context.Context, h Happening, p *bulletin.Push, text string) {
	body, err := json.Marshal(struct {
		Title string `json:"title"`
		Link  string `json:"link"`
	}{h.Name + ": " + text, s.Link(h.Event)})
	if err != nil {
		return
	}
	if !s.Deliver(ctx, h, func(ctx context.Context, now time.Time) (int, error) { return s.post(ctx, p, body, now) }) && ctx.Err() == nil {
		s.forget(func(q *bulletin.Push) bool { return q == p })
	}
}

// post sends a message once. Its errors do not say where.
func (s *PushSender) post(ctx context.Context, p *bulletin.Push, text []byte, now time.Time) (int, error) {
	salt := make([]byte, 16)
	_, err := io.ReadFull(s.Random, salt)
	own, wrong := messageKey(s.Random)
	if err := cmp.Or(err, wrong); err != nil {
		return 0, err
	}
	body, err := encrypt(text, p.Key, p.Auth, own, salt)
	if err != nil {
		return http.StatusGone, err // nothing can be sent there, ever
	}
	who, err := s.Key.authorization(p.Endpoint, s.Contact, now)
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.Endpoint, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	r.Header = http.Header{"Authorization": {who}, "Content-Encoding": {"aes128gcm"}, "Content-Type": {"application/octet-stream"}, "Ttl": {strconv.Itoa(int(lasts.Seconds()))}, "Urgency": {"high"}}
	answer, err := s.Client.Do(r)
	if at, is := errors.AsType[*url.Error](err); is {
		return 0, at.Err
	}
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.CopyN(io.Discard, answer.Body, 4096) // so that the connection can be used again
	return answer.StatusCode, nil
}

// turn is what a table waits for, and since when.
type turn struct {
	index uint64 // of the last entry there
	since time.Time
	told  bool
}

// watchTurns tells seats for which their table has waited for a while, once for each message that is due.
func (s *PushSender) watchTurns(ctx context.Context) {
	type turns = map[[2]int]turn // by round and number
	for known := map[wire.Hash]turns{}; ctx.Err() == nil; {
		now := map[wire.Hash]turns{}
		for _, event := range s.events() {
			list, err := s.Owed(ctx, event)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				s.Logger.Warn("it is not known for whom tables of an event wait", "error", err)
				now[event] = known[event] // what was told stays told
				continue
			}
			now[event] = turns{}
			for _, h := range list {
				h.Kind = turnDue
				at := [2]int{h.Round, h.Table}
				t := known[event][at]
				if t.index != h.Index {
					t = turn{index: h.Index, since: s.Clock()}
				}
				if !t.told && s.Clock().Sub(t.since) >= turnDelay {
					t.told = true
					s.tell(ctx, h)
				}
				now[event][at] = t
			}
		}
		known = now
		select {
		case <-ctx.Done():
		case <-s.After(TurnLook):
		}
	}
}

// events are those of which somebody is told.
func (s *PushSender) events() (list []wire.Hash) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.list {
		if !slices.Contains(list, p.Event) {
			list = append(list, p.Event)
		}
	}
	return list
}

//go:embed texts.json
var texts []byte

// words are what is said of each kind of what happens, by language.
var words = sync.OnceValue(func() (of map[string]map[string]string) {
	if err := json.Unmarshal(texts, &of); err != nil {
		panic(err) // they are embedded
	}
	return of
})

// textOf is what is said in a language; "": nothing.
func textOf(h Happening, language string) string {
	of := words()[h.Kind]
	return strings.NewReplacer("{round}", strconv.Itoa(h.Round), "{table}", strconv.Itoa(h.Table)).Replace(cmp.Or(of[language], of["en"]))
}
