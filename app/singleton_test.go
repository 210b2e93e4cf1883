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

func take(t *testing.T, folder paths.Folder, v activation) *singleton {
	t.Helper()
	s, err := acquireSingleton(t.Context(), folder, "window", v)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestASecondStartTellsTheFirst(t *testing.T) {
	folder := dataFolder(t)
	first := take(t, folder, activation{Page: "/"})
	visits := make(chan activation, 1)
	go first.serve(func(v activation) { visits <- v })
	if second := take(t, folder, activation{Page: "/servers", Token: "token_TIME7"}); second != nil {
		t.Fatal("there are two")
	}
	if v := <-visits; v.Page != "/servers" || v.Token != "token_TIME7" {
		t.Errorf("the first was told %+v", v)
	}
	if err := first.leave(); err != nil {
		t.Fatal(err)
	}
	third := take(t, folder, activation{})
	if third == nil {
		t.Fatal("the singleton was not given up")
	}
	if err := third.leave(); err != nil {
		t.Fatal(err)
	}
}

func TestWhatADeadWindowLeftBehindIsNoWindow(t *testing.T) {
	folder := dataFolder(t)
	left, err := json.Marshal(rendezvous{Address: "127.0.0.1:1", Secret: "old"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(folder.Run("window.json"), left, 0o600); err != nil {
		t.Fatal(err)
	}
	s := take(t, folder, activation{})
	if s == nil {
		t.Fatal("nobody has the singleton, and it was not given")
	}
	if err := s.leave(); err != nil {
		t.Fatal(err)
	}
}

func TestStrangersAreNotListenedTo(t *testing.T) {
	folder := dataFolder(t)
	first := take(t, folder, activation{})
	visits := make(chan activation, 10)
	go first.serve(func(v activation) { visits <- v })
	for _, line := range []string{"", "\n", "GET / HTTP/1.1\r\n\r\n", "{}\n", `{"secret":"guess","page":"/stranger"}` + "\n"} {
		conn, err := net.Dial("tcp", first.rendezvous.Address)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		_ = conn.(*net.TCPConn).CloseWrite() // the window may have closed it
		_, _ = conn.Read(make([]byte, 1))    // it answers nothing
		_ = conn.Close()
	}
	if second := take(t, folder, activation{Page: "/mine"}); second != nil {
		t.Fatal("there are two")
	}
	if v := <-visits; v.Page != "/mine" {
		t.Errorf("a stranger was heard: %+v", v)
	}
	if err := first.leave(); err != nil {
		t.Fatal(err)
	}
}
