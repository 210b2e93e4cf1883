//go:build unix

package instance

import (
	"errors"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// playWindows does nothing, because only Windows starts hubs by scheduled tasks.
func playWindows() {}

func TestAHubThatIsKilledWhileItStartsIsStartedAgain(t *testing.T) {
	dead := endOf(exec.CommandContext(t.Context(), "sh", "-c", "kill -9 $$").Run(), func() string { return "" })
	for kills, ok := range map[int]bool{0: true, 2: true, 3: false} {
		l := launch{folder: folder(t), args: []string{"hub"}}
		synctest.Test(t, func(t *testing.T) {
			starts := 0
			ended := make(chan error, kills)
			for range kills {
				ended <- dead
			}
			w := begins("way", ended, func() {
				if starts++; starts > kills {
					announce(t, l)
				}
			})
			_, err := l.inTurn(t.Context(), []way{w})
			if (err == nil) != ok || starts != min(kills+1, 3) {
				t.Errorf("after %d kills: %d starts, %v", kills, starts, err)
			}
			if err != nil && !strings.Contains(fault.MessageOf(err), "the program ended at once with signal: killed (way)") {
				t.Error(err)
			}
		})
	}
	if _, other := errors.AsType[killed](endOf(errors.New("exit status 1"), func() string { return "" })); other {
		t.Error("a program that has ended itself counts as killed")
	}
}
