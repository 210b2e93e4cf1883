//go:build unix

package upstream_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

func TestAServerThatWritesHasMoreTimeAndAnErrorNamesItsLimit(t *testing.T) {
	upstream.LimitStarts(t, 2)
	b := start(t, settings.Limits{StartTimeout: time.Hour})
	for name, row := range map[string]struct {
		script string
		want   []string
	}{
		"busy": {"while :; do echo building >&2; sleep 0.1; done", []string{"within 4s, although it kept writing"}},
		"silent": {"exec sleep 60", []string{
			"within 2s", "its own start timeout of 2s", "limits.start_timeout", "servers edit silent --start-timeout TIME",
		}},
	} {
		s, err := b.servers.Add(t.Context(), registry.Server{
			Name: name, Approved: true, Command: "sh", Args: []string{"-c", row.script},
			Timeouts: registry.Timeouts{Start: 2 * time.Second},
		})
		if err != nil {
			t.Fatal(err)
		}
		err = b.Start(t.Context(), s)
		for _, want := range row.want {
			if fault.KindOf(err) != fault.Timeout || !strings.Contains(fault.MessageOf(err), want) {
				t.Errorf("%s lacks %q: %v", name, want, err)
			}
		}
	}
}

func TestTheTimeoutOfATransientServerNamesOnlyTheSetting(t *testing.T) {
	b := start(t, settings.Limits{StartTimeout: 100 * time.Millisecond})
	err := b.Start(t.Context(), registry.Server{
		Name: "passing", Transport: "stdio", Approved: true, Command: "sleep", Args: []string{"60"},
	})
	if !strings.Contains(fault.MessageOf(err), "raise limits.start_timeout in config.yaml.") {
		t.Errorf("got %v", err)
	}
}

// listsOnce is a script of a server that answers only the first tools/list.
const listsOnce = `while read -r line; do
	id=$(printf %s "$line" | sed 's/.*"id":\([^,}]*\).*/\1/')
	result=
	case $line in
	*'"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}' ;;
	*'"tools/list"'*) [ -n "$listed" ] || result='{"tools":[]}'; listed=yes ;;
	esac
	[ -z "$result" ] || printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done`

func TestATimeoutOfAListNamesTheLimitOfTheStart(t *testing.T) {
	b := start(t, settings.Limits{StartTimeout: time.Hour})
	s, err := b.servers.Add(t.Context(), registry.Server{Name: "slow", Approved: true, Command: "sh", Args: []string{"-c", listsOnce}})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Start(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	s.Timeouts.Start = 100 * time.Millisecond
	err = b.Refresh(t.Context(), s)
	for _, want := range []string{
		"did not list all its tools within", "a start timeout of its own", "with: agent-discover servers edit slow --start-timeout TIME",
	} {
		if fault.KindOf(err) != fault.Timeout || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

func TestAServerHasItsOwnLimitForCalls(t *testing.T) {
	b := start(t, settings.Limits{CallTimeout: time.Hour})
	b.add("s")
	s, err := b.servers.Update(t.Context(), "s", func(s *registry.Server) { s.Timeouts.Call = 100 * time.Millisecond })
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.call(s, "hold", `{"key":"k"}`)
	for _, want := range []string{"within 100ms", "its own call timeout", "limits.call_timeout", "edit s --call-timeout TIME"} {
		if fault.KindOf(err) != fault.Timeout || !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("the error lacks %q: %v", want, err)
		}
	}
}

func TestAServerStartsInItsFolder(t *testing.T) {
	b := start(t, settings.Limits{})
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := b.add("s")
	for dir, want := range map[string]string{
		folder: "in " + folder, "${env:PLACE}": "in " + folder, "~": "in /",
		"/no/such/folder":     "its working folder /no/such/folder does not exist",
		"${env:NOT_SET_HERE}": "the working folder refers to the variable NOT_SET_HERE", "/dev/null": "/dev/null is not a folder",
	} {
		s, err := b.servers.Update(t.Context(), s.Name, func(s *registry.Server) {
			s.Dir, s.Command, s.Args = dir, "sh", []string{"-c", `echo "in $(pwd -P)" >&2`}
			s.Env = map[string]string{"PLACE": folder}
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Start(t.Context(), s); !strings.Contains(fault.MessageOf(err), want) {
			t.Errorf("%s: got %v, want %q", dir, err, want)
		}
	}
}
