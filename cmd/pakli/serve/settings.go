package serve

import (
	"flag"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/internal/command"
)

// sections declares every setting of pakli serve.
func (o *Options) sections() []section {
	return []section{
		{"The log", func(f *flag.FlagSet) {
			f.StringVar(&o.Data, "data", "pakli-data", "directory of the log; made if it does not exist")
			f.StringVar(&o.Origin, "origin", "localhost", "name of a new log: the URL it is served under, without scheme")
			f.Int64Var(&o.ballast, "ballast", 256<<20, "bytes set aside in a file that may be removed when the disk is full")
			f.IntVar(&o.queue, "queue", 2048, "entries that may wait for the log; more are answered 503")
		}},
		{"On a cluster", o.cluster.AddFlags},
		{"Several logs", o.logs.addFlags},
		{"Cosigners", func(f *flag.FlagSet) {
			f.StringVar(&o.policy, "policy", "", "file that names the cosigners of the log, and how many are wanted (c2sp.org/tlog-policy)")
			f.BoolVar(&o.restored, "restored-alone", false, "take entries though too few cosigners have answered since the start; if this is not the newest copy of the log, that forks it for good")
		}},
		{"Who is answered", func(f *flag.FlagSet) {
			f.StringVar(&o.Listen, "listen", "127.0.0.1:8080", "address to answer on")
			f.StringVar(&o.published, "published", "", "the address that others use for it, host:port, where something else opens that and leads here: the one to which a container's port is bound, or, on a cluster, that of the proxy before the front ends. If it is on loopback, only this machine can reach the server")
			f.StringVar(&o.organisers, "organisers", "", "file of the verifier keys that may begin tables, one in a line, or "+anyone+"; it may be left out where only this machine can reach the server. A changed file is used within a second")
			f.StringVar(&o.Suites, "allow-suites", "", "suites that tables may have here although their proofs take megabytes, separated by commas: "+strings.Join(flags.LongSuites(), ", "))
			f.Var((*prefixes)(&o.proxies), "trusted-proxies", "addresses, as CIDR separated by commas, whose X-Forwarded-For is believed")
			o.Pages = "auto"
			f.Var(choice{&o.Pages, []string{"auto", "off"}}, "pages", "auto or off: pages for browsers, if this program has them, or runs from its sources for this machine alone")
			f.BoolVar(&o.departures, "allow-departures", false, "take decisions with which an event departs from its own method; otherwise they are refused")
			f.DurationVar(&o.stopTime, "stop-time", 20*time.Second, "how long a server that is told to stop goes on with what it has accepted")
		}},
		{"TLS", func(f *flag.FlagSet) {
			f.StringVar(&o.transport.cert, "tls-cert", "", "file of the certificate and its chain, PEM; used anew within a second of a change")
			f.StringVar(&o.transport.key, "tls-key", "", "file of its key, PEM")
			f.StringVar(&o.transport.acmeHost, "acme-host", "", "name for which to get a certificate by ACME; the authority asks on port 443")
			f.StringVar(&o.transport.acmeEmail, "acme-email", "", "where the authority may write to")
			f.StringVar(&o.transport.acmeDirectory, "acme-directory", "", "URL of the authority's directory; that of Let's Encrypt if it is left out")
		}},
		{"Limits", o.limitSettings},
		{"Other programs", func(f *flag.FlagSet) {
			f.StringVar(&o.hook.url, "webhook-url", "", "where a program of the club is told of rounds, calls, rulings and standings, http:// or https://; on a cluster set it at one front end alone")
			f.StringVar(&o.hook.secret, "webhook-secret", "", "file of the secret that signs what it is told, whsec_ and base64, as Standard Webhooks has it")
			f.StringVar(&o.hook.pages, "webhook-pages", "", "how the links in it begin: the URL at which people open this server, as https://cards.example (default: the one that it prints)")
			f.StringVar(&o.push.contact, "push-contact", "", "how push services of browsers reach the operator, mailto: or https://; with it pages offer notifications of events that come also when they are closed. Not on a cluster")
			f.StringVar(&o.push.services, "push-services", notify.UsualServices, "hosts of push services that may be asked, with those below them, separated by commas")
		}},
		{"For the operator", func(f *flag.FlagSet) {
			f.StringVar(&o.operator.address, "operator-addr", "127.0.0.1:8081", "address of /metrics, /readyz and /livez for the operator, or "+noAddress)
			f.StringVar(&o.operator.tokenFile, "operator-token-file", "", "file of the bearer token that is wanted there (default: none on loopback, and elsewhere "+tokenFile+" in the directory of the log, made at the first start)")
			f.DurationVar(&o.operator.patience, "ready-delay", 10*time.Second, "the server is not ready while an entry has waited longer for the log")
			o.logging = logging{format: "text", level: "info", requests: "all"}
			f.Var(choice{&o.logging.format, []string{"text", "json"}}, "log-format", "text or json")
			f.Var(choice{&o.logging.level, []string{"debug", "info", "warn", "error"}}, "log-level", "debug, info, warn or error")
			f.Var(choice{&o.logging.requests, []string{"all", "refused", "none"}}, "log-requests", "which requests are logged: all, refused or none; at most 100 a second are")
		}},
	}
}

