package secretscan

import (
	"strings"
	"testing"
)

func TestCredentialsAreFoundByShapeAndNotByName(t *testing.T) {
	token := "glpat-" + strings.Repeat("aB3_", 5)
	key := "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----"
	text := "token=short password: hunter22\n" + key + "\nmysql://bob:pa55word@db " + token + " Bearer 0123456789"
	var got []string
	for _, p := range Find(text) {
		got = append(got, p.Kind+" "+text[p.From:p.To])
	}
	want := []string{"private key " + key, "password in a URL pa55word", "token " + token, "authorization 0123456789"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("got %q, want %q", got, want)
	}
}
