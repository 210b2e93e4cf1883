//go:build linux

package atomicfile

import (
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sys/unix"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// quick is a Disk with a short Rest, for tests that wait for events.
var quick = Disk{Rest: 5 * time.Millisecond}

// withoutLeases makes a test behave as on a system that cannot report whether a file is open for
// writing.
func withoutLeases(t *testing.T) {
	leases = false
	t.Cleanup(func() { leases = true })
}

// aged makes a file look as if it was written long ago.
func aged(t *testing.T, path string) string {
	t.Helper()
	past := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, past, past); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAFileThatIsOpenForWritingIsNotBelieved(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
	writer, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		if _, err := (Disk{}).ReadAtRest(t.Context(), aged(t, path), nil); fault.KindOf(err) != fault.Busy {
			t.Errorf("with a writer, ReadAtRest returned %v, want busy", err)
		}
		go func() {
			time.Sleep(defaultRest) // in the fake time of synctest
			_, _ = writer.WriteString("complete")
			_ = writer.Close()
		}()
		f, err := (Disk{}).ReadAtRest(t.Context(), aged(t, path), nil)
		if err != nil || string(f.Data) != "complete" {
			t.Errorf("after the writer has ended, ReadAtRest returned %q, %v", f.Data, err)
		}
	})
}

func TestAFileIsReadOnceItIsAtRest(t *testing.T) {
	withoutLeases(t)
	for name, row := range map[string]struct {
		content string
		age     time.Duration
		want    time.Duration
	}{
		"old":                         {"text", time.Hour, 0},
		"just written":                {"text", 0, defaultRest},
		"written by a clock ahead":    {"text", -time.Hour, defaultRest},
		"just emptied":                {"", 0, doubt * defaultRest},
		"empty for long":              {"", time.Hour, 0},
		"emptied a short while ago":   {"", 2 * defaultRest, (doubt - 2) * defaultRest},
		"just written, but not whole": {"half", 0, doubt * defaultRest},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, filepath.Join(t.TempDir(), "a.json"), row.content, 0o600)
			synctest.Test(t, func(t *testing.T) {
				at := time.Now().Add(-row.age)
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				f, err := (Disk{}).ReadAtRest(t.Context(), path, func(data []byte) error {
					if string(data) == "half" {
						return errors.New("not whole")
					}
					return nil
				})
				if waited := time.Since(begin); err != nil || string(f.Data) != row.content || waited < row.want ||
					waited > row.want+defaultRest/10 {
					t.Errorf("content %q, %v after %v, want %v", f.Data, err, waited, row.want)
				}
			})
		})
	}
}

func TestAFileThatKeepsChangingIsBusy(t *testing.T) {
	withoutLeases(t)
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "x", 0o600)
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		_, err := (Disk{}).ReadAtRest(t.Context(), path, func([]byte) error {
			looks++
			return os.WriteFile(path, []byte(strings.Repeat("x", looks%7+1)), 0o600)
		})
		if fault.KindOf(err) != fault.Busy || looks < patience {
			t.Errorf("%d looks, error %v", looks, err)
		}
	})
}

func TestAFileIsNotReplacedBeforeItIsAtRestByTheClockOfItsFileSystem(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600)
	synctest.Test(t, func(t *testing.T) {
		f := read(t, path)
		begin := time.Now()
		disk := Disk{Clock: func(string) (time.Time, error) { return f.ModTime().Add(defaultRest / 5), nil }}
		if err := disk.Replace(t.Context(), f, []byte("new")); err != nil {
			t.Fatal(err)
		}
		if waited := time.Since(begin); waited < defaultRest*4/5 {
			t.Errorf("replaced after %v", waited)
		}
	})
}

func TestAVersionThatAppearsAtTheLastMomentGetsItsPlaceBack(t *testing.T) {
	for name, act := range map[string]func(path string) error{
		"by a rename": func(path string) error {
			return errors.Join(os.WriteFile(path+".new", []byte("theirs"), 0o600), os.Rename(path+".new", path))
		},
		"by a truncation": func(path string) error { return os.WriteFile(path, []byte("theirs"), 0o600) },
	} {
		for _, known := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				if !known || name == "by a truncation" { // the truncation would wait for the lease
					withoutLeases(t)
				}
				path := aged(t, write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600))
				disk := quick
				disk.Swap = func(temp, target string) error {
					if string(read(t, temp).Data) == "new" {
						if err := act(target); err != nil {
							return err
						}
					}
					return exchangeFiles(temp, target)
				}
				if err := disk.Replace(t.Context(), read(t, path), []byte("new")); fault.KindOf(err) != fault.Conflict {
					t.Errorf("Replace returned %v, want a conflict", err)
				}
				checkContent(t, path, "theirs")
				onlyFile(t, path)
			})
		}
	}
}

func TestAProgramThatHadOpenedTheFileBeforeTheExchangeLosesNothing(t *testing.T) {
	withoutLeases(t)
	for name, swap := range map[string]func(a, b string) error{"in one step": exchangeFiles, "by a hard link": swapByLink} {
		t.Run(name, func(t *testing.T) {
			path := aged(t, write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600))
			writer, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			disk := quick
			exchanged := make(chan struct{}, 2)
			disk.Swap = func(temp, target string) error {
				defer func() { exchanged <- struct{}{} }()
				return swap(temp, target)
			}
			disk.Rest = time.Minute // so long that only the write ends the watch
			disk.Clock = func(string) (time.Time, error) { return time.Now(), nil }
			written := make(chan error, 1)
			go func() {
				<-exchanged
				_, err := writer.WriteString("theirs")
				written <- errors.Join(err, writer.Truncate(6), writer.Close())
			}()
			if err := disk.Replace(t.Context(), read(t, path), []byte("new")); fault.KindOf(err) != fault.Conflict {
				t.Errorf("Replace returned %v, want a conflict", err)
			}
			if err := <-written; err != nil {
				t.Fatal(err)
			}
			checkContent(t, path, "theirs")
			onlyFile(t, path)
		})
	}
}

