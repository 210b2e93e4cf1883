package hub

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"log/slog"
	"net/http"
	"net/url"
	"sync"

	"github.com/agent-discover/agent-discover/backend/protocol/mcphttp"
)

// networkOf returns a function that returns the proxy and the certificate authorities of the login shell's environment.
func networkOf(login loginEnv, log *slog.Logger) func() (func(*url.URL) (*url.URL, error), *x509.CertPool) {
	return func() (func(*url.URL) (*url.URL, error), *x509.CertPool) {
		env := login(context.Background())
		authorities, err := mcphttp.CAsOf(env.Get)
		if err != nil {
			log.Warn("requests of the hub use only the certificate authorities of the system", "error", err)
		}
		return mcphttp.ProxyOf(env.Get), authorities
	}
}

// transport sends the requests for models through the proxy of the login shell's environment, with its certificate
// authorities. It reads them at the first request.
type transport func() *http.Transport

func newTransport(login loginEnv, log *slog.Logger) transport {
	return sync.OnceValue(func() *http.Transport {
		t := http.DefaultTransport.(*http.Transport).Clone()
		proxy, authorities := networkOf(login, log)()
		t.Proxy = func(r *http.Request) (*url.URL, error) { return proxy(r.URL) }
		if authorities != nil {
			t.TLSClientConfig = &tls.Config{RootCAs: authorities}
		}
		return t
	})
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t().RoundTrip(r) }
