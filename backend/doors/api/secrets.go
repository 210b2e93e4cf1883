package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/secrets"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
)

// Secret is a secret as the API shows it.
type Secret struct {
	Key         string `json:"key"`
	MaskedValue string `json:"masked_value" doc:"the first four characters and ****; **** alone for a short value or one that cannot be read now"`
	UpdatedAt   string `json:"updated_at"`
}

// SecretName is a secret without anything of its value.
type SecretName struct {
	Key       string `json:"key"`
	Kept      string `json:"kept" doc:"keychain, sealed (too long for the keychain, which has the key) or file (under a passphrase)"`
	UpdatedAt string `json:"updated_at"`
}

// SecretLink lets a server use a secret of another.
type SecretLink struct {
	Server string `json:"server" doc:"whose secret it is"`
	Key    string `json:"key"`
	Holds  bool   `json:"holds" doc:"false when the server runs something else than when the link was made"`
}

// ServerSecrets are the names that a server can use.
type ServerSecrets struct {
	Server  string       `json:"server"`
	Secrets []SecretName `json:"secrets"`
	Links   []SecretLink `json:"links"`
}

// VaultStatus says where secrets are kept.
type VaultStatus struct {
	Keeper string `json:"keeper" enum:"keychain,file,none"`
	Why    string `json:"why"`
	Advice string `json:"advice,omitempty"`
	File   string `json:"file" enum:"none,locked,unlocked" doc:"the file under a passphrase"`
}

// SecretsView is where secrets are kept, and all their names.
type SecretsView struct {
	Status  VaultStatus     `json:"status"`
	Servers []ServerSecrets `json:"servers"`
}

// SecretMove is a credential in a server's configuration, and what became of it.
type SecretMove = secretmigration.Move

type secretInput struct {
	ID  string `path:"id"`
	Key string `path:"key"`
}

type secretValueInput struct {
	ID      string `path:"id"`
	Key     string `path:"key"`
	RawBody []byte `contentType:"application/json"`
}

type linkInput struct {
	ID    string `path:"id"`
	Owner string `path:"owner" doc:"name of the server whose secret it is"`
	Key   string `path:"key"`
}

func (s *server) secretRoutes(api huma.API) {
	route(api, http.MethodGet, "/api/servers/{id}/secrets", "Secrets of a server, masked", s.listSecrets)
	bodyRoute(api, http.MethodPut, "/api/servers/{id}/secrets/{key}", "Set a secret", s.setSecret)
	route(api, http.MethodDelete, "/api/servers/{id}/secrets/{key}", "Delete a secret", s.deleteSecret)
	route(api, http.MethodGet, "/api/servers/{id}/links", "Secrets of other servers that it may use", s.listLinks)
	route(api, http.MethodPut, "/api/servers/{id}/links/{owner}/{key}", "Let it use a secret of another server", s.linkSecret)
	route(api, http.MethodDelete, "/api/servers/{id}/links/{owner}/{key}", "Let it use that no longer", s.unlinkSecret)
	route(api, http.MethodGet, "/api/secrets", "Where secrets are kept, and all their names", s.secrets)
	bodyRoute(api, http.MethodPost, "/api/secrets/unlock", "Unlock the file of secrets, or make it", s.unlockSecrets)
	bodyRoute(api, http.MethodPost, "/api/secrets/migrate", "Move credentials out of configurations", s.migrateSecrets)
}

func (s *server) listSecrets(ctx context.Context, in *serverInput) (*reply[[]Secret], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	entries, err := s.Vault.List(ctx, v.Name)
	if err != nil {
		return nil, err
	}
	out := []Secret{}
	for _, e := range entries {
		out = append(out, Secret{e.Name, e.Masked, e.UpdatedAt.Format(time.DateTime)})
	}
	return ok(out)
}

