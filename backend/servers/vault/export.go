package vault

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/sealed"
)

// Exported is what an export keeps encrypted.
type Exported struct {
	Values   map[string]map[string]string `json:"values"` // values of secrets by server and name
	Settings string                       `json:"settings,omitempty"`
}

// Export returns the values of all secrets, together with those of also, encrypted with a passphrase. If a value cannot
// be read, the error names its secret.
func (v *Vault) Export(ctx context.Context, passphrase string, also Exported) (string, error) {
	records, err := v.Records(ctx)
	if err != nil {
		return "", err
	}
	all := Exported{Values: maps.Clone(also.Values), Settings: also.Settings}
	if all.Values == nil {
		all.Values = make(map[string]map[string]string)
	}
	for server, values := range all.Values {
		all.Values[server] = maps.Clone(values)
	}
	for _, r := range records {
		value, err := v.value(ctx, r)
		if err != nil {
			return "", fault.Wrap(err, fault.KindOf(err), "the secret %q of server %q cannot be read: %s", r.Name, r.Server,
				fault.MessageOf(err))
		}
		if all.Values[r.Server] == nil {
			all.Values[r.Server] = make(map[string]string)
		}
		all.Values[r.Server][r.Name] = value
	}
	plain, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	return sealed.EncryptWith(passphrase, plain, v.work)
}

// OpenExport decrypts what Export has returned. A wrong passphrase is a fault.Denied.
func OpenExport(passphrase, text string) (Exported, error) {
	var out Exported
	plain, err := sealed.DecryptWith(passphrase, text)
	if err != nil {
		return out, err
	}
	decoder := json.NewDecoder(bytes.NewReader(plain))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&out); err != nil {
		return Exported{}, fault.New(fault.Invalid, "the encrypted part was written by a newer version of Agent Discover; update this one")
	}
	return out, nil
}
