package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"sync"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Store persists the chain.
type Store interface {
	// AppendAudit stores entries.
	AppendAudit(ctx context.Context, entries []Sealed) error
	// AuditEnds returns the anchor, which is the last entry that DeleteAudit has deleted, and the last stored entry.
	// anchor is zero if no entry was deleted. last equals anchor if no entry is stored.
	AuditEnds(ctx context.Context) (anchor, last Head, err error)
	// AuditEntries returns stored entries in ascending order.
	AuditEntries(ctx context.Context, q Query) ([]Sealed, error)
	// AuditBefore returns the entry before the first entry whose request began at or after the time at. If all
	// requests began earlier, it returns the last entry. If there is no such entry, it returns a zero Head.
	AuditBefore(ctx context.Context, at time.Time) (Head, error)
	// DeleteAudit deletes the entries up to and including through, and stores through as the anchor.
	DeleteAudit(ctx context.Context, through Head) error
}

// Query selects entries. Empty fields select all.
type Query struct {
	After        int64 // selects entries with greater positions
	Before       int64 // selects entries with smaller positions
	Since, Until time.Time
	Client       string
	Server, Tool string
	Outcome      string
	Limit        int  // 0 for any number
	Newest       bool // selects the last entries instead of the first ones, if Limit excludes some
}

// Options configure a log.
type Options struct {
	Store Store
	// File is the path of the file in which the log keeps its head, that is, the position and the hash of its last
	// entry.
	File string
	// Logged returns the heads of the audit log that are found in the hub's ordinary log; see LoggedHeads. It may be
	// nil.
	Logged    func() []Head
	Retention time.Duration // how long entries are kept; 0 keeps them for ever
	Log       *slog.Logger
}

// Log appends entries to the chain and verifies it. It is safe for concurrent use. On a nil *Log, Append calls
// store without entries, and Announce and Trim do nothing.
type Log struct {
	options Options

	trimming sync.RWMutex // held while entries are deleted, and for reading while the chain is verified

	mu   sync.Mutex // held while entries are sealed and stored, so that no two entries follow the same one
	last Head
}

// Open reads the end of the chain. If the chain does not match the head in Options.File, Open adds an entry of kind
// Break, so that Verify keeps reporting the difference.
func Open(ctx context.Context, o Options) (*Log, error) {
	l := &Log{options: o}
	_, last, err := o.Store.AuditEnds(ctx)
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	l.last = last
	note, err := l.compareHead(ctx)
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	if note != "" {
		o.Log.Error("the audit log was changed while no hub was running; see: agent-discover audit verify", "problem", note)
		entries := []Entry{{At: time.Now(), Kind: Break, Note: note}}
		if err := l.Append(entries, func(s []Sealed) error { return o.Store.AppendAudit(ctx, s) }); err != nil {
			o.Log.Error("could not store an entry of the audit log", "error", err)
		}
	}
	l.Announce()
	return l, nil
}

// compareHead compares the stored chain with the head in the file. problem describes the difference, or is empty. A
// chain that is longer than the head says is valid, because a hub that was killed may not have updated the file.
func (l *Log) compareHead(ctx context.Context) (problem string, err error) {
	head, err := l.readHead()
	switch {
	case errors.Is(err, fs.ErrNotExist) && l.last.Seq == 0:
		return "", nil
	case err != nil:
		return "the file with the hash of the last entry is missing or cannot be read, so that entries may be missing at the end", nil
	case head.Seq > l.last.Seq:
		return missing(l.last.Seq+1, head.Seq), nil
	}
	anchor, _, err := l.options.Store.AuditEnds(ctx)
	if err != nil || head.Seq < anchor.Seq {
		return "", err
	}
	found := anchor
	if head.Seq > anchor.Seq {
		at, err := l.options.Store.AuditEntries(ctx, Query{After: head.Seq - 1, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(at) > 0 {
			found = at[0].Head()
		}
	}
	if found != head {
		return fmt.Sprintf("entry %d is not the one that the hub has stored", head.Seq), nil
	}
	return "", nil
}

// Append seals entries and passes them to store. If store returns no error, Append keeps the new head in memory and
// in the file.
func (l *Log) Append(entries []Entry, store func([]Sealed) error) error {
	if l == nil {
		return store(nil)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	sealed := seal(l.last, entries)
	if err := store(sealed); err != nil || len(sealed) == 0 {
		return err
	}
	l.last = sealed[len(sealed)-1].Head()
	head, err := json.Marshal(l.last)
	if err == nil {
		err = paths.WriteFile(l.options.File, append(head, '\n'))
	}
	if err != nil {
		l.options.Log.Warn("could not write the head of the audit log", "file", l.options.File, "error", err)
	}
	return nil
}

func (l *Log) readHead() (h Head, err error) {
	text, err := paths.ReadFile(l.options.File)
	if err != nil {
		return h, err
	}
	return h, json.Unmarshal(text, &h)
}

// Announce writes the head of the audit log to the hub's ordinary log. It does nothing if the audit log is empty.
func (l *Log) Announce() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last.Seq > 0 {
		l.options.Log.Info(headMessage, "seq", l.last.Seq, "sha256", l.last.Hash)
	}
}

// Entries returns entries in ascending order.
func (l *Log) Entries(ctx context.Context, q Query) ([]Sealed, error) {
	return l.options.Store.AuditEntries(ctx, q)
}

// Trim deletes the entries that are older than the retention, whole days (UTC) at a time. The last deleted entry
// becomes the anchor of the chain, and an entry of kind Retention names it.
func (l *Log) Trim(ctx context.Context) error {
	if l == nil || l.options.Retention == 0 {
		return nil
	}
	l.trimming.Lock()
	defer l.trimming.Unlock()
	store := l.options.Store
	through, err := store.AuditBefore(ctx, time.Now().Add(-l.options.Retention).Truncate(24*time.Hour))
	if err != nil || through.Seq == 0 {
		return err
	}
	anchor, _, err := store.AuditEnds(ctx)
	if err != nil || through.Seq <= anchor.Seq {
		return err
	}
	// Append the entry before the deletion, so that the chain is valid even if the hub is killed between these steps.
	note := []Entry{{At: time.Now(), Kind: Retention, Count: through.Seq - anchor.Seq, Through: &through}}
	if err := l.Append(note, func(s []Sealed) error { return store.AppendAudit(ctx, s) }); err != nil {
		return err
	}
	return store.DeleteAudit(ctx, through)
}
