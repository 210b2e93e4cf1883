package secrets

import (
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// stand is a keychain whose desk a test plays.
type stand struct {
	*keychain
	mu     sync.Mutex
	locked bool
	cut    chan struct{} // closed when its connection is
}

func newStand() *stand {
	s := &stand{keychain: newKeychain("folder", false, 8*time.Second), cut: make(chan struct{})}
	s.desk = desk{
		connect: func() (io.Closer, error) { return s, nil },
		look: func(context.Context) (bool, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.locked, nil
		},
	}
	return s
}

// Close is the end of the connection.
func (s *stand) Close() error {
	close(s.cut)
	return nil
}

func (s *stand) lock(locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locked = locked
}

func works() error { return nil }

func TestWhileOneOperationHangsOthersAreAnsweredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, answer := newStand(), make(chan struct{})
		s.lock(true)
		began := time.Now()
		waits := func() error { <-answer; return nil }
		if err := s.do(t.Context(), waits); !errors.Is(err, errWaits) || time.Since(began) != 8*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		synctest.Wait()
		began, before := time.Now(), runtime.NumGoroutine()
		for range 100 {
			if err := s.do(t.Context(), works); !errors.Is(err, errWaits) {
				t.Errorf("got %v", err)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the answers took %s", took)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines became %d", before, n)
		}
		if !s.hangs() {
			t.Error("nothing hangs")
		}
		close(answer) // the user has unlocked it
		synctest.Wait()
		if err := s.do(t.Context(), works); err != nil || s.hangs() {
			t.Errorf("when it is unlocked: %v", err)
		}
	})
}

func TestWhoWaitsForAnOperationThatThenHangsIsAnsweredToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, answer := newStand(), make(chan struct{})
		s.lock(true)
		failed := make(chan error)
		go func() { failed <- s.do(t.Context(), func() error { <-answer; return nil }) }()
		synctest.Wait()
		<-time.After(5 * time.Second) // a bubble's time
		began := time.Now()
		if err := s.do(t.Context(), works); !errors.Is(err, errWaits) || time.Since(began) != 3*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		<-failed
		close(answer)
	})
}

func TestOperationThatNobodyWillAnswerIsGivenUpWhenTheKeychainIsOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand()
		s.lock(true)
		_ = s.do(t.Context(), func() error { <-s.cut; panic("the library, cut off") })
		synctest.Wait()
		s.lock(false)
		if err := s.do(t.Context(), works); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestOperationThatHangsIsGivenUpAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStand()
		s.lock(true)
		_ = s.do(t.Context(), func() error { <-s.cut; return errors.New("cut off") })
		<-time.After(patience)
		synctest.Wait()
		if err := s.do(t.Context(), works); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestWhoeverGoesAwayLeavesTheKeychainUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, answer := newStand(), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan error)
		go func() { gone <- s.do(ctx, func() error { <-answer; return nil }) }()
		synctest.Wait()
		cancel()
		if err := <-gone; err == nil {
			t.Error("it went well")
		}
		close(answer)
		if err := s.do(t.Context(), works); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestErrorOfTheKeychainTellsNothingOfTheValue(t *testing.T) {
	s := newStand()
	err := s.do(t.Context(), func() error { return errors.New("cannot store correct-horse") })
	if fault.KindOf(err) != fault.Unavailable || strings.Contains(fault.MessageOf(err), "correct-horse") {
		t.Errorf("got %v", err)
	}
}

func TestDataFoldersHaveNamesOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	if nameOf(dir) != nameOf(dir+"/.") && nameOf(dir) == nameOf(t.TempDir()) {
		t.Error("two folders have one name")
	}
	if nameOf(dir) == nameOf(t.TempDir()) {
		t.Error("two folders have one name")
	}
}
