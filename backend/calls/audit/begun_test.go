package audit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// openBegun opens the file of begun requests, and returns the tools of the requests that were left, with their outcomes.
func openBegun(t *testing.T, path string) (*Begun, []string) {
	t.Helper()
	b, left, err := OpenBegun(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	var tools []string
	for _, e := range left.Requests {
		tools = append(tools, e.Tool+" "+e.Outcome)
	}
	return b, tools
}

// begin begins a call of a tool.
func begin(t *testing.T, b *Begun, tool string) int64 {
	t.Helper()
	n, err := b.Begin(Entry{At: time.Now(), Kind: "call", Server: "s", Tool: tool})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestARequestThatBeganIsLeftUntilItIsStored(t *testing.T) {
	path := filepath.Join(t.TempDir(), "begun")
	b, left := openBegun(t, path)
	if left != nil {
		t.Errorf("a new file has %v", left)
	}
	one, two := begin(t, b, "one"), begin(t, b, "two")
	b.End(one, Entry{Outcome: "ok", Micros: 7})
	b, left = openBegun(t, path)
	if want := []string{"one ok", "two "}; !slices.Equal(left, want) {
		t.Errorf("left are %q", left)
	}
	three := begin(t, b, "three")
	if three == one || three == two {
		t.Error("a number was used twice")
	}
	b.Stored(one, three)
	b.End(two, Entry{Outcome: "failed"})
	b, left = openBegun(t, path)
	if want := []string{"one ok", "two failed", "three "}; !slices.Equal(left, want) {
		t.Errorf("before the file is written anew, left are %q", left)
	}
	b.Stored(one, two, three)
	if _, left = openBegun(t, path); left != nil {
		t.Errorf("after all are stored, left are %q", left)
	}
}

func TestALineThatWasCutIsNoRequest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "begun")
	b, _ := openBegun(t, path)
	begin(t, b, "one")
	end := b.end
	begin(t, b, "two")
	if err := os.Truncate(path, end+10); err != nil {
		t.Fatal(err)
	}
	b, left := openBegun(t, path)
	if !slices.Equal(left, []string{"one "}) {
		t.Errorf("left are %q", left)
	}
	begin(t, b, "three")
	if _, left = openBegun(t, path); !slices.Equal(left, []string{"one ", "three "}) {
		t.Errorf("after another request, left are %q", left)
	}
}

func TestTheFileIsShortenedWhileARequestIsInFlight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "begun")
	b, _ := openBegun(t, path)
	begin(t, b, "slow")
	for i := range 3 * roomy / 500 {
		n := begin(t, b, fmt.Sprint(strings.Repeat("x", 300), i))
		b.End(n, Entry{Outcome: "ok"})
		b.Stored(n)
	}
	if info, err := os.Stat(path); err != nil || info.Size() > roomy+onePage {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
	if _, left := openBegun(t, path); len(left) == 0 || left[0] != "slow " {
		t.Errorf("left are %.3q", left)
	}
}

// full is a file on a full disk: it cannot grow beyond a size.
type full struct {
	disk
	size int64
}

func (f full) WriteAt(p []byte, at int64) (int, error) {
	n := max(min(int64(len(p)), f.size-at), 0)
	written, err := f.disk.WriteAt(p[:n], at)
	if err == nil && written < len(p) {
		err = syscall.ENOSPC
	}
	return written, err
}

