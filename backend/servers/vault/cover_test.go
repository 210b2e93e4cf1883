package vault_test

import (
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/redact"
	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

const coveredSecret = "Kj8-correct/horse+battery=staple_42"

// encodings are forms in which programs write a secret.
func encodings(secret string) map[string]string {
	spaced := strings.Join(strings.Split(secret, ""), " ")
	encoded := base64.StdEncoding.EncodeToString([]byte("Authorization: Bearer " + secret + ", and more text of the message"))
	out := map[string]string{
		"as it is": secret, "in JSON": strings.ReplaceAll(secret, "/", `\/`), "in a query": url.QueryEscape(secret),
		"hexadecimal": hex.EncodeToString([]byte(secret)), "upper case hexadecimal": strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"with spaces": spaced, "one character per line": strings.ReplaceAll(spaced, " ", "\n"),
		"in base64 on several lines": encoded[:30] + "\n" + encoded[30:50] + "\r\n" + encoded[50:],
	}
	escaped := ""
	for i := range len(secret) {
		escaped += fmt.Sprintf("%%%02x", secret[i])
	}
	for name, format := range map[string]string{
		"with colons": "%02x:", "with colons in upper case": "%02X:", "with dashes": "%02X-", "as numbers": "0x%02x, ",
		"as upper case numbers": "0x%02X,", "in a string": `\x%02x`, "in a string in JSON": `\\x%02x`,
	} {
		for i := range len(secret) {
			out["hexadecimal "+name] += fmt.Sprintf(format, secret[i])
		}
	}
	for _, lines := range []string{"one character per line", "in base64 on several lines"} {
		inJSON, _ := json.Marshal(out[lines])
		out[lines+" in JSON"] = string(inJSON)
	}
	out["percent-encoded"], out["percent-encoded in upper case"] = escaped, strings.ToUpper(escaped)
	for _, before := range []string{"", "a", "ab", "abc"} {
		for _, after := range []string{"", "x", "xy", "xyz"} {
			text := []byte(before + secret + after)
			out["base64 "+before+after] = base64.StdEncoding.EncodeToString(text)
			out["base64 for URLs "+before+after] = base64.RawURLEncoding.EncodeToString(text)
		}
	}
	return out
}

// separators matches text that separates hexadecimal bytes from each other, or lines.
var separators = regexp.MustCompile(`\\+x|0x|\\[nrt]|[\s:,-]`)

// leaks reports whether a text, or one of its base64 or hexadecimal parts after decoding, has eight characters of the
// secret in a row.
func leaks(text, secret string) bool {
	if plain := separators.ReplaceAllString(text, ""); plain != text && leaks(plain, secret) {
		return true
	}
	texts := []string{text, strings.NewReplacer(" ", "", "\n", "", "\r", "").Replace(text)}
	for _, encoded := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("[] <>\n", r) }) {
		for cut := range 4 {
			part := strings.TrimRight(encoded[min(cut, len(encoded)):], "=")
			for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
				plain, _ := alphabet.DecodeString(part[:len(part)-len(part)%4])
				texts = append(texts, string(plain))
			}
		}
		plain, _ := hex.DecodeString(encoded)
		texts = append(texts, string(plain))
	}
	for _, text := range texts {
		for i := 0; i+8 <= len(secret); i++ {
			if strings.Contains(text, secret[i:i+8]) {
				return true
			}
		}
	}
	return false
}

func TestSecretsOfAllServersAreCoveredAfterARestartWithoutTheirValues(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("owner", "TOKEN", coveredSecret)
	d.set("owner", "PIN", "4711")
	long := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 40)
	d.set("owner", "LONG", long)

	// The hub starts again; nothing reads the values.
	again := openFixture(t, d.folder, true).unlock("a passphrase")
	other := again.given.Redactor("other", launch.Launch{})
	for what, text := range encodings(coveredSecret) {
		for who, covered := range map[string]string{
			"another server": other.Text("<" + text + ">"), "the log": again.given.Text("<" + text + ">"),
		} {
			if leaks(covered, coveredSecret) {
				t.Errorf("%s, in the texts of %s: %s", what, who, covered)
			}
			if !strings.HasPrefix(covered, "<") || !strings.HasSuffix(covered, ">") {
				t.Errorf("%s: more was covered than the secret: %s", what, covered)
			}
		}
	}
	if got := other.Text("a " + long + " b"); strings.Contains(got, "ijklmno") {
		t.Errorf("a long secret: %.200s", got)
	}
	if head, _ := other.Head("a "+long, 700); strings.Contains(head, "ijklmno") {
		t.Errorf("the beginning of a text with a long secret: %s", head)
	}
	if got := other.Text("room 4711"); got != "room 4711" {
		t.Errorf("a short secret of another server: %s", got)
	}
	if got := again.given.Redactor("owner", launch.Launch{}).Text("room 4711"); got != "room [redacted]" {
		t.Errorf("a short secret of the server: %s", got)
	}
	const ordinary = "Kj8-correct/horse+battery=stable_42 and more, K j 8"
	if got := other.Text(ordinary); got != ordinary {
		t.Errorf("an ordinary text: %s", got)
	}
}

