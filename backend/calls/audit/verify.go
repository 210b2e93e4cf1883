package audit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// Report is the result of a verification.
type Report struct {
	Intact  bool   `json:"intact"`
	Entries int64  `json:"entries" doc:"Number of entries that were read."`
	First   int64  `json:"first" doc:"Position of the first entry; 0 if there is none."`
	Last    int64  `json:"last" doc:"Position of the last entry; 0 if there is none."`
	Hash    string `json:"hash" doc:"SHA-256 of the last entry. Keep a copy on another machine to detect a forged chain."`
	Broken  int64  `json:"broken,omitempty" doc:"Position of the first broken entry."`
	Problem string `json:"problem,omitempty" doc:"The error in the first broken entry."`
	Unknown int64  `json:"unknown,omitempty" doc:"Number of requests whose outcome is unknown, because the hub was killed before it had their results."`
	Gaps    []Gap  `json:"gaps,omitempty" doc:"Places at which the hub could not store entries."`
	// The following fields are set by package operations.
	Waiting    int64  `json:"waiting,omitempty" doc:"Number of entries that are in memory and not stored yet."`
	WaitingFor string `json:"waiting_for,omitempty" doc:"Why they could not be stored yet."`
}

// Gap is a place in the chain where entries are missing, as the hub itself has noted.
type Gap struct {
	Seq   int64     `json:"seq" doc:"Position of the entry that notes the gap."`
	At    time.Time `json:"at" doc:"When the hub noted it."`
	Count int64     `json:"count,omitempty" doc:"Number of missing entries; 0 if it is unknown."`
	Note  string    `json:"note,omitempty"`
}

// page is how many entries are read at a time.
const page = 1000

// Verify reads the whole chain and compares it with the heads that the hub has kept in the file, in its ordinary
// log and in memory.
func (l *Log) Verify(ctx context.Context) (Report, error) {
	l.trimming.RLock()
	defer l.trimming.RUnlock()
	// Read the heads first, because the chain may grow while it is read.
	heads, err := l.heads()
	if err != nil {
		return Report{}, err
	}
	anchor, _, err := l.options.Store.AuditEnds(ctx)
	if err != nil {
		return Report{}, fmt.Errorf("verify audit log: %w", err)
	}
	c := &chain{anchor: anchor, last: anchor, heads: heads}
	for {
		entries, err := l.options.Store.AuditEntries(ctx, Query{After: max(c.at, anchor.Seq), Limit: page})
		if err != nil {
			return Report{}, fmt.Errorf("verify audit log: %w", err)
		}
		for _, e := range entries {
			c.add(e)
		}
		if len(entries) < page {
			return c.report(), nil
		}
	}
}

// heads returns, by position, the hashes in the heads that the hub has kept in the file, in its ordinary log and
// in memory.
func (l *Log) heads() (map[int64][]string, error) {
	heads := make(map[int64][]string)
	if l.options.Logged != nil {
		for _, h := range l.options.Logged() {
			heads[h.Seq] = append(heads[h.Seq], h.Hash)
		}
	}
	h, err := l.readHead()
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // Open reports a missing file
		return nil, fmt.Errorf("read the head of the audit log: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range []Head{h.Head, l.last} {
		if h.Seq > 0 {
			heads[h.Seq] = append(heads[h.Seq], h.Hash)
		}
	}
	return heads, nil
}

// VerifyExport verifies a chain that was exported as one Sealed.Line per line. The chain may begin with any entry.
func VerifyExport(from io.Reader) (Report, error) {
	c := &chain{}
	lines := bufio.NewScanner(from)
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		e, err := Parse(lines.Text())
		if err != nil {
			c.fail(c.last.Seq+1, fmt.Sprintf("line %d cannot be read: %s", n, err))
			break
		}
		if n == 1 {
			first, _ := e.Entry() // Parse has read it
			c.last = Head{first.Seq - 1, first.Previous}
			c.exported = true
		}
		c.add(e)
	}
	return c.report(), lines.Err()
}