// allowedSuites reads the suites that may be used.
func (o *Options) allowedSuites() (func(name string) bool, error) {
	var allowed []string
	for name := range strings.SplitSeq(o.Suites, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if !slices.Contains(flags.LongSuites(), name) {
			return nil, command.WrongUsage("--allow-suites %s: there are %s; all others are allowed", name, strings.Join(flags.LongSuites(), ", "))
		}
		allowed = append(allowed, name)
	}
	return func(name string) bool { return slices.Contains(allowed, name) }, nil
}

// limitSettings declares the bounds of package httpapi with its defaults.
func (o *Options) limitSettings(f *flag.FlagSet) {
	l, d := &o.Limits, httpapi.DefaultLimits()
	f.Float64Var(&l.PostRate, "post-rate", d.PostRate, "posts a second of one address (IPv6: of one /64); below 0: no bound")
	f.IntVar(&l.PostBurst, "post-burst", d.PostBurst, "posts of one address at once")
	f.Float64Var(&l.TableRate, "table-rate", d.TableRate, "new tables a second of one address; below 0: no bound")
	f.IntVar(&l.TableBurst, "table-burst", d.TableBurst, "new tables of one address at once")
	f.Float64Var(&l.NoticeRate, "notice-rate", d.NoticeRate, "notices a second of one address to events; below 0: no bound")
	f.IntVar(&l.NoticeBurst, "notice-burst", d.NoticeBurst, "notices of one address at once")
	f.Float64Var(&l.KeyRate, "key-rate", d.KeyRate, "messages a second that one seat has signed; a wrong one counts as one more for each millisecond that it took to check. Below 0: no bound")
	f.IntVar(&l.KeyBurst, "key-burst", d.KeyBurst, "messages of one seat at once")
	f.Float64Var(&l.GlobalRate, "global-rate", d.GlobalRate, "posts a second of everybody together; below 0: no bound")
	f.IntVar(&l.GlobalBurst, "global-burst", d.GlobalBurst, "posts of everybody at once")
	f.IntVar(&l.ChecksPerAddress, "checks-per-address", 0, "costly proofs of one address that are checked at the same time; 0: half as many as there are processors, or one")
	f.IntVar(&l.Connections, "connections", d.Connections, "connections that are open at the same time; others wait")
	f.IntVar(&l.ConnectionsPerAddress, "connections-per-address", d.ConnectionsPerAddress, "those of one address; others are closed. Trusted proxies have no such bound")
	f.IntVar(&l.Posts, "posts", d.Posts, "posts that are answered at the same time")
	f.Float64Var(&l.ReadShare, "read-share", d.ReadShare, "part of the processors' time that everything but posts gets together, and a third of it while posts are at work; below 0: no bound")
	f.IntVar(&l.Unsent, "unsent", d.Unsent, "bytes of answers that are made and not yet taken, of tiles and of everything else")
	f.IntVar(&l.UnsentPerAddress, "unsent-per-address", d.UnsentPerAddress, "those for one address")
	f.IntVar(&l.Polls, "polls", d.Polls, "long polls and streams that are open at the same time")
	f.IntVar(&l.PollsPerAddress, "polls-per-address", d.PollsPerAddress, "those of one address")
	f.IntVar(&o.tableEntries, "table-entries", 65536, "entries that one table may have; 0: no bound")
	f.Int64Var(&o.tableBytes, "table-bytes", 1<<30, "bytes that the entries and blobs of one table may have; 0: no bound")
}

// prefixes is a list of address ranges.
type prefixes []netip.Prefix

func (p *prefixes) String() string {
	var list []string
	for _, r := range *p {
		list = append(list, r.String())
	}
	return strings.Join(list, ",")
}

func (p *prefixes) Set(text string) error {
	*p = nil
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		r, err := netip.ParsePrefix(part)
		if err != nil {
			return fmt.Errorf("%q is no range of addresses like 10.0.0.0/8", part)
		}
		*p = append(*p, r)
	}
	return nil
}
