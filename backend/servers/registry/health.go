package registry

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// NoteStart notes how a start went: nil when it did well. A failure counts, but
// what the last check showed stands; a start that did well takes back what a
// death or a check has shown before.
func (r *Registry) NoteStart(ctx context.Context, name string, failure error) error {
	return r.note(ctx, name, func(h *Health) {
		h.failed(failure)
		if failure == nil && h.Status == "unhealthy" {
			h.Status = "healthy"
		}
	})
}

// NoteCheck notes what a check has shown: nil for health.
func (r *Registry) NoteCheck(ctx context.Context, name string, failure error) error {
	return r.note(ctx, name, func(h *Health) {
		h.failed(failure)
		h.CheckedAt = time.Now().UTC()
		if h.Status = "healthy"; failure != nil {
			h.Status = "unhealthy"
		}
	})
}

// NoteDeath notes that a running server has ended by itself.
func (r *Registry) NoteDeath(ctx context.Context, name string, why error) error {
	return r.note(ctx, name, func(h *Health) {
		h.failed(why)
		h.Status = "unhealthy"
	})
}

func (h *Health) failed(failure error) {
	if failure == nil {
		h.LastError = ""
		return
	}
	h.LastError = fault.MessageOf(failure)
	h.Errors++
}

// note changes a server's health. It does not count as a change by a person.
func (r *Registry) note(ctx context.Context, name string, edit func(*Health)) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	s, err := r.Get(name)
	if err != nil {
		return err
	}
	was := s.Health
	if edit(&s.Health); s.Health == was {
		return nil
	}
	return r.replace(ctx, s)
}
