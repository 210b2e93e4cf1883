package app

import (
	"encoding/json"
	"net"
	"os"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

func dataFolder(t *testing.T) paths.Folder {
	t.Helper()
	folder := paths.Folder(t.TempDir())
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	return folder
}

// acquire calls acquireSingleton for the name "window".
func acquire(t *testing.T, folder paths.Folder, v activation) *singleton {
	t.Helper()
	s, err := acquireSingleton(t.Context(), folder, "window", v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASecondStartPassesItsRequestToTheFirst(t *testing.T) {
	folder := dataFolder(t)
	first := acquire(t, folder, activation{Page: "/"})
	activations := make(chan activation, 1)
	go first.serve(func(v activation) { activations <- v })
	if second := acquire(t, folder, activation{Page: "/servers", Token: "token_TIME7"}); second != nil {
		t.Fatal("a second start acquired the singleton")
	}
	if v := <-activations; v.Page != "/servers" || v.Token != "token_TIME7" {
		t.Errorf("the first start received %+v", v)
	}
	if err := first.leave(); err != nil {
		t.Fatal(err)
	}
	third := acquire(t, folder, activation{})
	if third == nil {
		t.Fatal("leave did not release the singleton")
	}
	if err := third.leave(); err != nil {
		t.Fatal(err)
	}
}

func TestTheFileOfACrashedWindowIsIgnored(t *testing.T) {
	folder := dataFolder(t)
	stale, err := json.Marshal(rendezvous{Address: "127.0.0.1:1", Secret: "old"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.Run("window.json"), stale, 0o600); err != nil {
		t.Fatal(err)
	}
	s := acquire(t, folder, activation{})
	if s == nil {
		t.Fatal("the singleton was not acquired, although no window has it")
	}
	if err := s.leave(); err != nil {
		t.Fatal(err)
	}
}

func TestActivationsWithoutTheSecretAreIgnored(t *testing.T) {
	folder := dataFolder(t)
	first := acquire(t, folder, activation{})
	activations := make(chan activation, 10)
	go first.serve(func(v activation) { activations <- v })
	for _, line := range []string{"", "\n", "GET / HTTP/1.1\r\n\r\n", "{}\n", `{"secret":"guess","page":"/guessed"}` + "\n"} {
		conn, err := net.Dial("tcp", first.rendezvous.Address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).CloseWrite() // an error means that the window has closed the connection
		_, _ = conn.Read(make([]byte, 1))    // waits until the window closes the connection
		_ = conn.Close()
	}
	if second := acquire(t, folder, activation{Page: "/mine"}); second != nil {
		t.Fatal("a second start acquired the singleton")
	}
	if v := <-activations; v.Page != "/mine" {
		t.Errorf("an activation without the secret was accepted: %+v", v)
	}
	if err := first.leave(); err != nil {
		t.Fatal(err)
	}
}
