package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
)

// newRelay returns a handler that passes requests on to a URL with an Authorization header, for clients that send none.
// A Host or Origin that names the port of the relay gets the port of the target instead; all others stay as the client
// sent them, so that the target judges them.
func newRelay(target *url.URL, authorization string) http.Handler {
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     &http.Transport{DisableCompression: true},
		Rewrite: func(r *httputil.ProxyRequest) {
			own := portOf(r.In)
			r.Out.URL.Scheme, r.Out.URL.Host, r.Out.URL.Path = target.Scheme, target.Host, target.Path
			r.Out.Host = withPort(r.In.Host, own, target.Port())
			if origin, err := url.Parse(r.In.Header.Get("Origin")); err == nil && origin.Host != "" {
				origin.Host = withPort(origin.Host, own, target.Port())
				r.Out.Header.Set("Origin", origin.String())
			}
			r.Out.Header.Set("Authorization", authorization)
		},
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Read the whole request first. If a part of the body is unread when the response begins, the HTTP server
		// closes the body, which would end the connection to the target.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	})
}

// portOf returns the port at which a request has arrived.
func portOf(r *http.Request) string {
	address, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return ""
	}
	_, port, _ := net.SplitHostPort(address.String()) // without a port nothing is replaced
	return port
}

// withPort replaces the port of a host if it is the parameter own. Otherwise it returns the host unchanged.
func withPort(host, own, port string) string {
	name, current, err := net.SplitHostPort(host)
	if err != nil || current != own {
		return host
	}
	return net.JoinHostPort(name, port)
}
