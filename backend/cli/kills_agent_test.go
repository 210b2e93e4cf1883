//go:build linux

package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/agent-discover/agent-discover/backend/calls/audit"
	"github.com/agent-discover/agent-discover/backend/testing/programtest"
)

// killedAgent is an agent that calls tools while hubs are killed.
type killedAgent struct {
	k        *killing
	client   *programtest.Client
	calls    int      // number of calls
	lost     int      // number of calls that were in flight when their hub was killed, and have failed
	answered []string // arguments of the calls that have succeeded
	fresh    []string // those of them that were not looked for in the audit log yet

	mu       sync.Mutex
	inFlight string          // arguments of the call that is in flight
	excused  map[string]bool // arguments of calls that were in flight when a hub was killed, and of the next ones
	unseen   bool            // a hub was killed, which the companion may not have noticed before the next call
}

// attach starts another editor in the place of the one before.
func (a *killedAgent) attach() {
	a.k.t.Helper()
	if a.client != nil {
		a.client.Close()
	}
	a.client, a.excused = a.k.h.Attach(), make(map[string]bool)
}

// killHub kills all hubs, also one that is about to start, and returns how many it has killed. No call begins meanwhile.
func (a *killedAgent) killHub() (killed int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.excused[a.inFlight], a.unseen = true, true
	for _, pid := range a.k.h.Processes(" serve") {
		if syscall.Kill(pid, syscall.SIGKILL) != nil {
			continue // it has just ended
		}
		killed = 1
		_ = programtest.Await(func() (bool, error) { return gone(pid), nil })
	}
	return killed
}

// gone reports whether a killed process has closed its connections. Its first thread may be a zombie before the others have
// ended.
func gone(pid int) bool {
	threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	return len(threads) <= 1 && !programtest.Alive(pid)
}

// callUntil calls a tool until done is closed, and once more after that. It returns the failures of calls that were not
// in flight when a hub was killed.
func (a *killedAgent) callUntil(done <-chan struct{}) (wrong []string) {
	for last := false; !last; {
		select {
		case <-done:
			last = true
		default:
		}
		if answer, ok := a.call(); !ok {
			wrong = append(wrong, answer)
		}
	}
	return wrong
}

// call makes one call. It reports whether the answer is right, or says that the outcome is unknown because
// the hub was killed.
func (a *killedAgent) call() (answer string, ok bool) {
	a.calls++
	arguments := fmt.Sprintf(`{"text":"call %d"}`, a.calls)
	a.mu.Lock()
	a.inFlight = arguments
	a.excused[arguments], a.unseen = a.unseen, false
	a.mu.Unlock()
	m := a.client.Ask("tools/call", programtest.ToolParams("fake__echo", arguments))
	a.mu.Lock()
	defer a.mu.Unlock()
	a.inFlight = ""
	if m.Error == nil && strings.Contains(string(m.Result), fmt.Sprintf(`"text":"call %d"`, a.calls)) {
		a.fresh = append(a.fresh, arguments)
		return "", true
	}
	if a.excused[arguments] && strings.Contains(m.Line, "outcome is unknown") {
		a.lost++
		return "", true
	}
	return m.Line, false
}

// checkAudit checks that the audit log is intact and names each new answered call exactly once.
func (a *killedAgent) checkAudit(since time.Time) {
	a.k.t.Helper()
	if out := a.k.h.Run("audit", "verify"); out.Code != 0 {
		a.k.t.Fatalf("audit verify: %+v", out)
	}
	a.checkEntries(a.fresh, "--since", since.UTC().Format(time.RFC3339))
	a.answered, a.fresh = append(a.answered, a.fresh...), nil
}

// checkEntries checks that each of some calls has one entry in an export of the audit log.
func (a *killedAgent) checkEntries(calls []string, export ...string) {
	a.k.t.Helper()
	var wrong []string
	err := programtest.Await(func() (bool, error) {
		outcomes := make(map[string][]string) // by hash of the arguments
		for line := range strings.Lines(a.k.h.Must(append([]string{"audit", "export"}, export...)...)) {
			var e audit.Entry
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				return false, err
			}
			outcomes[e.ArgumentsSHA256] = append(outcomes[e.ArgumentsSHA256], e.Outcome)
		}
		wrong = nil
		for _, arguments := range calls {
			sum := sha256.Sum256([]byte(arguments))
			if got := outcomes[hex.EncodeToString(sum[:])]; !slices.Equal(got, []string{"ok"}) {
				wrong = append(wrong, fmt.Sprintf("%s %q", arguments, got))
			}
		}
		return len(wrong) == 0, nil
	})
	if err != nil {
		a.k.t.Errorf("%v: %d answered calls are not in the audit log once: %s", err, len(wrong), strings.Join(wrong, "; "))
	}
}
