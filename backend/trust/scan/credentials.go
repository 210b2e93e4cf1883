package scan

import (
	"strings"

	"github.com/agent-discover/agent-discover/backend/servers/secretscan"
)

const digits = "0123456789"

// Span is a credential in arguments or results.
type Span struct {
	Start, End int    // bytes
	Kind       string // "private key", "authorization", "password in a URL" or "token"
}

// Credentials finds credentials in the arguments or the result of a call: tokens in the formats of known issuers,
// private keys, authorizations and passwords in URLs. The spans are in order and do not overlap. A word without digits,
// such as an example that says "your-token-here", does not count.
func Credentials(b []byte) []Span {
	text := string(b)
	var spans []Span
	for _, p := range secretscan.Find(text) {
		value := text[p.From:p.To]
		if p.Kind != "private key" && !strings.ContainsAny(value, digits) || strings.Contains(value, secretscan.Redacted) {
			continue
		}
		if n := len(spans); n > 0 && p.From < spans[n-1].End {
			spans[n-1].End = max(spans[n-1].End, p.To)
			continue
		}
		spans = append(spans, Span{p.From, p.To, p.Kind})
	}
	return spans
}
