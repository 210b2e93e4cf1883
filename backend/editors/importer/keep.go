package importer

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// keeping decides where the credentials of imported servers are kept.
type keeping struct {
	vault *vault.Vault // nil: nowhere but in the configuration
	plain bool         // credentials may stay in the configuration
	known bool         // why is set
	why   string       // why the vault cannot store a value now, with what to do; "" when it can
}

// plan fills the result with what will happen to the credentials of a new
// server, by their places. The error is a fault.Unavailable if they cannot be
// stored as secrets and may not stay in the configuration.
func (k *keeping) plan(ctx context.Context, places []string, result *Result) error {
	switch why := k.reason(ctx); {
	case len(places) == 0:
	case why == "":
		result.Moved = append(result.Moved, places...)
	case k.plain:
		result.Kept = places
		result.Problem = "its credentials stay readable in the configuration of Agent Discover: " + why
	default:
		return fault.New(fault.Unavailable, "its credentials (%s) cannot be stored as secrets: %s. Or import with --plain-text to keep them readable in the configuration of Agent Discover", shown(strings.Join(places, ", ")), why)
	}
	return nil
}

// reason returns why no value can be stored in the vault.
func (k *keeping) reason(ctx context.Context) string {
	if k.known {
		return k.why
	}
	k.known = true
	if k.vault == nil {
		k.why = "no keychain is available"
		return k.why
	}
	if status := k.vault.Status(ctx); status.Keeper == "none" {
		k.why = strings.TrimSuffix(strings.TrimSpace(status.Why), ".")
		if status.Advice != "" {
			k.why += "; " + strings.TrimSuffix(status.Advice, ".")
		}
	}
	return k.why
}

// moveSecrets moves the credentials of an imported server to the vault. If some
// cannot be moved and may not stay in the configuration, the error says why.
func (i *Importer) moveSecrets(ctx context.Context, k keeping, places []string, result *Result) error {
	if len(places) == 0 {
		return nil
	}
	if k.reason(ctx) != "" {
		return k.plan(ctx, places, result)
	}
	moves, err := i.options.Migrator.Migrate(ctx, []string{result.Name}, true)
	why := ""
	if err != nil {
		why = fault.MessageOf(err)
	}
	for _, m := range moves {
		if m.Action == secretmigration.Moved {
			result.Moved = append(result.Moved, m.Where)
		} else {
			result.Kept, why = append(result.Kept, m.Where), cmp.Or(m.Error, why)
		}
	}
	if len(moves) == 0 && err != nil {
		result.Kept = places
	}
	result.Moved, result.Kept = slices.Compact(result.Moved), slices.Compact(result.Kept)
	if len(result.Kept) == 0 && err == nil {
		return nil
	}
	if !k.plain {
		result.Kept = []string{}
		return errors.Join(fault.New(fault.Unavailable, "its credentials could not be stored as secrets: %s. Nothing was imported", strings.TrimSuffix(why, ".")), err)
	}
	result.Problem = "some credentials stay readable in its configuration: " + why + ". To store them later: agent-discover secrets migrate"
	return nil
}