func TestAFileThatIsCompletedWhileItIsReadIsReadAgain(t *testing.T) {
	path := write(t, filepath.Join(t.TempDir(), "a.json"), "half", 0o600)
	writer, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	aged(t, path)
	complete := func(data []byte) error {
		if string(data) != "half" {
			return nil
		}
		_, _ = writer.WriteString(" and half")
		_ = writer.Close()
		return errors.New("incomplete")
	}
	if f, err := quick.ReadAtRest(t.Context(), path, complete); err != nil || string(f.Data) != "half and half" {
		t.Errorf("ReadAtRest returned %q, %v", f.Data, err)
	}
}

func TestAProgramThatOpensTheFileDuringTheExchangeLosesNothing(t *testing.T) {
	path := aged(t, write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600))
	if g, err := newGuard(path); err != nil || !g.holds() {
		t.Skip("no leases here")
	} else {
		g.release()
	}
	disk := quick
	waiting := make(chan os.Signal, 1) // the system reports that a program waits for the end of a lease
	signal.Notify(waiting, unix.SIGIO)
	defer signal.Stop(waiting)
	written := make(chan error, 1)
	started := false
	disk.Swap = func(temp, target string) error {
		if !started { // this writer opens the old file and waits until the guard is released
			started = true
			go func() { written <- os.WriteFile(target, []byte("theirs"), 0o600) }()
			<-waiting
		}
		return exchangeFiles(temp, target)
	}
	if err := disk.Replace(t.Context(), read(t, path), []byte("new")); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Replace returned %v, want a conflict", err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	checkContent(t, path, "theirs")
	onlyFile(t, path)
}

func TestWhenTwoProgramsWriteBothVersionsAreKept(t *testing.T) {
	withoutLeases(t)
	path := aged(t, write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600))
	disk := quick
	disk.Swap = func(temp, target string) error { // one program had the old file open, another one opens the new file
		return errors.Join(exchangeFiles(temp, target), os.WriteFile(temp, []byte("first"), 0o600),
			os.WriteFile(target, []byte("second"), 0o600))
	}
	err := disk.Replace(t.Context(), read(t, path), []byte("new"))
	if fault.KindOf(err) != fault.Conflict || !strings.Contains(fault.MessageOf(err), path+".kept-1") {
		t.Errorf("Replace returned %v, want a conflict that names the other version", err)
	}
	checkContent(t, path, "second")
	checkContent(t, path+".kept-1", "first")
}

func TestAFileThatIsWrittenWhileItIsRemovedIsKept(t *testing.T) {
	withoutLeases(t)
	path := aged(t, write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o600))
	writer, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	disk := Disk{Rest: time.Minute, Clock: func(string) (time.Time, error) { return time.Now(), nil }}
	moves, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(moves) }()
	if _, err := unix.InotifyAddWatch(moves, filepath.Dir(path), unix.IN_MOVED_FROM); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() {
		_, err := unix.Read(moves, make([]byte, 4096)) // returns when the file is renamed
		for errors.Is(err, unix.EINTR) {
			_, err = unix.Read(moves, make([]byte, 4096))
		}
		if err == nil {
			_, err = writer.WriteString("theirs")
		}
		written <- errors.Join(err, writer.Close())
	}()
	if err := disk.Remove(t.Context(), read(t, path)); fault.KindOf(err) != fault.Conflict {
		t.Errorf("Remove returned %v, want a conflict", err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	checkContent(t, path, "theirs")
	onlyFile(t, path)
}

func TestExtendedAttributesAndAccessListsAreKept(t *testing.T) {
	path := aged(t, write(t, filepath.Join(t.TempDir(), "a.json"), "old", 0o640))
	// ACL version 2: the owner may read and write; user 12345, the group and the mask may read.
	acl := "\x02\x00\x00\x00" + "\x01\x00\x06\x00\xff\xff\xff\xff" + "\x02\x00\x04\x00\x39\x30\x00\x00" +
		"\x04\x00\x04\x00\xff\xff\xff\xff" + "\x10\x00\x04\x00\xff\xff\xff\xff" + "\x20\x00\x00\x00\xff\xff\xff\xff"
	want := map[string]string{"user.tag": "blue", "user.empty": "", "system.posix_acl_access": acl}
	for name, value := range want {
		if err := unix.Setxattr(path, name, []byte(value), 0); err != nil {
			t.Skip(err)
		}
	}
	if err := quick.Replace(t.Context(), read(t, path), []byte("new")); err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		buffer := make([]byte, 100)
		if n, err := unix.Getxattr(path, name, buffer); err != nil || string(buffer[:max(n, 0)]) != value {
			t.Errorf("attribute %s is %q, %v", name, buffer[:max(n, 0)], err)
		}
	}
	checkContent(t, path, "new")
}

func TestOneProcessAtATimeHasTheLockOfAFolder(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		unlock := LockFolder(t.Context(), filepath.Join(folder, "a.json"))
		got := make(chan struct{})
		go func() {
			LockFolder(t.Context(), filepath.Join(folder, "missing", "b.json"))()
			close(got)
		}()
		time.Sleep(lockTimeout / 2) // in the fake time of synctest
		select {
		case <-got:
			t.Error("two have the lock")
		default:
		}
		unlock()
		<-got
	})
}
