package secretscan

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// hostile returns texts of about n bytes that a malicious server may send to keep the hub busy. Their parts begin a
// credential that never ends.
func hostile(n int) map[string]string {
	fill := func(part string) string { return strings.Repeat(part, n/len(part)) }
	out := map[string]string{
		"a JSON document": `[` +
			fill(`{"id":12345,"token":"abcdefgh","apiKey":1234567,"url":"https://h.example/path?x=y","text":"a key of \"b\""},`) + `0]`,
		"one string":                `{"token":"` + fill("lorem ipsum dolor ") + `"}`,
		"one word":                  "token " + fill("a"),
		"base64":                    "token " + fill("aB3+/dE5"),
		"base64 in JSON":            `{"password":1,"data":"` + fill("aB3_-dE5") + `"}`,
		"digits":                    "token " + fill("1234567890"),
		"spaces after a name":       "token" + fill(" "),
		"spaces after a flag":       "--token" + fill(" "),
		"spaces after a scheme":     "bearer" + fill(" "),
		"an open string":            `token="` + fill("a "),
		"an open string of escapes": `token="` + fill(`\"token=`),
		"a long scheme":             "token " + fill("a.") + "://",
		"all of them":               "",
	}
	for _, part := range []string{
		"token", "token ", "token=", "token:", "token=a ", "a=b ", "a:", ":", "=", `"`, `\"`, `\\\"`, `token="`, `token=\"`, `"token":"`,
		`"token":1234567,`, "'", "--token '", `--token "`, `"--token","`, `"--token",`, "--token ", "--token --",
		"--token -", "-", "- -", "${", "token=${", "token=${a:-", "{", "{{", "{{a", "{env:", "{env:a", "${a:", "}", "}}",
		"token=${a}", "://", "a://", "1://", "http://a:", "http://a:b", "http://a:b@", "http://a:@", ":b@", "a://:", "@", "bearer ",
		"basic\n", "b ", "bearer basicbasic ", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "-----BEGIN A PRIVATE KEY-----\n-----END ",
		"-----END PRIVATE KEY-----", "PRIVATE KEY", "-----", "sk-", "sk ", "pat", "pat ", "pat.", "eyJ", "eyJ-", "-eyJ", "eyJabcdefgh.",
		"-eyJabcdefgh.eyJ", "-eyJabcdefgh-eyJabcdefgh-eyJabcdefgh.eyJabcdefgh-eyJ", "SG.", "SG.abcdefghijklmnop.", "xoxb-", "AKIA",
		"AKIAABCDEFGHIJKLMNOPQ", "hook.", "hook.a.make.com/", "maker.ifttt.com/trigger/", "maker.ifttt.com/trigger/a/with/key/",
		"-maker.ifttt.com", "hooks.slack.com/services/", "discord.com/api/webhooks/1", "1234567890:AA", ":AA", "key_", "KeY", "aB",
		"a-b.c_", "é", "\xff", "\ue000",
	} {
		out[part] = "token pat " + fill(part)
		out["all of them"] += part
	}
	for what, text := range out {
		if what != "a JSON document" {
			quoted, _ := json.Marshal(text)
			out[what+" in JSON"] = string(quoted)
			out[what+" and an end"] = text + `"}' --token abcdefgh`
		}
	}
	return out
}

// steps returns the number of bytes that a scanner examines. A byte that it examines several times counts each time.
func steps(text string) int {
	hidden, _ := hideReferences(text)
	s := scanner{text: hidden}
	s.recognized(allHints)
	return s.steps
}

func TestWorkGrowsOnlyInProportionToTheText(t *testing.T) {
	const n = 40_000
	double := hostile(2 * n)
	for what, text := range hostile(n) {
		once, twice := steps(text), steps(double[what])
		if most := 32*len(text) + 1000; once > most {
			t.Errorf("%q: %d bytes take %d steps", what, len(text), once)
		}
		if most := 2*once + once/4 + 1000; len(double[what]) < 3*len(text) && twice > most {
			t.Errorf("%q: %d steps, and %d for a text that is twice as long", what, once, twice)
		}
	}
}

func BenchmarkHostileTexts(b *testing.B) {
	for what, text := range hostile(250_000) {
		b.Run(fmt.Sprintf("%q", what), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Redact(text)
			}
		})
	}
}
