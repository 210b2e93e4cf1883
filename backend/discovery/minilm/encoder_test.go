package minilm

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
)

// readTexts reads a file of texts in testdata, each a JSON string on a line of its own.
func readTexts(t testing.TB, name string) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for line := range bytes.Lines(data) {
		var text string
		if err := json.Unmarshal(line, &text); err != nil {
			t.Fatal(err)
		}
		texts = append(texts, text)
	}
	return texts
}

// readVectors reads what build/model/reference.py made of the sentences.
func readVectors(t *testing.T) [][]float32 {
	t.Helper()
	data, err := os.ReadFile("testdata/sentences.vectors")
	if err != nil {
		t.Fatal(err)
	}
	var vectors [][]float32
	for ; len(data) > 0; data = data[2*Dimensions:] {
		vector := make([]float32, Dimensions)
		for i := range vector {
			vector[i] = float32(int16(binary.LittleEndian.Uint16(data[2*i:]))) / 32767
		}
		vectors = append(vectors, vector)
	}
	return vectors
}

// apart is one minus the cosine of the angle between two vectors.
func apart(a, b []float32) float64 {
	var product, squareA, squareB float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		product, squareA, squareB = product+x*y, squareA+x*x, squareB+y*y
	}
	return 1 - product/math.Sqrt(squareA*squareB)
}

func TestVectorsAreThoseOfThePublishedModel(t *testing.T) {
	sentences, vectors := readTexts(t, "sentences.jsonl"), readVectors(t)
	if len(sentences) != 200 || len(vectors) != 200 {
		t.Fatalf("%d sentences and %d vectors", len(sentences), len(vectors))
	}
	for _, k := range everyKernels() {
		t.Run(k.name, func(t *testing.T) {
			e := New()
			e.kernels = k
			var most, all float64
			every := 1
			if k.name == plain.name {
				every = 20 // it is slow, and the same to the bit
				if watched {
					every = 100
				}
			}
			for i := 0; i < len(sentences); i += every {
				sentence := sentences[i]
				distance := apart(e.Encode(sentence, 0), vectors[i])
				if most, all = max(most, distance), all+distance; distance > 1e-3 || math.IsNaN(distance) {
					t.Errorf("%q is %.2g away", sentence, distance)
				}
			}
			t.Logf("1-cosine: at most %.2g, %.2g in the mean", most, all*float64(every)/200)
		})
	}
}

func TestKernelsOfThisProcessorGiveTheSameVectorToTheBit(t *testing.T) {
	texts := []string{"", "one", "a tool that finds tools"}
	if !watched {
		texts = append(texts, strings.Repeat("many words and ", 20))
	}
	exact := New()
	exact.kernels = plain
	for _, text := range texts {
		want := exact.Encode(text, 256)
		for _, k := range everyKernels()[1:] {
			e := New()
			e.kernels = k
			for i, got := range e.Encode(text, 256) {
				if want[i] != got {
					t.Fatalf("%s: %q has %v at %d, not %v", k.name, text, got, i, want[i])
				}
			}
		}
	}
}

func TestEveryTextHasAVectorOfLengthOne(t *testing.T) {
	e := New()
	for _, text := range []string{"", " \n", "\xff\xfe\x80", "\u0301", "🙂", strings.Repeat("long ", 1e5), strings.Repeat("x", 1e6)} {
		for _, most := range []int{-1, 0, 1, 2, 3, 5, 17, 256, 1 << 30} {
			var square float64
			vector := e.Encode(text, most)
			for _, value := range vector {
				square += float64(value) * float64(value)
			}
			if len(vector) != Dimensions || math.Abs(square-1) > 1e-5 {
				t.Errorf("the vector of %.20q in %d tokens has the length %v", text, most, math.Sqrt(square))
			}
		}
	}
}

func TestSentencesThatMeanAlikeAreNear(t *testing.T) {
	e := New()
	asked := e.Encode("will I need an umbrella tomorrow?", 0)
	weather := e.Encode("Get the weather forecast for a city.", 0)
	invoice := e.Encode("Refund an invoice of a customer.", 0)
	if near, far := apart(asked, weather), apart(asked, invoice); near > far-0.2 {
		t.Errorf("the forecast is %.2f away and the invoice %.2f", near, far)
	}
}

func TestWhatIsPastTheTokensDoesNotCount(t *testing.T) {
	e := New()
	if apart(e.Encode("one two three four", 4), e.Encode("one two", 0)) > 1e-9 {
		t.Error("the third word counts")
	}
	if apart(e.Encode("one two three", 5), e.Encode("one two", 0)) < 1e-3 {
		t.Error("the third word does not count")
	}
}

func TestManyMayEncodeAtOnce(t *testing.T) {
	e := New()
	sentences := readTexts(t, "sentences.jsonl")[:24]
	want := make([][]float32, len(sentences))
	for i, sentence := range sentences {
		want[i] = e.Encode(sentence, 32)
	}
	var all sync.WaitGroup
	for worker := range 6 {
		all.Go(func() {
			for i := range sentences {
				at := (i + 4*worker) % len(sentences)
				if got := e.Encode(sentences[at], 32); apart(got, want[at]) != apart(want[at], want[at]) {
					t.Errorf("%q has another vector", sentences[at])
				}
				if i == 10 {
					e.Release()
				}
			}
		})
	}
	all.Wait()
	if len(e.scratch) > maxIdle {
		t.Errorf("%d sets of scratch memory are kept", len(e.scratch))
	}
	if e.Release(); len(e.scratch) != 0 {
		t.Error("scratch memory is kept after all")
	}
}

func TestAnEncoderTakesLittleMemory(t *testing.T) {
	made := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			New()
		}
	})
	if bytes := made.AllocedBytesPerOp(); bytes > 800<<10 {
		t.Errorf("an encoder takes %d bytes: are the tables copied?", bytes)
	}
}

func benchmark(b *testing.B, text string, tokens int) {
	e := New()
	if got := len(e.words.tokens(text, tokens)); got != tokens {
		b.Fatalf("the text has %d tokens, not %d", got, tokens)
	}
	for b.Loop() {
		e.Encode(text, tokens)
	}
}

func BenchmarkQuery(b *testing.B) {
	benchmark(b, "find the slowest queries of the last hour, please", 12)
}

func BenchmarkDocument64(b *testing.B) {
	benchmark(b, strings.Repeat("returns the rows of a table as text ", 20), 64)
}

func BenchmarkDocument128(b *testing.B) {
	benchmark(b, strings.Repeat("returns the rows of a table as text ", 20), 128)
}
