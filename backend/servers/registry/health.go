package registry

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// NoteStart records the result of a start; failure is nil if the start
// succeeded. A failed start counts as an error and does not change the status.
// A successful one changes the status "unhealthy" to "healthy" and sets Listed.
func (r *Registry) NoteStart(ctx context.Context, name string, failure error) error {
	return r.note(ctx, name, func(h *Health) {
		h.setError(failure)
		if failure != nil {
			return
		}
		h.Listed = true
		if h.Status == "unhealthy" {
			h.Status = "healthy"
		}
	})
}

// NoteCheck records the result of a health check; failure is nil if the server
// is healthy.
func (r *Registry) NoteCheck(ctx context.Context, name string, failure error) error {
	return r.note(ctx, name, func(h *Health) {
		h.setError(failure)
		h.CheckedAt = time.Now().UTC()
		if h.Status = "healthy"; failure != nil {
			h.Status = "unhealthy"
		}
	})
}

// NoteDeath records that a running server has exited unexpectedly, and why.
func (r *Registry) NoteDeath(ctx context.Context, name string, why error) error {
	return r.note(ctx, name, func(h *Health) {
		h.setError(why)
		h.Status = "unhealthy"
	})
}

// ForgetMissingVariable clears Health.MissingVariable, because the secrets of the
// server have changed and may now include the variable.
func (r *Registry) ForgetMissingVariable(ctx context.Context, name string) error {
	return r.note(ctx, name, func(h *Health) { h.MissingVariable = "" })
}

// setError counts a failure, and keeps its message and the variable that it names. If
// failure is nil, setError clears the count, the message and the variable.
func (h *Health) setError(failure error) {
	if failure == nil {
		h.Errors, h.LastError, h.MissingVariable = 0, "", ""
		return
	}
	h.LastError, h.MissingVariable = fault.MessageOf(failure), fault.VariableOf(failure)
	h.Errors++
}

// note changes a server's health and leaves UpdatedAt as it is.
func (r *Registry) note(ctx context.Context, name string, edit func(*Health)) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	s, err := r.Get(name)
	if err != nil {
		return err
	}
	before := s.Health
	if edit(&s.Health); s.Health == before {
		return nil
	}
	return r.replace(ctx, s)
}
