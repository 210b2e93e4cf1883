package answercache

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/paths"
)

var list = Key{Version: "1.0.0", Method: "tools/list", Era: "legacy", Client: "claude-code", Protocol: "2025-11-25"}

func newCache(t *testing.T) Cache {
	t.Helper()
	folder := paths.Folder(t.TempDir())
	if err := folder.Create(); err != nil {
		t.Fatal(err)
	}
	return Cache{folder}
}

func put(t *testing.T, c Cache, k Key, answer string) {
	t.Helper()
	if _, err := c.Put(k, json.RawMessage(answer)); err != nil {
		t.Fatal(err)
	}
}

// expect compares the answer that is stored under k with want. An empty want means that no answer must be stored.
func expect(t *testing.T, c Cache, k Key, want string) {
	t.Helper()
	got, _, ok := c.Get(k)
	if string(got) != want || ok != (want != "") {
		t.Errorf("%+v: got %.80q, %v, want %.80q", k, got, ok, want)
	}
}

func TestAnAnswerIsKeptForItsKeyOnly(t *testing.T) {
	c := newCache(t)
	expect(t, c, list, "")
	put(t, c, list, `{"tools":[]}`)
	put(t, c, list, `{"tools":[1]}`)
	expect(t, c, list, `{"tools":[1]}`)
	for _, change := range []func(*Key){
		func(k *Key) { k.Version = "1.0.1" }, func(k *Key) { k.Method = "initialize" }, func(k *Key) { k.Era = "modern" },
		func(k *Key) { k.Client = "claude-code2" }, func(k *Key) { k.Protocol = "2025-06-18" },
	} {
		other := list
		change(&other)
		expect(t, c, other, "")
	}
}

func TestSumsTellWhetherAnswersAreEqual(t *testing.T) {
	c := newCache(t)
	first, err := c.Put(list, json.RawMessage(`{"a":1}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, sum, _ := c.Get(list); sum != first {
		t.Errorf("read %x, wrote %x", sum, first)
	}
	if second, _ := c.Put(list, json.RawMessage(`{"a":2}`)); second == first {
		t.Error("two answers have the same sum")
	}
}

func TestADamagedFileIsIgnored(t *testing.T) {
	c := newCache(t)
	put(t, c, list, `{"tools":[]}`)
	whole, err := os.ReadFile(c.file(list))
	if err != nil {
		t.Fatal(err)
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-3] ^= 1
	for name, data := range map[string][]byte{
		"empty": {}, "cut": whole[:len(whole)-1], "changed": flipped, "longer": append(bytes.Clone(whole), ' '),
		"without a sum": whole[65:], "zeros": make([]byte, len(whole)), "sum alone": whole[:64],
	} {
		if err := os.WriteFile(c.file(list), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, _, ok := c.Get(list); ok {
			t.Errorf("%s: got %q", name, got)
		}
		put(t, c, list, `{"tools":[]}`)
		expect(t, c, list, `{"tools":[]}`)
	}
}

func TestLargeAnswersAreNotKept(t *testing.T) {
	c := newCache(t)
	largest := `"` + strings.Repeat("x", maxAnswer-2) + `"`
	put(t, c, list, largest)
	expect(t, c, list, largest)
	file, err := os.ReadFile(c.file(list))
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte(largest + " "))
	file = append([]byte(hex.EncodeToString(sum[:])), append(file[2*len(sum):], ' ')...)
	if err := os.WriteFile(c.file(list), file, 0o600); err != nil {
		t.Fatal(err)
	}
	expect(t, c, list, "") // the file is larger than any that Put writes
	put(t, c, list, largest+" ")
	expect(t, c, list, "")
	put(t, c, list, largest+" ") // nothing to remove
}

// age sets the modification times of the files to the current time minus by.
func age(t *testing.T, by time.Duration, files ...string) {
	t.Helper()
	at := time.Now().Add(-by)
	for _, file := range files {
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheAnswersUsedLeastRecentlyAreRemoved(t *testing.T) {
	c := newCache(t)
	key := func(i int) Key { k := list; k.Client = fmt.Sprint(i); return k }
	for i := range maxFiles {
		put(t, c, key(i), "{}")
		age(t, time.Hour-time.Duration(i)*time.Minute, c.file(key(i)))
	}
	put(t, c, key(0), "{}") // unchanged, but used
	put(t, c, key(maxFiles), "{}")
	for i := range maxFiles + 1 {
		want := "{}"
		if i == 1 {
			want = ""
		}
		expect(t, c, key(i), want)
	}
}

func TestAnUnchangedAnswerIsNotWrittenAgain(t *testing.T) {
	c := newCache(t)
	put(t, c, list, "{}")
	before, err := os.Stat(c.file(list))
	if err != nil {
		t.Fatal(err)
	}
	put(t, c, list, "{}")
	if after, err := os.Stat(c.file(list)); err != nil || !os.SameFile(before, after) {
		t.Errorf("the file was replaced: %v", err)
	}
}

func TestTemporaryFilesOfKilledProcessesAreRemoved(t *testing.T) {
	c := newCache(t)
	old, fresh := c.Folder.Run("."+prefix+"a-1"), c.Folder.Run("."+prefix+"b-2")
	for _, file := range []string{old, fresh} {
		if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	age(t, 2*staleTemp, old)
	put(t, c, list, "{}")
	left, err := filepath.Glob(c.Folder.Run("." + prefix + "*"))
	if err != nil || !slices.Equal(left, []string{fresh}) {
		t.Errorf("%q, %v", left, err)
	}
}

func TestOnlyTheUserReadsAnswers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the folder's access list decides")
	}
	c := newCache(t)
	put(t, c, list, "{}")
	if info, err := os.Stat(c.file(list)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if info, err := os.Stat(filepath.Dir(c.file(list))); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info, err)
	}
}

func TestConcurrentWritersNeverLeaveAPart(t *testing.T) {
	c := newCache(t)
	answers := make([]string, 4)
	for i := range answers {
		answers[i] = `"` + strings.Repeat(fmt.Sprint(i), 100_000+i) + `"`
	}
	put(t, c, list, answers[0])
	var group sync.WaitGroup
	for _, answer := range answers {
		group.Go(func() {
			for range 50 {
				if _, err := c.Put(list, json.RawMessage(answer)); err != nil {
					t.Error(err)
				}
				if got, _, ok := c.Get(list); !ok || !slices.Contains(answers, string(got)) {
					t.Errorf("read %.40q of %d bytes, %v", got, len(got), ok)
				}
			}
		})
	}
	group.Wait()
}
