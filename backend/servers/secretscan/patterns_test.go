package secretscan

import (
	"encoding/json"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// These regular expressions match the credentials that the methods of a scanner must find.
var (
	// knownShape matches tokens with a prefix by which their issuers make them
	// recognizable.
	knownShape = regexp.MustCompile(`\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or|svcacct|admin)?[-_A-Za-z0-9]{16,}` +
		`|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[-_A-Za-z0-9]{16,}` +
		`|\bxox[abeoprs]-[-A-Za-z0-9]{10,}|\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bAIza[-_A-Za-z0-9]{30,}` +
		`|\bxapp-[0-9]-[-A-Za-z0-9]{20,}|\bshp(?:at|ss|ca|pa)_[a-fA-F0-9]{32}|\bntn_[A-Za-z0-9]{40,}|\blin_api_[A-Za-z0-9]{30,}|\bfigd_[-_A-Za-z0-9]{30,}` +
		`|\bSG\.[-_A-Za-z0-9]{16,}\.[-_A-Za-z0-9]{16,}|\bsbp_[a-f0-9]{40}|\bsb_secret_[-_A-Za-z0-9]{20,}|\btvly-[-A-Za-z0-9]{20,}|\bgsk_[A-Za-z0-9]{30,}` +
		`|\bxai-[A-Za-z0-9]{40,}|\bpplx-[A-Za-z0-9]{30,}|\br8_[A-Za-z0-9]{30,}|\bya29\.[-_A-Za-z0-9]{20,}|\bGOCSPX-[-_A-Za-z0-9]{20,}|\bdapi[a-f0-9]{32}` +
		`|\bph[cx]_[A-Za-z0-9]{30,}|\bnvapi-[-_A-Za-z0-9]{30,}|\bATATT3[-_=A-Za-z0-9]{50,}|\bhvs\.[-_A-Za-z0-9]{20,}|\bglsa_[A-Za-z0-9]{30,}|\bapify_api_[A-Za-z0-9]{30,}` +
		`|\bctx7sk-[-A-Za-z0-9]{20,}|\bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}|\bAGE-SECRET-KEY-1[A-Z0-9]{50,}|\b[0-9]{8,10}:AA[-_A-Za-z0-9]{33}` +
		// The address of a webhook is a credential, because a caller needs nothing else.
		`|\bhooks\.slack\.com/(?:services|workflows|triggers)/[-_A-Za-z0-9/]{10,}|\bdiscord(?:app)?\.com/api/webhooks/[0-9]+/[-_A-Za-z0-9]{20,}` +
		`|\b(?:hooks|mcp|actions)\.zapier\.com/(?:hooks/catch/|api/mcp/s/|mcp/)[-_A-Za-z0-9/=]{8,}|\bhook\.[a-z0-9]+\.make\.com/[a-z0-9]{16,}` +
		`|\bmaker\.ifttt\.com/trigger/[^/\s]+/(?:json/)?with/key/[-_A-Za-z0-9]{10,}|\bwebhook\.office\.com/webhookb2/[-@/A-Za-z0-9]{20,}` +
		`|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[-_A-Za-z0-9]{30,}|\bhf_[A-Za-z0-9]{20,}|\bdop_v1_[a-f0-9]{32,}` +
		`|\beyJ[-_A-Za-z0-9]{8,}\.eyJ[-_A-Za-z0-9]{8,}\.[-_A-Za-z0-9]{8,}`)

	bearer   = regexp.MustCompile(`(?i)\b(?:bearer|basic)\s+([_.~+/=A-Za-z0-9][-_.~+/=A-Za-z0-9]{7,})`)
	inURL    = regexp.MustCompile(`(?i)[a-z][-+.a-z0-9]*://[^/\s:@]*:([^/\s@]+)@`)
	keyBlock = regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`)

	// assigned matches "api_key": "value" and api_key=value. The first group
	// also matches the beginning of a reference ${secret:NAME}, which must not
	// be redacted.
	assigned = regexp.MustCompile(`(\$\{|"?)([-_.A-Za-z0-9]{2,64})("?\s*[:=]\s*)("(?:[^"\\]|\\.)*"|\$\{[^}]*\}|[^\s,;&"'{}\[\]]+)`)

	// flagged matches --token value, and "--token", "value" in a JSON list of
	// arguments.
	flagged = regexp.MustCompile(`(^|[\s"'=\[(,;])(--?[A-Za-z][-_.A-Za-z0-9]{1,63})` +
		`(?:(\s+)("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"'-][^\s"']*)|("\s*,\s*")((?:[^"\\-]|\\.)(?:[^"\\]|\\.)*))`)
)

// placeholder matches a reference without a default.
var placeholder = regexp.MustCompile(`\$\{\{[^{}]*\}\}|\$\{(?:[^{}:]|:[^{}-])*\}|\{\{[^{}]*\}\}|\{env:\w+\}`)

// matches returns the spans that a scanner must find in a text, by the name of the
// scanner's method.
func matches(text string) map[string][]Span {
	out := make(map[string][]Span)
	add := func(what string, from, to int) { out[what] = append(out[what], Span{From: from, To: to}) }
	for what, pattern := range map[string]*regexp.Regexp{"blocks": keyBlock, "bearers": bearer, "tokens": knownShape, "urls": inURL} {
		for _, at := range pattern.FindAllStringSubmatchIndex(text, -1) {
			if from, to := at[len(at)-2], at[len(at)-1]; what != "urls" || !isHidden(text[from:to]) {
				add(what, from, to)
			}
		}
	}
	for _, at := range assigned.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[8], at[9]
		value := strings.Trim(text[from:to], `"`)
		if !SensitiveName(text[at[4]:at[5]]) || to-from < MinLength || text[at[2]:at[3]] == "${" || isHidden(value) || isScheme(value) {
			continue
		}
		if text[from] == '"' {
			from, to = from+1, to-1
		}
		add("assigned", from, to)
	}
	for _, at := range flagged.FindAllStringSubmatchIndex(text, -1) {
		from, to := at[8], at[9]
		if from < 0 {
			from, to = at[12], at[13]
		}
		if SensitiveName(text[at[4]:at[5]]) && to-from >= MinLength && !isHidden(strings.Trim(text[from:to], `"'`)) {
			add("flagged", from, to)
		}
	}
	return out
}

