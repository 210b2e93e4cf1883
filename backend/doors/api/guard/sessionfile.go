package guard

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

// saveEvery is the interval at which the file of sessions is updated. An expired session may stay in the file for this
// long, and when the hub is killed, the uses of sessions during this time are lost.
const saveEvery = 10 * time.Minute

// sessionFile is the file that keeps sessions while the hub is stopped. It contains only hashes of their tokens, which
// grant no access, and only the user can read it.
type sessionFile struct {
	name string // empty: sessions end with the hub
	log  *slog.Logger
}

// savedSession is a session in the file of sessions.
type savedSession struct {
	ID   string    `json:"id"`
	Hash string    `json:"sha256"` // hash of the token
	Used time.Time `json:"used"`   // time of the last use
}

// OpenSessions returns the sessions in a file, without expired and malformed ones. With an empty file name, sessions
// end with the hub. A nil now means time.Now.
func OpenSessions(file string, now func() time.Time, log *slog.Logger) *Sessions {
	if now == nil {
		now = time.Now
	}
	ss := newSessions(now)
	ss.file = sessionFile{file, log}
	if file != "" {
		ss.restore()
	}
	return ss
}

func (ss *Sessions) restore() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	var saved []savedSession
	data, err := os.ReadFile(ss.file.name)
	if err == nil {
		err = json.Unmarshal(data, &saved)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		ss.file.log.Warn("could not restore browser sessions; open the dashboard again", "error", err)
	}
	slices.SortStableFunc(saved, func(a, b savedSession) int { return b.Used.Compare(a.Used) })
	now := ss.now()
	for _, k := range saved[:min(len(saved), maxSessions)] {
		hash, err := hex.DecodeString(k.Hash)
		if err != nil || len(hash) != len(digest{}) || k.ID == "" {
			continue
		}
		s := newSession(k.ID, digest(hash), k.Used)
		if now.Before(s.used) { // the clock was set back
			s.used = now
		}
		ss.sessions[s.key] = s
	}
	ss.unsaved = len(saved) > 0
	ss.sync()
}

// Run keeps the file of sessions up to date until ctx ends.
func (ss *Sessions) Run(ctx context.Context) {
	tick := time.NewTicker(saveEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
		ss.mu.Lock()
		ss.sync()
		ss.mu.Unlock()
	}
}

// sync ends expired sessions and writes the file if anything has changed. Like save, it is called with mu held.
func (ss *Sessions) sync() {
	ss.endExpired()
	if ss.unsaved {
		ss.save()
	}
}

func (ss *Sessions) save() {
	ss.unsaved = false
	if ss.file.name == "" {
		return
	}
	saved := make([]savedSession, 0, len(ss.sessions))
	for _, s := range ss.sessions {
		saved = append(saved, savedSession{s.id, hex.EncodeToString(s.key[:]), s.used.UTC()})
	}
	slices.SortFunc(saved, func(a, b savedSession) int { return cmp.Compare(a.ID, b.ID) })
	data, _ := json.MarshalIndent(saved, "", "  ") // cannot fail for these types
	if err := paths.WriteFile(ss.file.name, append(data, '\n')); err != nil {
		ss.file.log.Warn("could not save browser sessions; they end with the hub", "error", err)
	}
}
