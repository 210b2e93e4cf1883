package lexicon

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestEachConceptHasWordsInEachLanguage(t *testing.T) {
	if n := len(concepts()); n < 400 {
		t.Errorf("the lexicon has %d concepts", n)
	}
	for _, c := range concepts() {
		var listed []string
		for part := range strings.SplitSeq(c.line, "|") {
			fields := strings.Fields(part)
			if len(fields) < 2 {
				t.Fatalf("%s: a language has no words", c.english)
			}
			listed = append(listed, fields[0])
			if words := slices.Sorted(slices.Values(fields[1:])); len(slices.Compact(words)) != len(fields)-1 {
				t.Errorf("%s: %s has a word twice", c.english, fields[0])
			}
			for _, word := range fields[1:] {
				if phrase := strings.ContainsAny(word, "+&"); phrase && languageOf(fields[0]).unspaced {
					t.Errorf("%s: %s: %s has the form of alphabetic scripts", c.english, fields[0], word)
				}
				if strings.Trim(word, "+&_|") != word && fields[0] != "ko" {
					t.Errorf("%s: %s: %s is incomplete", c.english, fields[0], word)
				}
			}
		}
		if !slices.Equal(listed, codes) {
			t.Errorf("%s has the languages %v, want %v", c.english, listed, codes)
		}
	}
}

func TestVerbsComeFirst(t *testing.T) {
	got, _ := Read("Die Datei bitte löschen")
	if want := []string{"delete", "file"}; !slices.Equal(got.Words, want) {
		t.Errorf("read as %q, want %q", got.Words, want)
	}
}

func TestNamesAreKept(t *testing.T) {
	for query, want := range map[string][]string{
		"Erstelle ein Issue in Jira":    {"issue", "jira"},
		"在GitHub上创建仓库":                  {"github"},
		"Создай задачу в Jira":          {"jira"},
		"Envoie le rapport à Zendesk":   {"zendesk"},
		"Slackチャンネルにメッセージを送信":           {"slack"},
		"Pokaż ceny hoteli w Barcelona": {"barcelona"},
	} {
		if got, _ := Read(query); !slices.Equal(got.Names, want) {
			t.Errorf("%q: names %q, want %q", query, got.Names, want)
		}
	}
}

func TestWordsInQuotesAreData(t *testing.T) {
	for query, want := range map[string][]string{
		`Sende "Die Datei ist gelöscht" an das Team`:           {"send", "team"},
		"发送“删除文件”给团队":                                          {"send", "team"},
		`Envoie le message 'Le serveur est arrêté' à l'équipe`: {"send", "message", "team"},
		`"Datei löschen"`: {"delete", "file"},
	} {
		if got, _ := Read(query); !slices.Equal(got.Words, want) {
			t.Errorf("%s is read as %q, want %q", query, got.Words, want)
		}
	}
}

func TestPhrasesMeanOneThing(t *testing.T) {
	for query, want := range map[string][]string{
		"Mets à jour le serveur":     {"update", "server"},
		"Schalte das Licht aus":      {"disable", "light", "lamp"},
		"bildschirmfoto, bitte":      {"screenshot"},
		"Lade die Datei hoch":        {"upload", "file"},
		"charger un fichier":         {"upload", "file"},  // the object of a phrase keeps its meaning
		"대표 연락처 찾기":                  {"find", "contact"}, // 표, a ticket or table, does not begin a word
		"未读邮件":                       {"email", "unread"},
		"zet de lamp in de gang uit": {"disable", "light", "lamp"},
	} {
		if got, _ := Read(query); !slices.Equal(slices.Sorted(slices.Values(got.Words)), slices.Sorted(slices.Values(want))) {
			t.Errorf("%q is read as %q, want %q", query, got.Words, want)
		}
	}
}

func TestSpellingVariantsAreRead(t *testing.T) {
	for query, want := range map[string]string{
		"Wettervorhersagen fuer Wien":   "weather",
		"dateien loeschen":              "delete",
		"DATEIEN LÖSCHEN":               "delete",
		"reunion mañana por la tarde":   "meeting",
		"wyslij wiadomosc do zespolu":   "message",
		"Cre\u0301er une facture":       "invoice",
		"Rechnungsdokumente suchen":     "invoice",
		"Monatsabrechnungen hochladen":  "upload",
		"Kundengespräche für diese KW":  "customer",
		"перезапустить все контейнеры":  "restart",
		"создать резервную копию файла": "file",
	} {
		if got, _ := Read(query); !slices.Contains(got.Words, want) {
			t.Errorf("%q is read as %q, want %q in it", query, got.Words, want)
		}
	}
}

func TestUnknownForeignWordsAreNotRead(t *testing.T) {
	for _, query := range []string{"", " ", "…", "der die das", "été", "ㅋㅋㅋ", "щщщ", "ابحث عن ملف", "ค้นหาไฟล์", "\xff\xfe", "🙂🙂"} {
		if got, ok := Read(query); ok {
			t.Errorf("%q is read as %q", query, got.Words)
		}
	}
}

func TestReadingsAreLimited(t *testing.T) {
	for _, word := range []string{"löschen ", "Datei für ", "удалить ", "削除", "파일"} {
		got, _ := Read(strings.Repeat(word, 100_000))
		if len(got.Words) > maxWords || len(got.Names) > maxWords {
			t.Errorf("%d words, %d names", len(got.Words), len(got.Names))
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, line := range append(linesOf(f, "foreign.txt"), linesOf(f, "english.txt")...) {
		f.Add(line)
	}
	f.Add("„‘“'\"`«")
	f.Add("\xe5\x88" + strings.Repeat("wetter", 300))
	f.Fuzz(func(t *testing.T, query string) {
		got, ok := Read(query)
		if ok != (len(got.Words) > 0) || len(got.Words) > maxWords || len(got.Names) > maxWords {
			t.Errorf("%q is read as %q with names %q: %v", query, got.Words, got.Names, ok)
		}
		for _, w := range got.Words {
			if w == "" || !isASCII(w) {
				t.Errorf("%q is read with %q", query, w)
			}
		}
		if utf8.ValidString(query) && !utf8.ValidString(got.English()) {
			t.Errorf("%q is read as invalid UTF-8 %q", query, got.English())
		}
	})
}

func BenchmarkReadEnglish(b *testing.B) {
	for b.Loop() {
		Read("Open a GitHub issue about the broken login button in acme/web and assign it to me.")
	}
}

func BenchmarkReadGerman(b *testing.B) {
	for b.Loop() {
		Read("Wettervorhersage für morgen in Hamburg und Berlin")
	}
}

func BenchmarkNewLanguage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newLanguage("de")
	}
}
