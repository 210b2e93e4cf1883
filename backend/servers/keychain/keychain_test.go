package keychain

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

// fakeKeychain is a keychain with a backend that the test controls.
type fakeKeychain struct {
	*Keychain
	mu     sync.Mutex
	locked bool
	closed chan struct{} // closed by Close
}

func newFakeKeychain() *fakeKeychain {
	s := &fakeKeychain{Keychain: New("folder", false, 8*time.Second), closed: make(chan struct{})}
	s.backend = backend{
		connect: func() (io.Closer, error) { return s, nil },
		check: func(context.Context) (bool, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.locked, nil
		},
	}
	return s
}

// Close closes the connection.
func (s *fakeKeychain) Close() error {
	close(s.closed)
	return nil
}

func (s *fakeKeychain) lock(locked bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.locked = locked
}

func succeed() error { return nil }

func TestCallsFailAtOnceWhileAnOperationHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, answer := newFakeKeychain(), make(chan struct{})
		s.lock(true)
		began := time.Now()
		waits := func() error { <-answer; return nil }
		if err := s.do(t.Context(), waits); !errors.Is(err, ErrBlocked) || time.Since(began) != 8*time.Second {
			t.Errorf("got %[2]v after %[1]s", time.Since(began), err)
		}
		synctest.Wait()
		began, before := time.Now(), runtime.NumGoroutine()
		for range 100 {
			if err := s.do(t.Context(), succeed); !errors.Is(err, ErrBlocked) {
				t.Errorf("got %v", err)
			}
		}
		if took := time.Since(began); took != 0 {
			t.Errorf("the calls took %s", took)
		}
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("the number of goroutines grew from %d to %d", before, n)
		}
		if !s.isHung() {
			t.Error("isHung is false while an operation hangs")
		}
		close(answer) // as if the user had unlocked the keychain
		synctest.Wait()
		if err := s.do(t.Context(), succeed); err != nil || s.isHung() {
			t.Errorf("after it was unlocked: %v", err)
		}
	})
}

func TestQueuedCallsFailWhenAnOperationHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, answer := newFakeKeychain(), make(chan struct{})
		s.lock(true)
		failed := make(chan error)
		go func() { failed <- s.do(t.Context(), func() error { <-answer; return nil }) }()
		synctest.Wait()
		<-time.After(5 * time.Second)
		began := time.Now()
		if err := s.do(t.Context(), succeed); !errors.Is(err, ErrBlocked) || time.Since(began) != 3*time.Second {
			t.Errorf("got %[2]v after %[1]s", time.Since(began), err)
		}
		<-failed
		close(answer)
	})
}

func TestHungOperationsAreAbortedOnceTheKeychainIsUnlocked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeKeychain()
		s.lock(true)
		_ = s.do(t.Context(), func() error { <-s.closed; panic("connection closed") })
		synctest.Wait()
		s.lock(false)
		if err := s.do(t.Context(), succeed); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestHungOperationsAreAbortedAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newFakeKeychain()
		s.lock(true)
		_ = s.do(t.Context(), func() error { <-s.closed; return errors.New("connection closed") })
		<-time.After(abandonAfter)
		synctest.Wait()
		if err := s.do(t.Context(), succeed); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestNoOperationUsesAConnectionThatIsBeingClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, aborted := newFakeKeychain(), make(chan struct{})
		closing := false
		s.backend.connect = func() (io.Closer, error) {
			if closing {
				t.Error("connected while the connection was being closed")
			}
			return closerFunc(func() {
				closing = true
				close(aborted)
				<-time.After(time.Second) // a connection may need time to end its operations before it is closed
				closing = false
			}), nil
		}
		_ = s.do(t.Context(), func() error { <-aborted; return errors.New("connection closed") })
		if err := s.do(t.Context(), succeed); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

type closerFunc func()

func (f closerFunc) Close() error { f(); return nil }

func TestOnlyAHungOperationIsAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, end := newFakeKeychain(), make(chan struct{})
		done := make(chan error)
		go func() { done <- s.do(t.Context(), func() error { <-end; return nil }) }()
		synctest.Wait()
		if !s.tryAbandon(t.Context()) {
			t.Error("tryAbandon reports a hung operation")
		}
		select {
		case <-s.closed:
			t.Error("an operation before its deadline was aborted")
		default:
		}
		close(end)
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

func TestTheKeychainWorksAfterACallerWasCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, answer := newFakeKeychain(), make(chan struct{})
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error)
		go func() { failed <- s.do(ctx, func() error { <-answer; return nil }) }()
		synctest.Wait()
		cancel()
		if err := <-failed; err == nil {
			t.Error("the cancelled call returned no error")
		}
		close(answer)
		if err := s.do(t.Context(), succeed); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestErrorsOfTheKeychainContainNoValue(t *testing.T) {
	s := newFakeKeychain()
	err := s.do(t.Context(), func() error { return errors.New("cannot store correct-horse") })
	if fault.KindOf(err) != fault.Unavailable || strings.Contains(fault.MessageOf(err), "correct-horse") {
		t.Errorf("got %v", err)
	}
}

func TestDataFoldersHaveDifferentIDs(t *testing.T) {
	dir := t.TempDir()
	if folderID(dir) != folderID(dir+"/.") {
		t.Error("two spellings of a path have different IDs")
	}
	if folderID(dir) == folderID(t.TempDir()) {
		t.Error("two folders have the same ID")
	}
}
