//go:build linux

package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"testing"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpheader"
	"github.com/agent-discover/agent-discover/backend/protocol/mcpversion"
)

// only returns the URL of a proxy to a server. The proxy refuses requests of another era than that of v. The Go
// SDK's server for the modern era also serves the legacy one.
func only(t *testing.T, v version, server string) string {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		FlushInterval:  -1,
		Rewrite:        func(r *httputil.ProxyRequest) { r.SetURL(target) },
		ModifyResponse: func(r *http.Response) error { return offer(r, v) },
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the hub has left
		}
		m, _ := jsonrpc.Parse(body) // GET and DELETE have no message
		if got := mcpversion.Detect(m.Method, m.Params, r.Header.Get(mcpheader.Version)); got != mcpversion.Of(v.name) {
			refuse(w, m, v)
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL + "/"
}

// refuse answers as a server that does not know the era of a request.
func refuse(w http.ResponseWriter, m jsonrpc.Message, v version) {
	why := jsonrpc.NewError(jsonrpc.CodeInvalidRequest, "Bad Request: no valid session ID")
	if v == modern {
		why = mcpversion.CheckVersion(legacy.name)
	}
	fail(w, http.StatusBadRequest, m.ID, why)
}

var supported = regexp.MustCompile(`"supportedVersions":\[[^]]*\]`)

// offer removes all versions except v from the answer to server/discover.
func offer(r *http.Response, v version) error {
	if r.Request.Header.Get(mcpheader.Method) != "server/discover" {
		return nil
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	body = supported.ReplaceAll(body, fmt.Appendf(nil, `"supportedVersions":[%q]`, v.name))
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Length", strconv.Itoa(len(body)))
	return nil
}
