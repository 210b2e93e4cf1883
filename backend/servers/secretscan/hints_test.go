package secretscan

import (
	"strings"
	"testing"
)

// plainHints returns the same hints as parts.in, but searches for each string
// separately.
func plainHints(text string) hint {
	var seen hint
	lower := strings.ToLower(text)
	for _, list := range hints.at {
		for _, p := range list {
			if strings.Contains(text, p.text) || p.fold && strings.Contains(lower, p.text) {
				seen |= p.hint
			}
		}
	}
	return seen
}

func FuzzHintsAreFoundInOnePass(f *testing.F) {
	for _, text := range []string{
		"", "a", "no part at all", "API-KEY=1", "my PassWord", "xxox", "sksk-", "https://u:p@h", "Basic x", "tokentoke",
		"-----BEGIN PRIVATE KEY-----", "ppat", "eyeyJ", "BEARER", "\xff\xfepa\xffpat", "KEY toKen", "at the very end: dsn",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// Remove non-ASCII letters for plainHints, because ToLower maps some of
		// them to ASCII letters.
		if got, want := hints.in(text), plainHints(asciiOnly(text)); got != want {
			t.Errorf("%q gives %05b, want %05b", text, got, want)
		}
	})
}

func asciiOnly(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 0x80 {
			return 0
		}
		return r
	}, text)
}

func BenchmarkTextWithoutSecrets(b *testing.B) {
	text := `{"message":"` + strings.Repeat("the quick brown fox jumps over the lazy dog, and then it rests; ", 16) + `"}`
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Redact(text)
	}
}