func TestOnlyAVaultWithSecretsWaitsForThePassphrase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for what, secrets := range map[string]stored{
			"no secret":        nil,
			"a deleted secret": {{Server: "one", Name: "KEY", Kept: vault.InFile, Dropped: true}},
			"a secret":         {{Server: "one", Name: "KEY", Kept: vault.InFile}},
		} {
			known := redact.NewKnownSecrets()
			v := vault.New(vault.Options{
				Store: secrets, Bus: &events.Bus{}, Folder: paths.Folder(t.TempDir()), Known: known, NoKeychain: true,
			})
			v.UnlockLater("a passphrase") // the passphrase is still being tried
			ctx, cancel := context.WithCancel(t.Context())
			go func() { _ = v.Run(ctx) }()
			synctest.Wait()
			began := time.Now()
			if got, want := known.Await(t.Context()), what != "a secret"; got != want || got && time.Since(began) > 0 {
				t.Errorf("%s: safe is %v after %s", what, got, time.Since(began))
			}
			cancel()
		}
	})
}

// stored is a store with nothing but records of secrets.
type stored []vault.Record

func (s stored) Secrets(context.Context, string) ([]vault.Record, error) { return s, nil }
func (stored) PutSecret(context.Context, vault.Record) error             { return nil }
func (stored) MarkSecret(context.Context, vault.Record) error            { return nil }
func (stored) DropSecrets(context.Context, string, string) error         { return nil }
func (stored) RemoveDropped(context.Context, string, string) error       { return nil }
func (stored) SecretLinks(context.Context) ([]vault.Link, error)         { return nil, nil }
func (stored) PutSecretLink(context.Context, vault.Link) error           { return nil }
func (stored) RemoveSecretLink(context.Context, vault.Link) error        { return nil }

func TestTheStoreTellsNothingAboutSecrets(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "TOKEN", coveredSecret)
	records, err := d.store.Secrets.Secrets(t.Context(), "")
	if err != nil || len(records) != 1 || len(records[0].Prints) == 0 {
		t.Fatalf("got %v, %v", records, err)
	}
	for _, part := range []string{coveredSecret[:8], coveredSecret[len(coveredSecret)-8:]} {
		if strings.Contains(string(records[0].Prints), part) {
			t.Errorf("the fingerprints contain %q", part)
		}
	}
	// Fingerprints that were made with another key have no effect and cause no failure.
	if err := os.Remove(d.folder.Sealed("secrets")); err != nil {
		t.Fatal(err)
	}
	again := openFixture(t, d.folder, true).unlock("another passphrase")
	if got := again.given.Text(coveredSecret); got != coveredSecret {
		t.Errorf("got %s", got)
	}
}

