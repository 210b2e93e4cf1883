package guard

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// saveEvery is the interval at which the file of sessions is updated. An expired session may stay in the file for this
// long, and when the hub is killed, the uses of sessions during this time are lost.
const saveEvery = 10 * time.Minute

// sessionFile is the file that keeps sessions while the hub is stopped. It contains no token and no key that opens a
// session, and only the user can read it.
type sessionFile struct {
	name string // path of the file; if empty, sessions end with the hub
	log  *slog.Logger
}

// savedSession is a session in the file of sessions.
type savedSession struct {
	ID       string    `json:"id"`
	Address  string    `json:"address"`    // of the hub, as host:port
	Key      string    `json:"public_key"` // Keys.Page
	ProofKey string    `json:"proof_key"`
	Used     time.Time `json:"used"` // time of the last use
}

// SessionOptions configure OpenSessions. The zero value is for tests.
type SessionOptions struct {
	Address   string           // of the hub, as host:port
	File      string           // keeps sessions while the hub is stopped; if empty, sessions end with the hub
	Redirects Redirects        // writes the files that open pages in a browser
	Now       func() time.Time // nil means time.Now
	Log       *slog.Logger     // required if File is set
}

// OpenSessions returns the sessions of a hub. From o.File, it restores the sessions that were opened at o.Address,
// because a page that was opened at another address cannot reach this hub. It omits expired and malformed entries.
func OpenSessions(o SessionOptions) *Sessions {
	if o.Now == nil {
		o.Now = time.Now
	}
	ss := &Sessions{
		now: o.Now, address: o.Address, instance: instance.NewSecret()[:32], file: sessionFile{o.File, o.Log}, redirects: o.Redirects,
		tickets: make(map[digest]ticket), sessions: make(map[string]*Session), tokens: make(map[digest]*Session),
	}
	if o.Redirects.Folder != "" {
		o.Redirects.sweep()
	}
	if o.File != "" {
		ss.restore()
	}
	return ss
}

func (ss *Sessions) restore() {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	var saved []savedSession
	data, err := paths.ReadFile(ss.file.name)
	if err == nil {
		err = json.Unmarshal(data, &saved)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		ss.file.log.Warn("could not restore browser sessions; open the dashboard again", "error", err)
	}
	slices.SortStableFunc(saved, func(a, b savedSession) int { return b.Used.Compare(a.Used) })
	now := ss.now()
	for _, k := range saved[:min(len(saved), maxSessions)] {
		key, err := ParseKey(k.Key)
		if err != nil || k.ID == "" || len(k.ProofKey) != secretLength || k.Address != ss.address {
			continue
		}
		used := k.Used
		if now.Before(used) { // the clock was set back
			used = now
		}
		ss.sessions[k.ID] = newSession(k.ID, k.ProofKey, Keys{Page: key}, used)
	}
	ss.unsaved = len(saved) > 0
	ss.sync()
}

// Run keeps the file of sessions up to date until ctx ends, and then ends all tickets.
func (ss *Sessions) Run(ctx context.Context) {
	defer ss.endTickets()
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
		if s.keys.Page == nil {
			continue
		}
		key, err := s.keys.Page.Bytes()
		if err != nil {
			continue
		}
		saved = append(saved, savedSession{s.id, ss.address, hex.EncodeToString(key), s.proofKey, s.used.UTC()})
	}
	slices.SortFunc(saved, func(a, b savedSession) int { return cmp.Compare(a.ID, b.ID) })
	data, _ := json.MarshalIndent(saved, "", "  ") // cannot fail for these types
	if err := paths.WriteFile(ss.file.name, append(data, '\n')); err != nil {
		ss.file.log.Warn("could not save browser sessions; they end with the hub", "error", err)
	}
}
