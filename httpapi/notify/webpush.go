// Package notify tells others what happens in events (docs/spec/70-http.md): browsers whose page is
// closed, about their seats, by Web Push (70.16), which is RFC 8030 encrypted by RFC 8291 from a
// server identified by RFC 8292; and a club's program, by signed requests (webhook.go; 70.15). Both
// read from a [Feed].
//
// A browser names the address of its push service, to which the server then connects. So the server
// connects only to hosts that the operator has named, and only to addresses of the internet. The
// endpoints are the browsers' secrets and are in no log or list.
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

// UsualServices are the push services of common browsers: Chromium and its relatives, Firefox, Edge
// and Safari.
const UsualServices = "fcm.googleapis.com,push.services.mozilla.com,notify.windows.com,push.apple.com"

// Bounds of stored subscriptions and of messages under way.
const (
	maxOfSeat  = 4
	maxOfEvent = 1024
	maxInAll   = 4096
	maxFlying  = 1024 // to each push service: one that is away does not delay the others
)

const (
	patience  = 10 * time.Second // with a push service
	lasts     = time.Hour        // of a message, here and at the push service
	turnDelay = time.Minute      // how long a table waits before its seat is told
)

// TurnLook is the time between two checks of whose turn it is.
const TurnLook = 15 * time.Second

// turnDue is the kind for a seat that its table has waited for.
const turnDue = "turn.due"

// ErrFull says that the server stores no more subscriptions.
var ErrFull = errors.New("this server keeps no more subscriptions")

// SubscriptionError says why a subscription can never be used.
type SubscriptionError struct{ reason string }

func (e *SubscriptionError) Error() string { return e.reason }

// PushOptions configure a PushSender.
type PushOptions struct {
	*Feed
	Key      ServerKey
	Contact  string   // mailto: or https: address at which push services reach the operator
	Services []string // hosts, each with its subdomains
	List     string   // file of the subscriptions
	// Owed returns the seats that tables of an event wait for, each by the last entry of its table.
	Owed   func(ctx context.Context, event wire.Hash) ([]Happening, error)
	Random io.Reader
	Client *http.Client // nil: one that connects only to the internet
}

// PushSender sends happenings to browsers. Several goroutines may use it.
type PushSender struct {
	PushOptions
	flying map[string]chan struct{} // by service: a token for each message under way

	mu   sync.Mutex
	list []*bulletin.Push // oldest first
}

// NewPush returns a sender with the stored subscriptions.
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
		if p, err = bulletin.ParsePush([]byte(docs[i])); err == nil && s.serviceOf(p) != "" { // its service is still named
			s.list = append(s.list, p)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w: delete it, and browsers have to subscribe again", o.List, err)
	}
	return s, nil
}

// inside are addresses that belong to no single host of the internet, or lead to others, and for
// which net/netip has no method. Only one in eight addresses of IPv6 is assigned to the internet (RFC
// 4291, 2.4): none with an embedded IPv4 address or of a site.
var (
	inside = []netip.Prefix{
		netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"), netip.MustParsePrefix("198.18.0.0/15"), netip.MustParsePrefix("240.0.0.0/4"),
		netip.MustParsePrefix("2001::/32"), netip.MustParsePrefix("2002::/16"),
	}
	assigned = netip.MustParsePrefix("2000::/3")
)

// refuseInside refuses connections to anything but port 443 of the internet, whatever name has led
// there.
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
	at, _ := url.Parse(p.Endpoint) // parsed before
	return at.Hostname()
}

// serviceOf returns the named service of a subscription, or "". An address of IPv6 may end like a
// name, in its zone.
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

// Subscribe stores a subscription and reports whether it was stored already. The caller has checked
// that the seat belongs to the event.
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
	isOld := func(q *bulletin.Push) bool { // an earlier one of the same browser, or the oldest of a seat with too many
		return slices.Contains(ofSeat, q) && (q.Endpoint == p.Endpoint || len(ofSeat) >= maxOfSeat && q == ofSeat[0])
	}
	list := append(slices.DeleteFunc(slices.Clone(s.list), isOld), p)
	if len(list) > len(s.list) && (len(list) > maxInAll || ofEvent >= maxOfEvent) {
		return false, ErrFull
	}
	return false, s.keep(list)
}

// keep replaces the subscriptions, first on disk.
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

// forget removes subscriptions.
func (s *PushSender) forget(is func(*bulletin.Push) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.keep(slices.DeleteFunc(slices.Clone(s.list), is)); err != nil {
		s.Logger.Warn("subscriptions that are of no use could not be deleted", "error", err)
	}
}

// Count returns the number of subscriptions.
func (s *PushSender) Count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.list)
}

// Run sends happenings until ctx ends.
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

// tell sends a happening to the browsers concerned. It does not wait for push services that are away.
// Messages under way are lost when the server stops; push services may lose messages too.
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

// send sends a message until it is taken. It forgets a browser that is gone.
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

// post sends a message once. Its errors do not contain the endpoint.
func (s *PushSender) post(ctx context.Context, p *bulletin.Push, text []byte, now time.Time) (int, error) {
	salt := make([]byte, 16)
	_, err := io.ReadFull(s.Random, salt)
	own, wrong := messageKey(s.Random)
	if err := cmp.Or(err, wrong); err != nil {
		return 0, err
	}
	body, err := encrypt(text, p.Key, p.Auth, own, salt)
	if err != nil {
		return http.StatusGone, err // nothing can ever be sent there
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
	_, _ = io.CopyN(io.Discard, answer.Body, 4096) // so that the connection can be reused
	return answer.StatusCode, nil
}

// turn is a table that waits, and since when.
type turn struct {
	index uint64 // of the table's last entry
	since time.Time
	told  bool
}

// watchTurns tells seats that their table has waited for a while, once for each due message.
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
				now[event] = known[event] // a told turn stays told
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

// events returns the events with subscriptions.
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

// words are the texts for each kind of happening, by language.
var words = sync.OnceValue(func() (of map[string]map[string]string) {
	if err := json.Unmarshal(texts, &of); err != nil {
		panic(err) // embedded
	}
	return of
})

// textOf returns the text of a happening in a language, or "".
func textOf(h Happening, language string) string {
	of := words()[h.Kind]
	return strings.NewReplacer("{round}", strconv.Itoa(h.Round), "{table}", strconv.Itoa(h.Table)).Replace(cmp.Or(of[language], of["en"]))
}