// leftIn returns what a hub that is killed now leaves in the file.
func leftIn(t *testing.T, path string) Leftover {
	t.Helper()
	b, left, err := OpenBegun(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
	return left
}

func TestAFullDiskIsRememberedWithTheNumberOfMissingRequests(t *testing.T) {
	path := filepath.Join(t.TempDir(), "begun")
	b, _ := openBegun(t, path)
	b.file = full{b.file, reserved}
	start := time.Now().Truncate(time.Millisecond)
	var written, missing []int64
	for i := range 3000 {
		n, err := b.Begin(Entry{At: start.Add(time.Duration(i) * time.Second), Kind: "call", Server: "s", Tool: "t"})
		if written = append(written, n); err != nil {
			written, missing = written[:len(written)-1], append(missing, n)
		}
		b.End(n, Entry{Outcome: "ok"})
	}
	left := leftIn(t, path)
	if !left.Whole || len(left.Requests) != len(written) || left.Missing != int64(len(missing)) ||
		len(written) < 500 || len(missing) < 500 {
		t.Fatalf("of 3000 requests, %d were written and %d not; left are %d, and %d are missing (%v)",
			len(written), len(missing), len(left.Requests), left.Missing, left.Whole)
	}
	if want := start.Add(time.Duration(missing[0]-1) * time.Second); !left.Since.Equal(want) {
		t.Errorf("since %v, want %v", left.Since, want)
	}

	b.Stored(missing[10:]...)
	if left = leftIn(t, path); left.Missing != 10 {
		t.Errorf("10 are not stored, and %d are missing", left.Missing)
	}
	b.Drop(missing[:3]...)
	b.Drop(written[:5]...)
	b.Stored(missing[3:10]...)
	if left = leftIn(t, path); left.Missing != 3 || len(left.Requests) != len(written) {
		t.Errorf("3 were dropped; %d are missing, left are %d", left.Missing, len(left.Requests))
	}
	b.Stored(written[5:]...)
	if left = leftIn(t, path); left.Missing != 8 || len(left.Requests) != 0 || !left.Since.Equal(start) {
		t.Errorf("8 were dropped; %d are missing since %v, left are %d", left.Missing, left.Since, len(left.Requests))
	}
	next, _ := openBegun(t, path)
	if begin(t, next, "next"); leftIn(t, path).Missing != 8 {
		t.Error("the next hub has forgotten them before it has noted them")
	}
	if next.Noted(); leftIn(t, path).Missing != 0 {
		t.Error("they are missing although they were noted")
	}
}

func TestAFileThatAnotherProgramChangedIsNotWhole(t *testing.T) {
	for name, row := range map[string]struct {
		change func(path string) error
		whole  bool
	}{
		"unchanged":      {func(string) error { return nil }, true},
		"emptied":        {func(path string) error { return os.Truncate(path, 0) }, false},
		"cut":            {func(path string) error { return os.Truncate(path, 100) }, false},
		"zeroed":         {func(path string) error { return os.WriteFile(path, make([]byte, reserved), 0o600) }, false},
		"overwritten":    {func(path string) error { return os.WriteFile(path, []byte("hello"), 0o600) }, false},
		"a line changed": {func(path string) error { return overwrite(path, int64(len(header)), "x") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "begun")
			b, _ := openBegun(t, path)
			begin(t, b, "one")
			if left := leftIn(t, path); !left.Whole || !left.Existed {
				t.Errorf("before: %+v", left)
			}
			if err := row.change(path); err != nil {
				t.Fatal(err)
			}
			if left := leftIn(t, path); left.Whole != row.whole || !left.Existed {
				t.Errorf("got %+v", left)
			}
		})
	}
}

// overwrite writes a text into a file.
func overwrite(path string, at int64, text string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	_, err = file.WriteAt([]byte(text), at)
	return err
}

func TestAClockThatJumpedIsApproachedSlowly(t *testing.T) {
	now := time.Now()
	for _, row := range []struct {
		from time.Time
		ran  time.Duration
		want time.Duration // before now
	}{
		{now.AddDate(-2, 0, 0), 0, now.Sub(now.AddDate(-2, 0, 0))},
		{now.Add(-48 * time.Hour), time.Hour, 24 * time.Hour},
		{now.Add(-48 * time.Hour), 3 * time.Hour, 0},
		{now.Add(48 * time.Hour), 0, 0},
		{time.Time{}, 0, 0},
	} {
		c := newClock(row.from)
		c.began = c.began.Add(-row.ran)
		if got := time.Since(c.now()) - row.want; got.Abs() > time.Minute {
			t.Errorf("from %v after %v: the assumed time is wrong by %v", row.from, row.ran, got)
		}
	}
}