// chain verifies entries in ascending order.
type chain struct {
	anchor   Head
	heads    map[int64][]string // hashes that entries must have, by position
	exported bool               // the entries before the first one are unknown

	last     Head
	at       int64 // position of the last entry that was read
	out      Report
	anchored bool // an entry of kind Retention names the anchor
}

// fail records a problem at position seq, unless one at the same or an earlier position is already recorded.
func (c *chain) fail(seq int64, problem string) {
	if c.out.Broken == 0 || seq < c.out.Broken {
		c.out.Broken, c.out.Problem = seq, problem
	}
}

func (c *chain) add(s Sealed) {
	if c.out.Entries++; c.out.First == 0 {
		c.out.First = s.Seq
	}
	c.at = s.Seq
	e, err := s.Entry()
	switch want := c.last.Seq + 1; {
	case s.Seq > want:
		c.fail(want, missing(want, s.Seq-1))
	case s.Seq < want:
		c.fail(max(s.Seq, 1), fmt.Sprintf("entry %d is not at its place", s.Seq))
	case err != nil || HashOf([]byte(s.Text)) != s.Hash || e.Seq != s.Seq || e.At.UnixMilli() != s.At.UnixMilli():
		c.fail(s.Seq, fmt.Sprintf("entry %d was changed", s.Seq))
	case e.Previous != c.last.Hash:
		c.fail(s.Seq, fmt.Sprintf("entry %d does not follow the entry before it: one of the two was replaced", s.Seq))
	case e.Kind == Break:
		c.fail(s.Seq, fmt.Sprintf("the hub found at its start, at %s: %s", e.At.Format("2006-01-02 15:04:05"), e.Note))
	case slices.ContainsFunc(c.heads[s.Seq], func(hash string) bool { return hash != s.Hash }):
		c.fail(s.Seq, fmt.Sprintf("entry %d is not the one whose hash the hub has kept elsewhere", s.Seq))
	case e.Kind == Retention && e.Through != nil && *e.Through == c.anchor:
		c.anchored = true
	case e.Kind == Lost:
		c.out.Gaps = append(c.out.Gaps, Gap{e.Seq, e.At, e.Count, e.Note})
	case e.Outcome == Unknown:
		c.out.Unknown++
	}
	c.last = s.Head()
}

func missing(first, last int64) string {
	if first == last {
		return fmt.Sprintf("entry %d is missing", first)
	}
	return fmt.Sprintf("entries %d to %d are missing", first, last)
}

func (c *chain) report() Report {
	end := c.last.Seq
	for seq := range c.heads {
		end = max(end, seq)
	}
	if end > c.last.Seq {
		c.fail(c.last.Seq+1, missing(c.last.Seq+1, end))
	}
	if !c.exported && c.anchor.Seq > 0 && !c.anchored {
		c.fail(1, fmt.Sprintf("entries up to %d were deleted, but not by the hub because of their age", c.anchor.Seq))
	}
	c.out.Intact = c.out.Broken == 0
	if c.out.Entries > 0 {
		c.out.Last, c.out.Hash = c.last.Seq, c.last.Hash
	}
	return c.out
}

// headMessage is the message with which Announce writes the head to the hub's ordinary log.
const headMessage = "head of the audit log"

var headLine = regexp.MustCompile(`msg="` + headMessage + `" seq=(\d+) sha256=([0-9a-f]{64})`)

// LoggedHeads reads the hub's ordinary log and returns the heads that Announce has written to it.
func LoggedHeads(from io.Reader) (heads []Head) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		if m := headLine.FindStringSubmatch(line); m != nil {
			seq, _ := strconv.ParseInt(m[1], 10, 64) // the expression allows digits only
			heads = append(heads, Head{seq, m[2]})
		}
		if err != nil {
			return heads
		}
	}
}
