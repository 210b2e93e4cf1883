package audit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
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
	// Begun is the path of the file with the requests that have begun; see Begun. If it is empty, they are not kept.
	Begun string
	// Logged returns the heads of the audit log that are found in the hub's ordinary log; see LoggedHeads. It may be
	// nil.
	Logged    func() []Head
	Retention time.Duration // how long entries are kept; 0 keeps them for ever
	Log       *slog.Logger
}

// Log appends entries to the chain and verifies it. It is safe for concurrent use. On a nil *Log, Append calls
// store without entries, Expired assumes the real time, and the other methods except Entries and Verify do nothing.
type Log struct {
	options Options
	clock   clock
	begun   *Begun
	unbegun error   // why the file of begun requests cannot be used
	left    []Entry // see Left

	trimming sync.RWMutex // held while entries are deleted, and for reading while the chain is verified

	mu   sync.Mutex // held while entries are sealed and stored, so that no two entries follow the same one
	last Head
}

// kept is the content of the file with the head.
type kept struct {
	Head
	// Running reports whether a hub appends to the chain. It stays true if the hub is killed.
	Running bool `json:"running,omitempty"`
	// Trusted is the time that the hub assumed when it deleted old entries; see clock.
	Trusted time.Time `json:"trusted,omitzero"`
}

// Open reads the end of the chain. If the chain does not match the head in Options.File, Open adds an entry of kind
// Break, so that Verify keeps reporting the difference. If the last hub was killed and its list of begun requests is
// missing or damaged, or if the list counts requests that it could not contain, Open adds an entry of kind Lost. The
// caller must call Close.
func Open(ctx context.Context, o Options) (*Log, error) {
	l := &Log{options: o}
	_, last, err := o.Store.AuditEnds(ctx)
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	l.last = last
	before, headErr := l.readHead()
	note, err := l.compareHead(ctx, before.Head, headErr)
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	l.clock = newClock(before.Trusted)
	left, err := l.openBegun(ctx)
	if err != nil {
		return nil, fmt.Errorf("open audit log: %w", err)
	}
	if note != "" {
		o.Log.Error("the audit log was changed while no hub was running; see: agent-discover audit verify", "problem", note)
		l.note(ctx, Entry{Kind: Break, Note: note})
	}
	l.noteLost(ctx, left, before.Running)
	l.keepHead(true)
	l.Announce()
	return l, nil
}

// noteLost notes the entries that the last hub has lost. killed reports whether it was killed.
func (l *Log) noteLost(ctx context.Context, left Leftover, killed bool) {
	if killed && !left.Whole {
		how := "missing or cannot be read"
		if left.Existed {
			how = "damaged"
		}
		l.options.Log.Error("the last hub was killed, and its list of calls in flight is " + how + "; see: agent-discover audit verify")
		l.note(ctx, Entry{Kind: Lost, Note: "the hub was killed, and the file with the calls that it had begun is " + how})
	}
	if left.Missing == 0 {
		return
	}
	since := left.Since.Format("2006-01-02 15:04:05")
	l.options.Log.Error("the last hub could not store all entries of the audit log; see: agent-discover audit verify",
		"count", left.Missing, "since", since)
	if l.note(ctx, Entry{Kind: Lost, Count: left.Missing, Note: "the disk did not take entries from " + since + " (UTC) on"}) {
		l.begun.Noted()
	}
}

// note appends an entry of the log itself. It reports whether the entry is stored.
func (l *Log) note(ctx context.Context, e Entry) bool {
	e.At = time.Now()
	if err := l.Append([]Entry{e}, func(s []Sealed) error { return l.options.Store.AppendAudit(ctx, s) }); err != nil {
		l.options.Log.Error("could not store an entry of the audit log", "error", err)
		return false
	}
	return true
}