func (s *server) setSecret(ctx context.Context, in *secretValueInput) (*reply[map[string]string], error) {
	v, err := s.lookup(&serverInput{in.ID})
	if err != nil {
		return nil, err
	}
	var body struct {
		Value string `json:"value"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if err := s.Vault.Set(ctx, v.Name, in.Key, body.Value); err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "set", "key": in.Key})
}

func (s *server) deleteSecret(ctx context.Context, in *secretInput) (*reply[map[string]string], error) {
	v, err := s.lookup(&serverInput{in.ID})
	if err != nil {
		return nil, err
	}
	if err := s.Vault.Delete(ctx, v.Name, in.Key); err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "deleted", "key": in.Key})
}

func (s *server) listLinks(ctx context.Context, in *serverInput) (*reply[[]SecretLink], error) {
	v, err := s.lookup(in)
	if err != nil {
		return nil, err
	}
	links, err := s.linksOf(ctx, v)
	if err != nil {
		return nil, err
	}
	return ok(links)
}

func (s *server) linksOf(ctx context.Context, v registry.Server) ([]SecretLink, error) {
	grants, err := s.Vault.Links(ctx, v.Name, upstream.LaunchOf(v))
	out := []SecretLink{}
	for _, g := range grants {
		out = append(out, SecretLink{g.Owner, g.Name, g.Holds})
	}
	return out, err
}

func (s *server) linkSecret(ctx context.Context, in *linkInput) (*reply[map[string]string], error) {
	v, err := s.lookup(&serverInput{in.ID})
	if err != nil {
		return nil, err
	}
	if err := s.Vault.Link(ctx, v.Name, upstream.LaunchOf(v), in.Owner, in.Key); err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "linked", "server": in.Owner, "key": in.Key})
}

func (s *server) unlinkSecret(ctx context.Context, in *linkInput) (*reply[map[string]string], error) {
	v, err := s.lookup(&serverInput{in.ID})
	if err != nil {
		return nil, err
	}
	if err := s.Vault.Unlink(ctx, v.Name, in.Owner, in.Key); err != nil {
		return nil, err
	}
	return ok(map[string]string{"status": "unlinked", "server": in.Owner, "key": in.Key})
}

func (s *server) secrets(ctx context.Context, _ *struct{}) (*reply[SecretsView], error) {
	records, err := s.Vault.Records(ctx)
	if err != nil {
		return nil, err
	}
	out := SecretsView{Status: vaultStatus(s.Vault.Status(ctx)), Servers: []ServerSecrets{}}
	for _, v := range s.Registry.List() {
		row := ServerSecrets{Server: v.Name, Secrets: namesOf(records, v.Name)}
		if row.Links, err = s.linksOf(ctx, v); err != nil {
			return nil, err
		}
		if len(row.Secrets)+len(row.Links) > 0 {
			out.Servers = append(out.Servers, row)
		}
	}
	return ok(out)
}

func namesOf(records []secrets.Record, server string) []SecretName {
	out := []SecretName{}
	for _, r := range records {
		if r.Server == server {
			out = append(out, SecretName{r.Name, r.Kept, r.UpdatedAt.Format(time.DateTime)})
		}
	}
	return out
}

func vaultStatus(s secrets.Status) VaultStatus {
	return VaultStatus{Keeper: s.Keeper, Why: s.Why, Advice: s.Advice, File: s.File}
}

func (s *server) unlockSecrets(ctx context.Context, in *bodyInput) (*reply[VaultStatus], error) {
	var body struct {
		Passphrase string `json:"passphrase"`
	}
	if err := decodeObject(in.RawBody, &body); err != nil {
		return nil, err
	}
	if err := s.Vault.Unlock(ctx, body.Passphrase); err != nil {
		return nil, err
	}
	return ok(vaultStatus(s.Vault.Status(ctx)))
}

// migrateSecrets only says what it would do unless dry_run is false.
func (s *server) migrateSecrets(ctx context.Context, in *bodyInput) (*reply[[]SecretMove], error) {
	var body struct {
		DryRun  *bool    `json:"dry_run"`
		Servers []string `json:"servers"`
	}
	if len(in.RawBody) > 0 {
		if err := decodeObject(in.RawBody, &body); err != nil {
			return nil, err
		}
	}
	moves, err := s.Migrator.Migrate(ctx, body.Servers, body.DryRun != nil && !*body.DryRun)
	if err != nil {
		return nil, err
	}
	return ok(moves)
}
