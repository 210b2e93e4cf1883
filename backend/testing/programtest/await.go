package programtest

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// deadline limits how long a test waits for an event. Only a broken program needs that
// long.
const deadline = 3 * time.Minute

// Eventually waits until a condition holds. what describes it in failures, as in "the
// hub is ready".
func Eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	if err := Await(func() (bool, error) { return holds(), nil }); err != nil {
		t.Fatalf("timed out waiting until %s", what)
	}
}

var errTimeout = errors.New("timed out")

// Await calls holds until it returns true or an error. It returns that error, or one for
// a timeout.
func Await(holds func() (bool, error)) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	timeout := time.After(deadline)
	for {
		if ok, err := holds(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-timeout:
			return errTimeout
		}
	}
}

// Contains fails the test if a text does not contain all parts.
func Contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("expected %q in:\n%s", part, text)
		}
	}
}

// Output collects the output of a process. It is safe for concurrent use.
type Output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

var _ io.Writer = (*Output)(nil)

// Write implements io.Writer.
func (c *Output) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.Write(p)
}

// String returns the text collected so far.
func (c *Output) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.text.String()
}
