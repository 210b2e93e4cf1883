package secretscan

import "strings"

// hint is a set of those kinds of credentials that a text may contain.
type hint uint8

const (
	aBlock   hint = 1 << iota // scanner.blocks
	aName                     // scanner.assigned and scanner.flagged
	aScheme                   // scanner.bearers
	aURL                      // scanner.urls
	aShape                    // scanner.tokens
	allHints = aBlock | aName | aScheme | aURL | aShape
)

// hints lists strings for each kind, such that each credential of the kind, together with its name or scheme,
// contains at least one of them. The strings for aName and aScheme are compared without regard to case.
var hints = newParts(map[hint][]string{
	aBlock:  {"PRIVATE KEY-----"},
	aName:   {"token", "secret", "pass", "pwd", "pat", "credential", "key", "auth", "cookie", "dsn", "connection"},
	aScheme: {"bearer", "basic"},
	aURL:    {"://"},
	aShape: {
		"sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-",
		"xox", "AKIA", "ASIA", "AIza", "npm_", "pypi-", "hf_", "dop_v1_", "eyJ",
		"xapp-", "shpat_", "shpss_", "shpca_", "shppa_", "ntn_", "lin_api_", "figd_", "SG.", "sbp_", "sb_secret_", "tvly-", "gsk_",
		"xai-", "pplx-", "r8_", "ya29.", "GOCSPX-", "dapi", "phc_", "phx_", "nvapi-", "ATATT3", "hvs.", "glsa_", "apify_api_",
		"ctx7sk-", "pat", "AGE-SECRET-KEY-1", ":AA", "hooks.slack.com/", ".com/api/webhooks/", ".zapier.com/", ".make.com/",
		"maker.ifttt.com/", "webhook.office.com/",
	},
})

// parts searches a text for many short strings in one pass. It compares a
// string only where two bytes of the text are equal to its first two.
type parts struct {
	begin [1 << 16 / 64]uint64 // bit set of all pairs of bytes with which a string begins
	at    map[uint16][]part    // the strings, by their first two bytes
}

type part struct {
	text string
	hint hint
	fold bool // ignore case
}

func newParts(texts map[hint][]string) *parts {
	p := &parts{at: make(map[uint16][]part)}
	for hint, list := range texts {
		fold := hint == aName || hint == aScheme
		for _, text := range list {
			for _, first := range cases(text[0], fold) {
				for _, second := range cases(text[1], fold) {
					pair := uint16(first)<<8 | uint16(second)
					p.begin[pair/64] |= 1 << (pair % 64)
					p.at[pair] = append(p.at[pair], part{text, hint, fold})
				}
			}
		}
	}
	return p
}

// cases returns c, and also its upper case if fold is set.
func cases(c byte, fold bool) []byte {
	if fold && c >= 'a' && c <= 'z' {
		return []byte{c, c - 'a' + 'A'}
	}
	return []byte{c}
}

// in returns the hints of all strings that occur in the text.
func (p *parts) in(text string) hint {
	var seen hint
	for i := 1; i < len(text) && seen != allHints; i++ {
		pair := uint16(text[i-1])<<8 | uint16(text[i])
		if p.begin[pair/64]&(1<<(pair%64)) == 0 {
			continue
		}
		for _, part := range p.at[pair] {
			if seen&part.hint == 0 && part.begins(text[i-1:]) {
				seen |= part.hint
			}
		}
	}
	return seen
}

// begins reports whether text begins with the string p.text.
func (p part) begins(text string) bool {
	return strings.HasPrefix(text, p.text) || p.fold && len(text) >= len(p.text) && strings.EqualFold(text[:len(p.text)], p.text)
}
