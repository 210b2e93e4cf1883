package backend

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agent-discover/agent-discover/backend/fault"
)

func TestLogHoldsNoCredentials(t *testing.T) {
	cause := errors.New("the server wrote: plain-looking-credential")
	failure := fault.Wrap(cause, fault.Failed, "the server does not start")
	internal := fault.Wrap(cause, fault.Internal, "the port failed")
	for _, test := range []struct {
		value any
		want  string
	}{
		{failure, "the server does not start"},
		{fmt.Errorf("refresh: %w", failure), "the server does not start"},
		{errors.Join(failure, errors.New("and more")), "the server does not start"},
		{internal, "the port failed"},
		{fmt.Errorf("outer: %w", internal), "the port failed"},
		{errors.New("disk full for API_KEY=plain-looking-credential"), "disk full"},
		{"--token plain-looking-credential", "--token"},
	} {
		var out bytes.Buffer
		newLog(&out, nil).Warn("it failed", "error", test.value)
		if strings.Contains(out.String(), "plain-looking-credential") || !strings.Contains(out.String(), test.want) {
			t.Errorf("%v is logged as %s", test.value, out.String())
		}
	}
}
