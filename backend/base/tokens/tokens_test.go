package tokens_test

import (
	"bufio"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/agent-discover/agent-discover/backend/base/tokens"
)

type vector struct {
	Text   string
	Tokens int
}

func vectors(t testing.TB) (all []vector) {
	t.Helper()
	file, err := os.Open("testdata/vectors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	if len(all) < 1000 {
		t.Fatalf("found only %d texts", len(all))
	}
	return all
}

func TestCountsAreThoseOfTheReferenceTokenizer(t *testing.T) {
	c := tokens.NewCounter()
	for _, v := range vectors(t) {
		if got := c.Count(v.Text); got != v.Tokens {
			t.Errorf("%q has %d tokens, counted %d", v.Text[:min(len(v.Text), 200)], v.Tokens, got)
		}
	}
}

func TestLongRunsAreCountedInLittleTime(t *testing.T) {
	c := tokens.NewCounter()
	for _, text := range []string{
		strings.Repeat("a", 1<<20), strings.Repeat("=", 1<<20), strings.Repeat(" ", 1<<20), strings.Repeat("é", 1<<19),
		strings.Repeat("\xff", 1<<18),
	} {
		if n := c.Count(text); n < 1<<10 || n > len(text) {
			t.Errorf("%q… has %d tokens", text[:4], n)
		}
	}
}

func TestKnownCountsAreTheSame(t *testing.T) {
	var counting sync.WaitGroup
	for range 8 {
		counting.Go(func() {
			for _, v := range vectors(t)[:600] {
				if got := tokens.Known(v.Text); got != v.Tokens {
					t.Errorf("%q has %d tokens, counted %d", v.Text, v.Tokens, got)
				}
			}
		})
	}
	counting.Wait()
}

func TestTheVocabularyIsReleased(t *testing.T) {
	heap := func() uint64 {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	c := tokens.NewCounter()
	used := heap()
	if c.Count("a text") != 2 {
		t.Error("a text has not two tokens")
	}
	if after := heap(); used < before+3<<20 || after > before+1<<20 {
		t.Errorf("the heap has %d bytes before, %d with a vocabulary, %d later", before, used, after)
	}
}

func FuzzCount(f *testing.F) {
	f.Add("a b's 123 \xff\n")
	f.Fuzz(func(t *testing.T, text string) {
		if n := tokens.Count(text); n > len(text) || n == 0 && text != "" {
			t.Errorf("%d tokens", n)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	text := strings.Repeat(
		`{"name":"create_issue","description":"Create a new issue in a repository.","inputSchema":{"type":"object","properties":{"owner":{"type":"string"}}}}`,
		100,
	)
	c := tokens.NewCounter()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		c.Count(text)
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		runtime.GC()
		tokens.Count("x")
	}
}
