package jsonrpc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReaderContinuesAfterALineOverTheLimit(t *testing.T) {
	const limit = 200 << 10
	input := "first\r\n\n  \n" + strings.Repeat("x", limit+1) + "\nsecond\n" + strings.Repeat("y", limit) + "\nlast"
	for name, r := range map[string]io.Reader{
		"at once": strings.NewReader(input), "byte by byte": iotest.OneByteReader(strings.NewReader(input)),
	} {
		lines := NewLineReader(r, limit)
		var got []string
		for {
			line, err := lines.Next()
			var long *LineTooLong
			if errors.As(err, &long) {
				if long.Size != limit+1 || !bytes.HasPrefix(long.Head, []byte("xxx")) {
					t.Errorf("%s: long line reported as %d bytes, head %.10q", name, long.Size, long.Head)
				}
				got = append(got, "too long")
				continue
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, string(line[:min(len(line), 6)]))
		}
		if want := "first too long second yyyyyy last"; strings.Join(got, " ") != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
}

func TestAppendingToALineLeavesTheLinesAfterIt(t *testing.T) {
	lines := NewLineReader(strings.NewReader("first \r\nsecond\nthird"), 100)
	for _, want := range []string{"first", "second", "third"} {
		line, err := lines.Next()
		if err != nil || string(line) != want {
			t.Fatalf("read %q, %v, want %q", line, err, want)
		}
		_ = append(append(line, '\n'), "more text"...)
	}
}

func TestReaderDoesNotKeepAHugeBuffer(t *testing.T) {
	lines := NewLineReader(strings.NewReader(strings.Repeat("x", 4<<20)+"\n"+strings.Repeat("y", 100<<10)+"\n"), 8<<20)
	for range 2 {
		if _, err := lines.Next(); err != nil {
			t.Fatal(err)
		}
	}
	if cap(lines.buf) > keepBuffer {
		t.Errorf("the buffer has %d bytes after a short line", cap(lines.buf))
	}
}

// choppy returns its bytes in pieces of random size.
type choppy struct {
	data  []byte
	sizes *rand.Rand
}

func (c *choppy) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.data[:min(len(c.data), 1+c.sizes.IntN(1<<c.sizes.IntN(22)))])
	c.data = c.data[n:]
	return n, nil
}

func TestReaderReturnsEveryLineHoweverTheStreamIsSplit(t *testing.T) {
	const limit = 5 << 20
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		var input []byte
		var want []string
		for i := range 60 {
			size := random.IntN(1 << random.IntN(18))
			if i%20 == 7 {
				size = random.IntN(6 << 20)
			}
			line := bytes.Repeat([]byte{byte('a' + i%26)}, size)
			input = append(append(input, line...), '\n')
			switch {
			case size > limit:
				want = append(want, fmt.Sprintf("too long: %d", size))
			case size > 0:
				want = append(want, string(line))
			}
		}
		lines := NewLineReader(&choppy{input, random}, limit)
		for i := 0; ; i++ {
			line, err := lines.Next()
			got := string(line)
			var long *LineTooLong
			if errors.As(err, &long) {
				got = fmt.Sprintf("too long: %d", long.Size)
			} else if err == io.EOF && i == len(want) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			if i >= len(want) || got != want[i] {
				t.Fatalf("seed %d: line %d is wrong: %d bytes, %.20q", seed, i, len(got), got)
			}
		}
	}
}

func TestALineCutOffIsDropped(t *testing.T) {
	lines := NewLineReader(strings.NewReader("whole\n{\"id\":1"), 100)
	lines.Whole = true
	if line, err := lines.Next(); string(line) != "whole" || err != nil {
		t.Errorf("got %q, %v", line, err)
	}
	if line, err := lines.Next(); line != nil || err != io.EOF {
		t.Errorf("got %q, %v", line, err)
	}
}

func TestAHugeBufferIsChargedAsItIsFilled(t *testing.T) {
	budget := NewBudget(80 << 20)
	input := strings.Repeat("x", 40<<20) + "\n" + strings.Repeat("y", 90<<20) + "\nshort\n"
	lines := NewLineReader(&choppy{[]byte(input), rand.New(rand.NewPCG(1, 2))}, 256<<20)
	lines.charge.Budget = budget
	if line, err := lines.Next(); len(line) != 40<<20 || err != nil || len(lines.buf) != 4*hugeBuffer {
		t.Errorf("a line within the budget: %d bytes in a buffer of %d, %v", len(line), len(lines.buf), err)
	}
	_, err := lines.Next()
	if long, ok := errors.AsType[*LineTooLong](err); !ok || !long.Full || long.Size != 90<<20 {
		t.Errorf("a line over the budget: %v", err)
	}
	if line, err := lines.Next(); string(line) != "short" || err != nil || budget.left != 80<<20 {
		t.Errorf("a short line: %s, %v; %d bytes of the budget are left", line, err, budget.left)
	}
}