// openBegun opens the file of begun requests, and finds those whose entries an earlier hub has not stored.
func (l *Log) openBegun(ctx context.Context) (before Leftover, err error) {
	if l.options.Begun == "" {
		return Leftover{Whole: true}, nil
	}
	if l.begun, before, l.unbegun = OpenBegun(l.options.Begun); l.unbegun != nil {
		l.options.Log.Error("calls that begin cannot be recorded", "file", l.options.Begun, "error", l.unbegun)
		return before, nil
	}
	left := before.Requests
	if len(left) == 0 {
		return before, nil
	}
	first := slices.MinFunc(left, func(a, b Entry) int { return a.At.Compare(b.At) }).At
	entries, err := l.options.Store.AuditEntries(ctx, Query{Since: first})
	if err != nil {
		return before, err
	}
	stored := make(map[Entry]int)
	for _, s := range entries {
		if e, err := s.Entry(); err == nil {
			stored[e.request()]++
			e.ArgumentsSHA256 = "" // Begin does not have the hash of long arguments
			stored[e.request()]++
		}
	}
	for _, e := range left {
		if stored[e.request()] > 0 {
			stored[e.request()]--
			l.begun.Stored(e.Seq)
			continue
		}
		l.left = append(l.left, e)
	}
	return before, nil
}

// Left returns the requests that the last hub had sent before it was killed and whose entries it had not stored. If the
// hub did not learn how a request ended, its Outcome is empty. The caller appends the entries and then calls Stored with
// the members Seq of these requests.
func (l *Log) Left() []Entry {
	if l == nil {
		return nil
	}
	return l.left
}

// Begin records that a request is about to be sent, without storing an entry. It returns the number of the request for
// End and Stored, also if it fails. Its error says why the request cannot be recorded.
func (l *Log) Begin(e Entry) (int64, error) {
	if l == nil || l.unbegun != nil {
		return 0, l.problem()
	}
	return l.begun.Begin(e)
}

func (l *Log) problem() error {
	if l == nil {
		return nil
	}
	return l.unbegun
}

// End records how a request ended.
func (l *Log) End(request int64, how Entry) {
	if l != nil {
		l.begun.End(request, how)
	}
}

// Stored forgets requests whose entries are stored.
func (l *Log) Stored(requests ...int64) {
	if l != nil {
		l.begun.Stored(requests...)
	}
}

// Drop forgets requests whose entries will never be stored. The caller appends an entry that counts them, and then calls
// Noted. If the hub is killed before that, Open of the next hub does so.
func (l *Log) Drop(requests ...int64) {
	if l != nil {
		l.begun.Drop(requests...)
	}
}

// Noted tells that an entry about all dropped requests is stored.
func (l *Log) Noted() {
	if l != nil {
		l.begun.Noted()
	}
}

// Close notes in the file with the head that the hub has ended as intended. Requests that have begun and are not stored
// are kept for the next hub.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keepHead(false)
	return l.begun.Close()
}

// compareHead compares the stored chain with the head in the file; reading is the error of reading it. problem describes
// the difference, or is empty. A chain that is longer than the head says is valid, because a hub that was killed may not
// have updated the file.
func (l *Log) compareHead(ctx context.Context, head Head, reading error) (problem string, err error) {
	switch {
	case errors.Is(reading, fs.ErrNotExist) && l.last.Seq == 0:
		return "", nil
	case reading != nil:
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
	l.keepHead(true)
	return nil
}

// keepHead writes the file with the head.
func (l *Log) keepHead(running bool) {
	head, err := json.Marshal(kept{l.last, running, l.clock.now()})
	if err == nil {
		err = paths.WriteFile(l.options.File, append(head, '\n'))
	}
	if err != nil {
		l.options.Log.Warn("could not write the head of the audit log", "file", l.options.File, "error", err)
	}
}

func (l *Log) readHead() (k kept, err error) {
	text, err := paths.ReadFile(l.options.File)
	if err != nil {
		return k, err
	}
	return k, json.Unmarshal(text, &k)
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
	through, err := store.AuditBefore(ctx, l.Expired(l.options.Retention).Truncate(24*time.Hour))
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
