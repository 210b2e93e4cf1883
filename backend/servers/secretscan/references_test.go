package secretscan

import (
	"strings"
	"testing"
)

func TestReferencesAreShownAndCredentialsBesideThemAreNot(t *testing.T) {
	for _, text := range []string{
		"--token ${env:THE_TOKEN}", "--token=${secret:THE_TOKEN}", "API_KEY=${env:API_KEY}",
		`--header "Authorization: Bearer ${secret:AUTHORIZATION}"`, "Authorization: Bearer ${env:THE_TOKEN}",
		"https://me:${secret:URL_PASSWORD}@h/mcp?token=${secret:URL_TOKEN}",
		"postgres://me:${env:PG_PASS}@db/app", "Server=db;Password=${secret:DB_PASSWORD};Encrypt=true", `["--api-key", "${env:API_KEY}"]`,
		"--password {{password}}", "--api-key={env:API_KEY}", "TOKEN=${{ secrets.TOKEN }}",
	} {
		if got := Redact(text); got != text {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
	for _, text := range []string{
		"--token ${env:THE_TOKEN:-hunter22}", "--token=${env:THE_TOKEN:-hunter22}", "API_KEY=${API_KEY:-hunter22}",
		"https://me:${env:P:-hunter22}@h/mcp", "https://me:hunter22${env:P}@h/", "${hooks.slack.com/services/hunter22/abcdefgh}",
		"\xff TOKEN=hunter22 ${env:P} \xfe",
	} {
		if got := Redact(text); strings.Contains(got, "hunter22") {
			t.Errorf("%s is shown as %s", text, got)
		}
	}
	for value, want := range map[string]bool{
		"${env:A}": true, "${secret:a/B}": true, "Bearer ${secret:A}": true, "${env:A} ${env:B}": true, "{{secret}}": true,
		"${{ secrets.A }}": true, "${A}": true, "": false, "hunter22": false, "${env:A:-hunter22}": false, "hunter22${env:A}": false,
		"Bearer hunter22": false, "${env:A": false,
	} {
		if got := IsReference(value); got != want {
			t.Errorf("IsReference(%q) = %v", value, got)
		}
	}
}
