package registry

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

func TestHealthFollowsStartsExitsAndChecks(t *testing.T) {
	synctest.Test(t, healthFollowsStartsExitsAndChecks)
}

func healthFollowsStartsExitsAndChecks(t *testing.T) {
	r, _, changes := open(t)
	add(t, r, "a")
	<-changes
	before, _ := r.Get("a")
	broken := fault.New(fault.Failed, "it exited")
	for _, step := range []struct {
		what    string
		note    func(context.Context, string, error) error
		failure error
		status  string
		errors  int
		last    string
		checked bool
		silent  bool // the health does not change, so no event is published
	}{
		{"the first start", r.NoteStart, nil, "unknown", 0, "", false, false},
		{"a start", r.NoteStart, nil, "unknown", 0, "", false, true},
		{"a failed start", r.NoteStart, broken, "unknown", 1, "it exited", false, false},
		{"a second failed start", r.NoteStart, broken, "unknown", 2, "it exited", false, false},
		{"a start", r.NoteStart, nil, "unknown", 0, "", false, false},
		{"an unexpected exit", r.NoteDeath, broken, "unhealthy", 1, "it exited", false, false},
		{"a failed start", r.NoteStart, broken, "unhealthy", 2, "it exited", false, false},
		{"a start after the exit", r.NoteStart, nil, "healthy", 0, "", false, false},
		{"a failed check", r.NoteCheck, broken, "unhealthy", 1, "it exited", true, false},
		{"a second failed check", r.NoteCheck, broken, "unhealthy", 2, "it exited", true, false},
		{"a check", r.NoteCheck, nil, "healthy", 0, "", true, false},
		{"a failed start", r.NoteStart, broken, "healthy", 1, "it exited", true, false},
	} {
		time.Sleep(time.Second) // the clock of Windows may not move between two steps
		if err := step.note(t.Context(), "a", step.failure); err != nil {
			t.Fatal(err)
		}
		s, _ := r.Get("a")
		if h := s.Health; h.Status != step.status || h.Errors != step.errors || h.LastError != step.last ||
			h.CheckedAt.IsZero() == step.checked {
			t.Errorf("after %s: %+v", step.what, h)
		}
		if !s.UpdatedAt.Equal(before.UpdatedAt) {
			t.Errorf("%s changed UpdatedAt", step.what)
		}
		if published := len(changes) > 0; published == step.silent {
			t.Errorf("%s published an event: %v, want %v", step.what, published, !step.silent)
		} else if published {
			<-changes
		}
	}
	if err := r.NoteCheck(t.Context(), "none", nil); fault.KindOf(err) != fault.NotFound {
		t.Errorf("got %v", err)
	}
}
