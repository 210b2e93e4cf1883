//go:build unix

package upstream_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestRenewWaitsForCallsInFlight(t *testing.T) {
	vault := &oneSecret{value: "first"}
	b := start(t, settings.Limits{}, func(o *upstream.Options) { o.Secrets = vault })
	s := b.add("s")
	b.mode(s)
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	type outcome struct {
		result []byte
		err    error
	}
	held := make(chan outcome, 1)
	go func() {
		result, err := b.call(s, "read", `{"path":`+strconv.Quote(pipe)+`}`)
		held <- outcome{result, err}
	}()
	writer, err := os.OpenFile(pipe, os.O_WRONLY, 0) // blocks until the server reads
	if err != nil {
		t.Fatal(err)
	}
	vault.put("second", nil)
	b.Renew("s")
	if _, err := writer.WriteString("the end"); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	if o := <-held; o.err != nil || !strings.Contains(string(o.result), "the end") {
		t.Errorf("call in flight: %s, %v", o.result, o.err)
	}
	if got := b.mode(s); got != "second" {
		t.Errorf("the server got %q", got)
	}
}
