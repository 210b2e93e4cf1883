package search

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPluralsOfAbbreviationsAreSingleWords(t *testing.T) {
	for text, want := range map[string]string{
		"getUserIDs": "get user ids", "listPRs": "list prs listprs", "URLsOfAPIs": "urls of apis", "HTTPStatus": "http status httpstatus",
		"userIDs2": "user ids2 userids2", "PDFs and CSVs": "pdfs and csvs",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestScriptsWithoutSpacesAreSplitIntoPairs(t *testing.T) {
	for text, want := range map[string]string{
		"搜索附近的餐厅":     "搜索 索附 附近 近的 的餐 餐厅",
		"搜 索":         "搜 索",
		"list搜索files": "list 搜索 files",
		"カタカナ":        "カタ タカ カナ",
		"ภาษาไทย":     "ภา าษ ษา าไ ไท ทย",
		"한국어 검색":      "한국어 검색", // Korean is written with spaces
		"。搜索。":        "搜索",
	} {
		if got := strings.Join(words(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func FuzzWordsAreValid(f *testing.F) {
	for _, text := range []string{"createIssue", "搜索x", "\xff\xfeA\x00b", "ÀÉß", "ǅungla", "a\u0301b", "İstanbul", "🙂é", "HTTPServerIDs"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		letters := 0
		for _, word := range words(text) {
			if word == "" || !utf8.ValidString(word) || strings.ContainsAny(word, " \t\n_-/.\x00") {
				t.Errorf("%q contains the invalid word %q", text, word)
			}
			letters += len(word)
		}
		if letters > 6*len(text)+8 { // pairs repeat each letter, and lower case may take more bytes
			t.Errorf("%q has %d bytes of words", text, letters)
		}
		if again := folded(folded(text)); again != folded(text) {
			t.Errorf("folding %q twice gives %q", text, again)
		}
	})
}
