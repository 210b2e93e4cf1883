package minilm

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestTokensMatchTheModelsOwnTokenizer(t *testing.T) {
	words := readVocabulary(vocabularyData)
	for _, name := range []string{"sentences", "odd"} {
		data, err := os.ReadFile("testdata/" + name + ".tokens")
		if err != nil {
			t.Fatal(err)
		}
		want := strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
		texts := readTexts(t, name+".jsonl")
		if len(want) != len(texts) {
			t.Fatalf("got %d texts and the tokens of %d", len(texts), len(want))
		}
		for i, text := range texts {
			if got := strings.Trim(fmt.Sprint(words.tokens(text, defaultTokens)), "[]"); got != want[i] {
				t.Errorf("tokens of %q:\ngot  %s\nwant %s", text, got, want[i])
			}
		}
	}
}

func TestEveryWordOfTheVocabularyIsFound(t *testing.T) {
	words := readVocabulary(vocabularyData)
	for id := range wordCount {
		word := words.word(id)
		sum := noHash
		for i := range len(word) {
			sum = sum.add(word[i])
		}
		if found, ok := words.find(sum, "", []byte(word)); !ok || int(found) != id {
			t.Fatalf("%q has the ID %d, %v, want %d", word, found, ok, id)
		}
	}
}

func TestInvalidUTF8IsSkipped(t *testing.T) {
	words := readVocabulary(vocabularyData)
	want, got := words.tokens("hello world", 0x10), words.tokens("hel\xfflo\xc3 wor\xf0\x9f\x98ld", 0x10)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got the tokens %v, want %v", got, want)
	}
}

func FuzzTokens(f *testing.F) {
	for _, text := range []string{
		"", "hello", "[SEP]", "[[MASK]", "\xff", "é", "e\u0301", "한국어", "漢字", strings.Repeat("x", 101), "\u1e9b\u0323",
	} {
		f.Add(text, 9)
	}
	words := readVocabulary(vocabularyData)
	f.Fuzz(func(t *testing.T, text string, most int) {
		most = 2 + max(most, -most, 0)%300
		ids := words.tokens(text, most)
		if len(ids) < 2 || len(ids) > most || ids[0] != begin || ids[len(ids)-1] != end {
			t.Fatalf("%q with at most %d tokens has the tokens %v", text, most, ids)
		}
		for _, id := range ids {
			if int(id) >= wordCount {
				t.Fatalf("invalid token %d", id)
			}
		}
		whole := words.tokens(text, len(text)*utf8.UTFMax+64)
		if cut := ids[:len(ids)-1]; fmt.Sprint(cut) != fmt.Sprint(whole[:len(cut)]) {
			t.Fatalf("%q has the tokens %v, but with at most %d tokens %v", text, whole, most, cut)
		}
	})
}
