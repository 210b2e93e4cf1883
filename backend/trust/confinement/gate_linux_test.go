package confinement

import (
	"fmt"
	"net"
	"strings"
	"testing"
)

func TestEachGrantedHostHasAnAddressOfItsOwn(t *testing.T) {
	g, err := newGate([]Endpoint{
		{"api.example", 443}, {"other.example", 443}, {"api.example", 80}, {"localhost", 5432}, {"10.1.2.3", 22}, {"::1", 8080},
	})
	if err != nil {
		t.Fatal(err)
	}
	_ = g.channel.Close()
	_ = g.alive.Close()
	if got := fmt.Sprint(g.listen); got != "[127.0.0.2:443 127.0.0.3:443 127.0.0.2:80 127.0.0.1:5432 10.1.2.3:22 [::1]:8080]" {
		t.Errorf("it listens at %s", got)
	}
	if names := g.names(); !strings.Contains(names, "\n127.0.0.2\tapi.example\n") || strings.Contains(names, "10.1.2.3") {
		t.Errorf("its names are:\n%s", names)
	}
}

func TestANameThatIsGrantedDoesNotLeadToThisMachine(t *testing.T) {
	for _, row := range []struct {
		host, address string
		admitted      bool
	}{
		{"localhost", "127.0.0.1:80", true},
		{"127.0.0.1", "127.0.0.1:80", true},
		{"::1", "[::1]:80", true},
		{"api.example", "93.184.216.34:80", true},
		{"nas.example", "192.168.1.5:80", true},
		{"api.example", "127.0.0.1:80", false},
		{"api.example", "[::1]:80", false},
		{"api.example", "[::ffff:127.0.0.1]:80", false},
		{"api.example", "0.0.0.0:80", false},
		{"api.example", "169.254.169.254:80", false},
	} {
		if err := (Endpoint{row.host, 80}).admit(row.address); row.admitted != (err == nil) {
			t.Errorf("%s at %s: %v", row.host, row.address, err)
		}
	}
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		ip, _, _ := strings.Cut(a.String(), "/")
		if err := (Endpoint{"api.example", 80}).admit(net.JoinHostPort(ip, "80")); err == nil {
			t.Errorf("the address %s of this machine was admitted", ip)
		}
	}
}

func TestAGateConnectsWithTheHost(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	c, err := dial(t.Context(), Endpoint{"localhost", uint16(l.Addr().(*net.TCPAddr).Port)})
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}
