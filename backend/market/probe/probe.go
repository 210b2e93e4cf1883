// Package probe finds out whether the addresses of remote servers work. It sends the first request of an MCP session
// without credentials, and remembers the answer. Many addresses in registries do not work, so the hub probes those
// that it is about to show; it never probes a whole registry.
//
// The addresses come from unknown publishers: by default only public ones are probed, and answers are limited in size
// and time.
package probe

import (
	"context"
	"crypto/x509"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/netreach"
	"github.com/agent-discover/agent-discover/backend/market/listing"
)

// The values of listing.Probe.Answer.
const (
	OK     = "ok"
	SignIn = "sign_in"
	Failed = "failed"
)

const (
	// atOnce is the number of addresses that are probed at the same time, and MaxAddresses the maximum number in one
	// call.
	atOnce       = 4
	MaxAddresses = 50
	// patience limits the time for one address.
	patience = 10 * time.Second
	// The answers OK and SignIn are reused for keepGood, the answer Failed for keepBad.
	keepGood = 24 * time.Hour
	keepBad  = time.Hour
)

// Store persists answers.
type Store interface {
	// Probes returns the stored answers by address. Addresses without one are missing.
	Probes(ctx context.Context, urls []string) (map[string]listing.Probe, error)
	SaveProbe(ctx context.Context, url string, p listing.Probe) error
}

// Options configure a Prober. Only Store is required.
type Options struct {
	Store Store
	// Proxy returns the proxy for an address; nil connects directly.
	Proxy func(*url.URL) (*url.URL, error)
	// CAs are the trusted certificate authorities; nil means those of the system.
	CAs *x509.CertPool
	// Network replaces Proxy and CAs, if it is not nil. It is called once, before the first request.
	Network func() (proxy func(*url.URL) (*url.URL, error), authorities *x509.CertPool)
	Agent   string // value of the User-Agent header
	// Allow reports whether an address may be probed; nil allows public ones.
	Allow   func(netip.Addr) bool
	Timeout time.Duration // for one address; 0 means ten seconds
	Now     func() time.Time
}

// Prober probes addresses. Its methods are safe for concurrent use.
type Prober struct {
	options Options
	slots   chan struct{} // holds an element for each address that is being probed
	client  func() *client

	mu      sync.Mutex
	running map[string]chan struct{} // by address; each channel is closed when the probe is over
}

// New returns a prober.
func New(o Options) *Prober {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Timeout == 0 {
		o.Timeout = patience
	}
	if o.Allow == nil {
		o.Allow = func(ip netip.Addr) bool { return netreach.Of(ip) == netreach.Public }
	}
	return &Prober{
		options: o, slots: make(chan struct{}, atOnce), client: sync.OnceValue(func() *client { return newClient(o) }),
		running: make(map[string]chan struct{}),
	}
}

// Known fills in the stored answers for the remotes of listings. It sends no requests.
func (p *Prober) Known(ctx context.Context, listings []listing.Listing) error {
	_, _, err := p.known(ctx, listings)
	return err
}

// known fills in the stored answers. It returns the addresses that can be probed, and their remotes.
func (p *Prober) known(ctx context.Context, listings []listing.Listing) (urls []string, remotes map[string][]*listing.Remote, err error) {
	remotes = make(map[string][]*listing.Remote)
	for i := range listings {
		for j := range listings[i].Remotes {
			r := &listings[i].Remotes[j]
			if !strings.HasPrefix(r.URL, "https://") && !strings.HasPrefix(r.URL, "http://") || strings.ContainsAny(r.URL, "{}") {
				continue // the address contains a variable
			}
			if remotes[r.URL] == nil {
				urls = append(urls, r.URL)
			}
			remotes[r.URL] = append(remotes[r.URL], r)
		}
	}
	if len(urls) == 0 {
		return nil, nil, nil
	}
	remembered, err := p.options.Store.Probes(ctx, urls)
	if err != nil {
		return nil, nil, err
	}
	for address, answer := range remembered {
		fill(remotes[address], answer)
	}
	return urls, remotes, nil
}

func fill(remotes []*listing.Remote, answer listing.Probe) {
	for _, r := range remotes {
		r.Probe = &answer
	}
}

// Probe probes at most MaxAddresses addresses of the listings and fills in the answers. It skips addresses with a
// fresh answer. Addresses that are not probed before ctx ends keep their stored answers; that is no error.
func (p *Prober) Probe(ctx context.Context, listings []listing.Listing) error {
	urls, remotes, err := p.known(ctx, listings)
	if err != nil {
		return err
	}
	var work sync.WaitGroup
	tried := 0
	for _, address := range urls {
		of := remotes[address]
		if of[0].Probe != nil && p.fresh(*of[0].Probe) || tried == MaxAddresses {
			continue
		}
		tried++
		work.Go(func() {
			if answer, ok := p.once(ctx, address, of[0].Type); ok {
				fill(of, answer)
			}
		})
	}
	work.Wait()
	return nil
}

func (p *Prober) fresh(answer listing.Probe) bool {
	keep := keepGood
	if answer.Answer == Failed {
		keep = keepBad
	}
	return p.options.Now().Sub(answer.At) < keep
}

// once probes an address, or waits for a running probe of it. It returns false if ctx ends first.
func (p *Prober) once(ctx context.Context, address, transport string) (listing.Probe, bool) {
	p.mu.Lock()
	done, running := p.running[address]
	if !running {
		done = make(chan struct{})
		p.running[address] = done
	}
	p.mu.Unlock()
	if running {
		select {
		case <-done:
		case <-ctx.Done():
			return listing.Probe{}, false
		}
		remembered, err := p.options.Store.Probes(ctx, []string{address})
		answer, ok := remembered[address]
		return answer, ok && err == nil
	}
	defer func() {
		p.mu.Lock()
		delete(p.running, address)
		p.mu.Unlock()
		close(done)
	}()
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	case <-ctx.Done():
		return listing.Probe{}, false
	}
	timed, cancel := context.WithTimeout(ctx, p.options.Timeout)
	defer cancel()
	answer := p.client().try(timed, address, transport)
	if ctx.Err() != nil {
		return listing.Probe{}, false // the caller cancelled the probe, which says nothing about the address
	}
	answer.At = p.options.Now()
	_ = p.options.Store.SaveProbe(ctx, address, answer) // after a failure, the next call probes the address again
	return answer, true
}
