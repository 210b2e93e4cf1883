package process_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/testing/porttest"
)

// nobody is the user whose programs the tests start when they run as root.
const nobody = "65534"

func init() { // the test binary, started as another user
	if port, err := strconv.Atoi(os.Getenv("LISTENER_TEST_PORT")); err == nil {
		owner, found := process.OwnerOf(context.Background(), port)
		fmt.Println(owner, found)
		os.Exit(0)
	}
}

func TestTheProcessThatListensOnAPortIsFound(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "windows" && runtime.GOOS != "darwin" {
		t.Skip("this system does not say who listens on a port")
	}
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"127.0.0.1:0", "0.0.0.0:0", "[::1]:0"} {
		if l, err := net.Listen("tcp", address); err != nil {
			t.Log("this machine has no address", address)
			continue
		} else {
			_ = l.Close()
		}
		other := porttest.Take(t, address, "")
		owner, ok := process.OwnerOf(t.Context(), other.Port)
		if !ok || owner.PID != other.PID || runtime.GOOS == "linux" && owner.User != me.Username || owner.Foreign() {
			t.Errorf("%s: %v %v, want process %d of %s", address, owner, ok, other.PID, me.Username)
		}
		other.End()
		if owner, ok := process.OwnerOf(t.Context(), other.Port); ok {
			t.Errorf("%s: after the end, the port belongs to %v", address, owner)
		}
	}
}

func TestTheProcessIsFoundToWhichTheLoopbackAddressLeads(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux is asked for the addresses")
	}
	for _, addresses := range [][2]string{{"127.0.0.2", "127.0.0.1"}, {"127.0.0.1", "127.0.0.2"}} {
		first := porttest.Take(t, addresses[0]+":0", "")
		second := porttest.Take(t, addresses[1]+":"+strconv.Itoa(first.Port), "")
		want := first.PID
		if addresses[1] == "127.0.0.1" {
			want = second.PID
		}
		if owner, ok := process.OwnerOf(t.Context(), first.Port); !ok || owner.PID != want {
			t.Errorf("%v: %v, want process %d", addresses, owner, want)
		}
	}
}

func TestAProgramOfAnotherUserIsReportedWithItsUser(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux reports the users of other users' sockets")
	}
	other := porttest.Take(t, "127.0.0.1:0", nobody)
	name := nobody
	if u, err := user.LookupId(nobody); err == nil {
		name = u.Username
	}
	if owner, ok := process.OwnerOf(t.Context(), other.Port); !ok || owner.PID != other.PID || owner.User != name || !owner.Foreign() ||
		!strings.HasSuffix(owner.String(), ", of user "+name) {
		t.Errorf("root sees %v %v, want process %d of user %s", owner, ok, other.PID, name)
	}
	mine := porttest.Take(t, "127.0.0.1:0", "")
	ask := exec.Command(publicCopy(t))
	ask.Env, ask.SysProcAttr = []string{"LISTENER_TEST_PORT=" + strconv.Itoa(mine.Port)}, asNobody()
	out, err := ask.CombinedOutput()
	if want := "a process of user root true\n"; err != nil || string(out) != want {
		t.Errorf("another user sees %s, %v, want %s", out, err, want)
	}
}