// found returns the spans that a scanner finds in a text, by the name of its method.
func found(text string) map[string][]Span {
	out := make(map[string][]Span)
	for what, find := range map[string]func(*scanner){
		"blocks": (*scanner).blocks, "bearers": (*scanner).bearers, "assigned": (*scanner).assigned, "flagged": (*scanner).flagged,
		"urls": (*scanner).urls,
		"tokens": func(s *scanner) {
			s.tokens(func(from, to int) bool { s.add(from, to, plain); return true })
		},
	} {
		s := scanner{text: text}
		find(&s)
		for _, at := range s.spans {
			out[what] = append(out[what], Span{From: at.From, To: at.To})
		}
	}
	return out
}

func TestScannersFindWhatThePatternsMatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 5000 {
		checkPatterns(t, mixedText(r))
	}
}

func FuzzScannersFindWhatThePatternsMatch(f *testing.F) {
	for _, text := range pieces {
		f.Add(text + "token: " + text + " --token " + text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		// (?i) in the patterns matches these two letters as s and k.
		checkPatterns(t, strings.NewReplacer("\u017f", "", "\u212a", "").Replace(text))
	})
}

func checkPatterns(t *testing.T, text string) {
	t.Helper()
	if got, want := found(text), matches(text); !maps.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%q\nfound %v,\nwant  %v", text, got, want)
	}
	mark := func(string) string { return "?" }
	if got, want := ReplaceReferences(text, mark), placeholder.ReplaceAllStringFunc(text, mark); got != want {
		t.Errorf("%q with references replaced is %q, want %q", text, got, want)
	}
	if hidden, references := hideReferences(text); showReferences(hidden, references) != text {
		t.Errorf("the references in %q are not restored", text)
	}
	if got := Redact(text); json.Valid([]byte(text)) && !json.Valid([]byte(got)) {
		t.Errorf("the JSON %s became %s", text, got)
	}
}

// pieces are parts of texts that matter to a scanner.
var pieces = []string{
	"token", "api_key", "x", "password", "PATH", "key", "Authorization", "${", "}", "{", "{{", "}}", "$", "${env:A_TOKEN}", "{env:B}",
	"${A:-hunter22}", "${secret:N}", "=", ":", `"`, `"`, "'", " ", "  ", "\n", "\\", ",", ";", "&", "[", "]", "--token",
	"--api-key", "-p", "--", "-", "abcdefgh", "12345678", "a", "42", "Bearer ", "basic", "http://", "://", "/", "@", "user:", "sk-",
	"ghp_", "pat", "eyJ", "eyJhbGciOiJI", ".", "AKIA", "ABCDEFGHIJKLMNOP", "xoxb-1234567890", "SG.", "0123456789abcdef0123456789abcdef",
	"1234567890:AA", "HdqTcvCH1vGWJxfSeofSAs0K5PALDsawx", "hooks.slack.com/", "services/", "maker.ifttt.com/trigger/", "with/key/",
	"json/", "hook.", "abc.make.com/", "discord.com/api/webhooks/", "mcp.zapier.com/", "mcp/", "-----BEGIN RSA PRIVATE KEY-----",
	"-----END PRIVATE KEY-----", "-----BEGIN ", "é", "\xff", "\ue000", strings.Repeat("n", 63), strings.Repeat("token_", 11),
}

func mixedText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(14) {
		b.WriteString(pieces[r.IntN(len(pieces))])
	}
	return b.String()
}
