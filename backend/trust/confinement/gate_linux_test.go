package confinement

import (
	"fmt"
	"net"
	"strconv"
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	_, text, _ := net.SplitHostPort(l.Addr().String())
	port, err := strconv.ParseUint(text, 10, 16)
	if err != nil {
		t.Fatal(err)
	}
	for host, reached := range map[string]bool{"localhost": true, "127.0.0.1": true, "localhost.": false} {
		c, err := dial(t.Context(), Endpoint{host, uint16(port)})
		if err == nil {
			_ = c.Close()
		}
		if reached != (err == nil) {
			t.Errorf("%s: %v", host, err)
		}
	}
}
