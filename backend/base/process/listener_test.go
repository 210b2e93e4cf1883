package process

import (
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestTheProcessThatListensOnAPortIsFound(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		t.Skip("this system does not say who listens on a port")
	}
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Skip("no address", address)
		}
		port := listener.Addr().(*net.TCPAddr).Port
		owner, ok := OwnerOf(t.Context(), port)
		if !ok || owner.PID != os.Getpid() || !strings.HasPrefix(owner.String(), "process ") {
			t.Errorf("%s: %v %v", address, owner, ok)
		}
		_ = listener.Close()
		if owner, ok := OwnerOf(t.Context(), port); ok {
			t.Errorf("%s: after the end, the port belongs to %v", address, owner)
		}
	}
}

func TestAnswersOfOtherSystemsNameTheListener(t *testing.T) {
	if l, ok := ownerInLsof("p4711\ncpython3.11\nf3\np4712\ncother\n"); !ok || l.String() != "process 4711, python3.11" {
		t.Errorf("lsof: %v %v", l, ok)
	}
	if l, ok := ownerInLsof(""); ok {
		t.Errorf("lsof without an answer: %v", l)
	}
	netstat := "\r\nAktive Verbindungen\r\n\r\n  Proto  Lokale Adresse         Remoteadresse          Status           PID\r\n" +
		"  TCP    127.0.0.1:13424        0.0.0.0:0              ABHÖREN         8\r\n" +
		"  TCP    127.0.0.1:3424         127.0.0.1:50000        HERGESTELLT     9\r\n" +
		"  TCP    127.0.0.1:3424         0.0.0.0:0              ABHÖREN         4711\r\n"
	if l, ok := ownerInNetstat(netstat, 3424); !ok || l.String() != "process 4711" {
		t.Errorf("netstat: %v %v", l, ok)
	}
}