func TestSecretsOfOlderVersionsAreCoveredOnceTheyCanBeRead(t *testing.T) {
	d := newFixture(t).unlock("a passphrase")
	d.set("one", "TOKEN", coveredSecret)
	records, err := d.store.Secrets.Secrets(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	records[0].Prints = nil
	if err := d.store.Secrets.PutSecret(t.Context(), records[0]); err != nil {
		t.Fatal(err)
	}
	again := openFixture(t, d.folder, true).unlock("a passphrase")
	if got := again.given.Text(coveredSecret); got != secretscan.Redacted {
		t.Errorf("got %s", got)
	}
	if records, err = d.store.Secrets.Secrets(t.Context(), ""); err != nil || len(records[0].Prints) == 0 {
		t.Errorf("the fingerprints were not stored: %v", err)
	}
}

// oldFile is a file of secrets with the passphrase "a passphrase", and oldPrints are the fingerprints of its only
// secret, in base64. The first version of the program made them: it computed a fingerprint of the value itself, but of
// none of its encodings.
//
//go:embed testdata/oldprints/secrets.age
var oldFile []byte

const oldPrints = "fZNSgTuNlge1IFzqBYdxnDqidPpZ7T2zMRm2fXWoKvri9vzkDsmSiUV9HZYpVqM="

func TestFingerprintsOfAnOlderVersionAreMadeAnew(t *testing.T) {
	d := newFixture(t)
	if err := os.WriteFile(d.folder.Sealed("secrets"), oldFile, 0o600); err != nil {
		t.Fatal(err)
	}
	prints, err := base64.StdEncoding.DecodeString(oldPrints)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.store.Secrets.PutSecret(t.Context(), vault.Record{
		Server: "one", Name: "TOKEN", Kept: vault.InFile, Prints: prints,
	}); err != nil {
		t.Fatal(err)
	}
	d.unlock("a passphrase")
	encoded := hex.EncodeToString([]byte(coveredSecret))
	if got := d.given.Text(coveredSecret + " " + encoded); strings.Contains(got, encoded) || strings.Contains(got, coveredSecret) {
		t.Errorf("got %s", got)
	}
}

func TestOwnSecretsDoNotFollowAServerToAnotherPlace(t *testing.T) {
	configured := launch.Launch{Transport: "streamable-http", URL: "https://mcp.example.com/a"}
	d := openFixtureWith(t, vault.Options{
		Folder: paths.Folder(t.TempDir()), NoKeychain: true, Launch: func(string) (launch.Launch, bool) { return configured, true },
	})
	d.unlock("a passphrase").set("one", "API_KEY", "correct-horse")
	for _, same := range []string{"https://mcp.example.com/a", "https://MCP.example.com:443/b?c=d"} {
		if l, err := d.Fill(t.Context(), "one", launch.Launch{Transport: "sse", URL: same}); err != nil ||
			l.Headers["Authorization"] != "Bearer correct-horse" {
			t.Errorf("%s: %v, %v", same, l.Headers, err)
		}
	}
	for _, changed := range []launch.Launch{
		{Transport: "sse", URL: "https://evil.example/a"},
		{Transport: "sse", URL: "http://mcp.example.com/a"},
		{Transport: "sse", URL: "https://mcp.example.com:8443/a"},
		{Transport: "sse", URL: "https://mcp.example.com@evil.example/"},
		{Transport: "sse", URL: "https://evil.example/", Headers: pairs{"X-Key": "${secret:API_KEY}"}},
		{Transport: "sse", URL: "https://evil.example/?k=${secret:API_KEY}"},
		{Transport: "stdio", Command: "sh"},
	} {
		l, err := d.Fill(t.Context(), "one", changed)
		wantFault(t, err, fault.Denied, "was set for https://mcp.example.com, but would now be sent to ",
			"agent-discover secrets set one API_KEY")
		if strings.Contains(fmt.Sprint(l), "correct-horse") {
			t.Errorf("%+v got the secret", changed)
		}
	}
	configured.URL = "https://new.example/"
	d.set("one", "API_KEY", "correct-horse") // a person sets the secret again for the new destination
	if l, err := d.Fill(t.Context(), "one", configured); err != nil || l.Headers["Authorization"] != "Bearer correct-horse" {
		t.Errorf("after it was set again: %v, %v", l.Headers, err)
	}
}

func TestAShortPassphraseIsRefused(t *testing.T) {
	d := newFixture(t)
	for _, passphrase := range []string{"a", "1234567", "ääääääa"} {
		wantFault(t, d.Unlock(t.Context(), passphrase), fault.Invalid, "fewer than 8 characters", "nothing was changed")
	}
	wantFault(t, d.UnlockLater("a")(t.Context()), fault.Invalid, "fewer than 8 characters")
	wantFault(t, d.Set(t.Context(), "one", "KEY", "value"), fault.Unavailable,
		"AGENT_DISCOVER_PASSPHRASE was refused: the passphrase has fewer than 8 characters")
	if _, err := os.Stat(d.folder.Sealed("secrets")); err == nil {
		t.Error("a file was created")
	}
	d.unlock("12345678")
}
