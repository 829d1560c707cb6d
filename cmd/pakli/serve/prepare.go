package serve

import (
	"crypto/tls"
	"errors"
	"io/fs"
	"net"

	"github.com/pakli/pakli/cmd/pakli/flags"
	"github.com/pakli/pakli/httpapi/notify"
	"github.com/pakli/pakli/ledger/tlog"
)

// preparedServer is everything that can fail before a server touches its log: settings are checked,
// files read, and addresses taken. It creates nothing, so a mistake leaves nothing behind. Clients
// that connect now wait until the server is there.
type preparedServer struct {
	may      func(key string) bool  // nil: everybody
	allowed  func(name string) bool // may be used although their proofs are long
	private  bool                   // nobody said who may organise, and only this machine can reach the server
	security *tls.Config            // nil: no TLS
	policy   *tlog.Policy           // nil: no cosigners
	hook     *notify.HookSender     // nil: nobody is told of events
	office   net.Listener           // for the operator; nil: nowhere
	public   net.Listener
}

func (o Options) prepare() (p *preparedServer, err error) {
	p = &preparedServer{}
	if err := o.cluster.CheckFlags(); err != nil {
		return nil, err
	}
	if p.may, err = o.mayOrganise(); err != nil {
		return nil, err
	}
	if p.allowed, err = o.allowedSuites(); err != nil {
		return nil, err
	}
	p.private = p.may == nil && o.organisers != anyone
	if p.security, err = o.transport.config(o.Data, o.logger); err != nil {
		return nil, err
	}
	if p.policy, err = policyOf(o.policy, o.Data); err != nil {
		return nil, err
	}
	if p.hook, err = o.hook.sender(o.Data); err != nil {
		return nil, err
	}
	if err := o.push.check(o.cluster.OnCluster()); err != nil {
		return nil, err
	}
	watched := o.operator.address != "" && o.operator.address != noAddress
	if watched {
		if _, err := o.operator.token(o.Data); err != nil && (o.operator.tokenFile != "" || !errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
	}
	if p.public, err = flags.Listen("--listen", o.Listen); err != nil {
		return nil, err
	}
	if watched {
		if p.office, err = flags.Listen("--operator-addr", o.operator.address); err != nil {
			p.close()
			return nil, err
		}
	}
	return p, nil
}

// close releases the addresses.
func (p *preparedServer) close() {
	p.public.Close()
	if p.office != nil {
		p.office.Close()
	}
}
