package api

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// tidyEvery is how long a session may stay in the file after its end, and how
// much of its life may be lost when the hub is killed.
const tidyEvery = 10 * time.Minute

// sessionFile keeps sessions for the next hub: hashes of their tokens, so that
// who reads it cannot come in. Only the user can read it.
type sessionFile struct {
	name string // empty: sessions end with the hub
	log  *slog.Logger
}

// keptSession is a session as it stands in the file.
type keptSession struct {
	ID   string    `json:"id"`
	Hash string    `json:"sha256"` // of its token
	Used time.Time `json:"used"`   // last
}

// restore takes the sessions of the hub before in, but for those that have
// ended. What is in the file and makes no sense is dropped.
func (p *passes) restore(file sessionFile) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.file = file
	if file.name == "" {
		return
	}
	var kept []keptSession
	data, err := os.ReadFile(file.name)
	if err == nil {
		err = json.Unmarshal(data, &kept)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		file.log.Warn("sessions of browsers are not restored; open the page again", "error", err)
	}
	slices.SortStableFunc(kept, func(a, b keptSession) int { return b.Used.Compare(a.Used) })
	now := p.now()
	for _, k := range kept[:min(len(kept), maxSessions)] {
		raw, err := hex.DecodeString(k.Hash)
		if err != nil || len(raw) != len(digest{}) || k.ID == "" {
			continue
		}
		s := newSession(k.ID, digest(raw), k.Used)
		if now.Before(s.used) { // the clock was set back
			s.used = now
		}
		p.sessions[s.key] = s
	}
	p.unsaved = len(kept) > 0
	p.tidyLocked()
}

// run drops sessions that nobody uses from the file until ctx ends.
func (p *passes) run(ctx context.Context) {
	tick := time.NewTicker(tidyEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.tidy()
		case <-ctx.Done():
			p.tidy()
			return
		}
	}
}

func (p *passes) tidy() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tidyLocked()
}

func (p *passes) tidyLocked() {
	for _, s := range p.sessions {
		p.alive(s) // or else removed
	}
	if p.unsaved {
		p.save()
	}
}

// save is called with the lock held.
func (p *passes) save() {
	p.unsaved = false
	if p.file.name == "" {
		return
	}
	kept := make([]keptSession, 0, len(p.sessions))
	for _, s := range p.sessions {
		kept = append(kept, keptSession{s.id, hex.EncodeToString(s.key[:]), s.used.UTC()})
	}
	slices.SortFunc(kept, func(a, b keptSession) int { return cmp.Compare(a.ID, b.ID) })
	data, _ := json.MarshalIndent(kept, "", "  ") // always encodes
	if err := paths.WriteFile(p.file.name, append(data, '\n')); err != nil {
		p.file.log.Warn("sessions of browsers are not kept for the next start", "error", err)
	}
}
