package vault

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// Peek returns the names of a server's secrets and the first characters of their
// values, for tests that have to see which value is kept. It does not make the
// keychain prompt the user. A value that is short or cannot be read counts as
// empty.
func (v *Vault) Peek(ctx context.Context, server string) (names, values []string, err error) {
	records, err := v.records(ctx, server)
	closed := make(map[string]bool)
	if locked, none := v.keychain.Check(ctx); none == nil && locked {
		closed[InKeychain], closed[InSealed] = true, true
	}
	for _, r := range records {
		value := ""
		if !closed[r.Kept] {
			var failed error
			value, failed = v.value(ctx, r)
			closed[r.Kept] = failed != nil && fault.KindOf(failed) == fault.Unavailable
		}
		if runes := []rune(value); len(runes) > 4 {
			value = string(runes[:4])
		} else {
			value = ""
		}
		names, values = append(names, r.Name), append(values, value)
	}
	return names, values, err
}
