package netreach

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestReachOfAddresses(t *testing.T) {
	for address, want := range map[string]Reach{
		"127.0.0.1": Local, "::1": Local, "0.0.0.0": Local, "::": Local, "169.254.169.254": Local, "fe80::1": Local, "224.0.0.1": Local,
		"::ffff:127.0.0.1": Local, "10.1.2.3": Private, "172.16.0.1": Private, "192.168.1.1": Private, "100.64.0.1": Private,
		"fd00::1": Private, "::ffff:10.0.0.1": Private, "93.184.216.34": Public, "2606:4700::1111": Public, "100.63.255.255": Public,
	} {
		if got := Of(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: %d, want %d", address, got, want)
		}
	}
}

func TestAGuardedTransportConnectsOnlyToWhatIsAllowed(t *testing.T) {
	asked := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer server.Close()
	port := server.URL[strings.LastIndexByte(server.URL, ':'):]
	public := func(_ context.Context, ip netip.Addr) bool { return Of(ip) == Public }
	get := func(proxy *url.URL, target string) error {
		transport := &http.Transport{DisableKeepAlives: true}
		if proxy != nil {
			transport.Proxy = http.ProxyURL(proxy)
		}
		response, err := (&http.Client{Transport: Guard(transport, time.Minute, public)}).Get(target)
		if err == nil {
			_ = response.Body.Close()
		}
		return err
	}
	for _, target := range []string{server.URL, "http://localhost" + port, "http://[::ffff:127.0.0.1]" + port} {
		if err := get(nil, target); !errors.Is(err, ErrRefused) || asked > 0 {
			t.Errorf("%s: %v, asked %d times", target, err, asked)
		}
	}
	proxy, _ := url.Parse(server.URL)
	if err := get(proxy, "http://10.0.0.1/"); !errors.Is(err, ErrRefused) || asked > 0 {
		t.Errorf("behind a proxy: %v, asked %d times", err, asked)
	}
	if err := get(proxy, "http://files.example/"); err != nil || asked != 1 {
		t.Errorf("through a proxy: %v, asked %d times", err, asked)
	}
}

func TestReachOfHosts(t *testing.T) {
	for host, want := range map[string]Reach{
		"10.1.2.3": Private, "::1": Local, "localhost": Local, "93.184.216.34": Public, "no-such-host.invalid": Public,
	} {
		if got := OfHost(t.Context(), host); got != want {
			t.Errorf("%s: %d, want %d", host, got, want)
		}
	}
}

func TestNothingIsNearerThanWhatNamesIt(t *testing.T) {
	for _, c := range []struct {
		by, address string
		want        bool
	}{
		{"https://192.0.2.1", "198.51.100.7", true},
		{"https://192.0.2.1", "127.0.0.1", false},
		{"https://192.0.2.1/registry", "169.254.169.254", false},
		{"https://192.0.2.1", "10.0.0.5", false},
		{"https://10.0.0.1", "10.0.0.5", true},
		{"https://10.0.0.1", "::1", false},
		{"http://localhost:8080", "10.0.0.5", true},
		{"http://127.0.0.1:8080", "127.0.0.1", true},
		{"", "127.0.0.1", false},
		{"", "198.51.100.7", true},
	} {
		if got := NotNearerThan(c.by)(t.Context(), netip.MustParseAddr(c.address)); got != c.want {
			t.Errorf("%s by %q: %t", c.address, c.by, got)
		}
	}
}
