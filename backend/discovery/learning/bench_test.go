package learning

import (
	"fmt"
	"testing"
	"time"
)

// fill adds maxPairs queries of four to seven words to the memory, out of a
// vocabulary of the given size. Nine common words occur in hundreds of queries.
func fill(d *fixture, words int) {
	for i := range maxPairs {
		text := ""
		for j := range 3 + i%4 {
			n := (i*7919 + j*104729) % words
			text += fmt.Sprintf(" w%c%c%c", 'a'+n%26, 'a'+n/26%26, 'a'+n/676%26)
			if j == 0 { // each query shares a common word with hundreds of others
				text += fmt.Sprintf(" common%c", 'a'+i%9)
			}
		}
		p := Pair{
			ID: int64(i + 1), Query: text, Tool: key(fmt.Sprint("tool", i%500)), Times: 1 + i%5,
			Last: d.clock.Add(-time.Duration(i) * time.Hour),
		}
		d.memory.put(p, needOf(text))
	}
}

func BenchmarkLifts(b *testing.B) {
	for _, c := range []struct {
		name  string
		fill  func(*fixture)
		query string
	}{
		{"5000 pairs", func(d *fixture) { fill(d, 2_000) }, "please waaa commona for the"},
		{"5000 pairs, few words", func(d *fixture) { fill(d, 40) }, "waaa commona wjaa wbba wcba"},
		{"5000 similar pairs", func(d *fixture) {
			for i := range maxPairs {
				text := fmt.Sprintf("read all unread mail w%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
				d.memory.put(Pair{ID: int64(i + 1), Query: text, Tool: key(fmt.Sprint(i)), Times: 1, Last: d.clock}, needOf(text))
			}
		}, "read all unread mail"},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := newFixture(b)
			c.fill(d)
			if d.Count() != maxPairs || len(d.Lifts(c.query)) == 0 {
				b.Fatal("no lifts")
			}
			b.ReportAllocs()
			for b.Loop() {
				d.Lifts(c.query)
			}
		})
	}
}

func BenchmarkLearning(b *testing.B) {
	d := newFixture(b)
	fill(d, 2_000)
	shown := keys("a b c d e")
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		d.clock = d.clock.Add(time.Minute)
		d.Asked("one", Answer{fmt.Sprintf("quite new need w%c%c%c", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26), shown})
		d.Called("one", shown[0], true)
	}
}
