package netreach

import (
	"net/url"
	"strings"
	"testing"
)

func TestAnErrorSaysWhetherAProxyIsUsed(t *testing.T) {
	proxy := func(to *url.URL) (*url.URL, error) {
		if strings.HasPrefix(to.Host, "near") || to.Scheme == "http" {
			return nil, nil
		}
		return url.Parse("http://ada:pass@proxy:3128")
	}
	for _, row := range []struct {
		proxy    func(*url.URL) (*url.URL, error)
		to, want string
	}{
		{proxy, "https://far.example/x", " (through the proxy http://proxy:3128)"},
		{proxy, "https://near.example/x", " (no proxy is used; NO_PROXY excludes this host)"},
		{proxy, "http://near.example/x", " (no proxy is used; the variable HTTP_PROXY sets one)"},
		{nil, "https://far.example/x", " (no proxy is used; the variable HTTPS_PROXY sets one)"},
		{nil, "http://far.example/x", " (no proxy is used; the variable HTTP_PROXY sets one)"},
		{nil, "http://127.0.0.1:3/x", ""},
		{nil, "http://localhost/x", ""},
	} {
		to, err := url.Parse(row.to)
		if err != nil {
			t.Fatal(err)
		}
		if got := Through(row.proxy, to); got != row.want {
			t.Errorf("%s: got %q, want %q", row.to, got, row.want)
		}
	}
}
