package paths

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// endless returns a patience that never gives up, so that the tests do not depend on
// the speed of the machine. It calls pause between two attempts.
func endless(pause func()) patience {
	return patience{now: func() time.Time { return time.Time{} }, sleep: func(time.Duration) { pause() }, inUse: InUse}
}

// content returns the content of a version of a file. Every byte of the content encodes
// its length, so that a mixture of two versions is recognized.
func content(version int) []byte {
	part := version % 251
	return bytes.Repeat([]byte{byte(part)}, 40_000+part)
}

func whole(data []byte) bool {
	return len(data) >= 40_000 && len(data) == 40_000+int(data[0]) && bytes.Count(data, data[:1]) == len(data)
}

func TestAFileUnderConstantReadingIsReplacedEveryTime(t *testing.T) {
	const replacements = 2000
	file := filepath.Join(t.TempDir(), "hub.json")
	if err := WriteFile(file, content(0)); err != nil {
		t.Fatal(err)
	}
	var ended atomic.Bool
	var own, foreign atomic.Int64
	var readers sync.WaitGroup
	for range 2 { // the hub's clients
		readers.Go(func() {
			for !ended.Load() {
				data, err := endless(runtime.Gosched).readFile(file)
				if err != nil || !whole(data) {
					t.Errorf("a reader got %d bytes, %v", len(data), err)
				}
				own.Add(1)
				runtime.Gosched()
			}
		})
	}
	changes := make(chan struct{}, 1)
	readers.Go(func() { // an editor, which reads every change and does not let the file be replaced meanwhile
		for range changes {
			switch data, err := os.ReadFile(file); {
			case err == nil && !whole(data):
				t.Errorf("an editor got %d bytes", len(data))
			case err != nil && !InUse(err):
				t.Errorf("an editor got %v", err)
			}
			foreign.Add(1)
		}
	})
	for version := 1; version <= replacements; version++ {
		scanner, err := os.Open(file) // a virus scanner has the file open when it is replaced, and closes it later
		for InUse(err) {
			scanner, err = os.Open(file)
		}
		if err != nil {
			t.Fatal(err)
		}
		p := endless(func() {
			_ = scanner.Close()
			runtime.Gosched()
		})
		if err := p.write(file, content(version), false); err != nil {
			t.Errorf("replacement %d: %v", version, err)
		}
		_ = scanner.Close()
		select {
		case changes <- struct{}{}:
		default: // the editor has not read the previous change yet
		}
	}
	close(changes)
	ended.Store(true)
	readers.Wait()
	if data, err := ReadFile(file); err != nil || !bytes.Equal(data, content(replacements)) {
		t.Errorf("at the end: %d bytes, %v", len(data), err)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
	t.Logf("%d reads by this program, %d by an editor", own.Load(), foreign.Load())
}

func TestAReaderKeepsTheContentThatItOpened(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := WriteFile(file, []byte("first")); err != nil {
		t.Fatal(err)
	}
	reader, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	// A system that cannot replace an open file can replace it once the reader has closed it.
	closed := false
	var old []byte
	p := endless(func() {
		old, _ = io.ReadAll(reader)
		closed = reader.Close() == nil
	})
	if err := p.write(file, []byte("second"), true); err != nil {
		t.Fatal(err)
	}
	if !closed {
		old, _ = io.ReadAll(reader)
		_ = reader.Close()
	}
	if data, err := ReadFile(file); string(old) != "first" || string(data) != "second" || err != nil {
		t.Errorf("the reader got %q, the file is %q, %v", old, data, err)
	}
}

func TestAFileThatStaysInUseIsReportedAfterTwoSeconds(t *testing.T) {
	busy := errors.New("in use")
	now := time.Unix(0, 0)
	attempts := 0
	p := patience{
		now:   func() time.Time { return now },
		sleep: func(d time.Duration) { now = now.Add(d) },
		inUse: func(err error) bool { return errors.Is(err, busy) },
	}
	err := p.do(func() error { attempts++; return busy })
	if waited := now.Sub(time.Unix(0, 0)); !errors.Is(err, busy) || waited < inUseTimeout || waited > inUseTimeout+2*inUsePause ||
		attempts < 100 {
		t.Errorf("%v after %v and %d attempts", err, waited, attempts)
	}
	for name, result := range map[string]error{"success": nil, "another failure": os.ErrNotExist} {
		attempts = 0
		if err := p.do(func() error { attempts++; return result }); !errors.Is(err, result) || attempts != 1 {
			t.Errorf("%s: %v after %d attempts", name, err, attempts)
		}
	}
}

func TestAFailedReplacementLeavesTheOldFileAlone(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.MkdirAll(filepath.Join(file, "y"), 0o700); err != nil {
		t.Fatal(err)
	}
	now := time.Unix(0, 0)
	p := patience{now: func() time.Time { return now }, sleep: func(d time.Duration) { now = now.Add(d) }, inUse: InUse}
	if p.write(file, []byte("text"), false) == nil {
		t.Error("a folder was replaced by a file")
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("files left behind: %v", left)
	}
}
