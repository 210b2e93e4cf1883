package operations

import (
	"context"
	"time"

	"github.com/agent-discover/agent-discover/backend/doors/api/guard"
	"github.com/agent-discover/agent-discover/backend/doors/api/route"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
)

// Secrets holds the operations on credentials of servers.
type Secrets struct {
	Registry *registry.Registry
	Vault    *vault.Vault
	Migrate  func(ctx context.Context, servers []string, apply bool) ([]secretmigration.Move, error)
	// Widened records that a person has allowed a server more. text continues a sentence that begins with the person.
	Widened func(server, text string)
}

// Routes adds the operations with their handlers to a route table.
func (s *Secrets) Routes(t *route.Table) {
	g := t.Group("secrets")
	route.Add(g, route.Get("/api/servers/{id}/secrets", "List the secrets of a server, with masked values"), s.list)
	route.Add(g, route.Put("/api/servers/{id}/secrets/{key}", "Set a secret"), s.set)
	route.Add(g, route.Delete("/api/servers/{id}/secrets/{key}", "Delete a secret"), s.remove)
	route.Add(g, route.Get("/api/servers/{id}/missing-secrets", "List the missing secrets that the server needs to start"), s.missing)
	route.Add(g, route.Get("/api/servers/{id}/links",
		"List the secrets that a server may use although they belong to other servers"), s.listLinks)
	route.Add(g, route.Put("/api/servers/{id}/links/{owner}/{key}", "Allow the server to use a secret of another server"), s.link)
	route.Add(g, route.Delete("/api/servers/{id}/links/{owner}/{key}",
		"Revoke the permission to use a secret of another server"), s.unlink)
	route.Add(g, route.Get("/api/secrets", "Retrieve the status of the vault and the names of all secrets"), s.listAll)
	route.Add(g, route.Post("/api/secrets/unlock", "Unlock the encrypted file of secrets, or create it"), s.unlock)
	route.Add(g, route.Post("/api/secrets/migrate", "Move credentials from server configurations to the vault").MayMiss(), s.migrate)
}

// SecretInput is the input of an operation on one secret.
type SecretInput struct {
	ServerInput
	Key string `path:"key" doc:"Name of the secret."`
}

// Secret is a secret with its masked value.
type Secret struct {
	Key         string `json:"key"`
	MaskedValue string `json:"masked_value" doc:"A placeholder that is the same for all secrets and does not depend on the value."`
	UpdatedAt   string `json:"updated_at"`
}

func (s *Secrets) list(ctx context.Context, in *ServerInput) (*route.Reply[[]Secret], error) {
	v, err := lookup(s.Registry, in.ID)
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
	return route.OK(out)
}

// MissingSecret is a secret that the configuration of a server refers to and does not get.
type MissingSecret struct {
	Server string `json:"server,omitempty" doc:"Name of the other server that owns the secret; left out for a secret of the server itself."`
	Key    string `json:"key" doc:"Name of the secret."`
	Set    bool   `json:"set" doc:"Whether the other server already has the secret, so that only the permission to use it is missing."`
}

func (s *Secrets) missing(ctx context.Context, in *ServerInput) (*route.Reply[[]MissingSecret], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	missing, err := s.Vault.Missing(ctx, v.Name, launch.Of(v))
	if err != nil {
		return nil, err
	}
	out := []MissingSecret{}
	for _, m := range missing {
		out = append(out, MissingSecret{m.Owner, m.Name, m.Set})
	}
	return route.OK(out)
}

type secretFields struct {
	Value string `json:"value" doc:"The new value."`
}

type setSecretInput struct {
	SecretInput
	route.Object[secretFields]
}

func (s *Secrets) set(ctx context.Context, in *setSecretInput) (*route.Reply[map[string]string], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	if err := s.Vault.Set(ctx, v.Name, in.Key, body.Value); err != nil {
		return nil, err
	}
	return route.OK(map[string]string{"status": "set", "key": in.Key})
}

func (s *Secrets) remove(ctx context.Context, in *SecretInput) (*route.Reply[map[string]string], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.Vault.Delete(ctx, v.Name, in.Key); err != nil {
		return nil, err
	}
	return route.OK(map[string]string{"status": "deleted", "key": in.Key})
}

type linkInput struct {
	ServerInput
	Owner string `path:"owner" doc:"Name of the server that owns the secret."`
	Key   string `path:"key" doc:"Name of the secret."`
}

// SecretLink lets a server use a secret of another server.
type SecretLink struct {
	Server string `json:"server" doc:"Name of the server that owns the secret."`
	Key    string `json:"key" doc:"Name of the secret."`
	Holds  bool   `json:"holds" doc:"Whether the link is still valid. It becomes invalid when the command, the arguments or the URL of the server that uses the secret change."`
}

func (s *Secrets) listLinks(ctx context.Context, in *ServerInput) (*route.Reply[[]SecretLink], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	links, err := s.linksOf(ctx, v)
	if err != nil {
		return nil, err
	}
	return route.OK(links)
}

func (s *Secrets) linksOf(ctx context.Context, v registry.Server) ([]SecretLink, error) {
	grants, err := s.Vault.Links(ctx, v.Name, launch.Of(v))
	out := []SecretLink{}
	for _, g := range grants {
		out = append(out, SecretLink{g.Owner, g.Name, g.Holds})
	}
	return out, err
}

func (s *Secrets) link(ctx context.Context, in *linkInput) (*route.Reply[map[string]string], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if err := guard.RequirePerson(ctx,
		"only a person may let a server use a secret of another one: use the dashboard, or agent-discover secrets link in a "+
			"terminal"); err != nil {
		return nil, err
	}
	if err := s.Vault.Link(ctx, v.Name, launch.Of(v), in.Owner, in.Key); err != nil {
		return nil, err
	}
	s.Widened(v.Name, "allowed it the secret "+in.Key+" of "+in.Owner)
	return route.OK(map[string]string{"status": "linked", "server": in.Owner, "key": in.Key})
}

func (s *Secrets) unlink(ctx context.Context, in *linkInput) (*route.Reply[map[string]string], error) {
	v, err := lookup(s.Registry, in.ID)
	if err != nil {
		return nil, err
	}
	if err := s.Vault.Unlink(ctx, v.Name, in.Owner, in.Key); err != nil {
		return nil, err
	}
	return route.OK(map[string]string{"status": "unlinked", "server": in.Owner, "key": in.Key})
}

// SecretsView contains the status of the vault and the names of all secrets.
type SecretsView struct {
	Status  VaultStatus     `json:"status"`
	Servers []ServerSecrets `json:"servers" doc:"Servers that have a secret or may use a secret of another server."`
}

// VaultStatus describes where secrets are kept.
type VaultStatus struct {
	Keeper string `json:"keeper" enum:"keychain,file,none" doc:"Place where new secrets are stored: in the keychain of the operating system, in the encrypted file, or nowhere."`
	Why    string `json:"why" doc:"Why new secrets are stored in the place that keeper names."`
	Advice string `json:"advice,omitempty" doc:"The remedy if secrets cannot be stored."`
	File   string `json:"file" enum:"none,locked,unlocked" doc:"State of the file that is encrypted with a passphrase."`
}

// ServerSecrets are the secrets that a server can use.
type ServerSecrets struct {
	Server  string       `json:"server" doc:"Name of the server."`
	Secrets []SecretName `json:"secrets"`
	Links   []SecretLink `json:"links"`
}

// SecretName is a secret without its value.
type SecretName struct {
	Key       string `json:"key"`
	Kept      string `json:"kept" doc:"Place where the value is stored. keychain: in the keychain of the operating system. sealed: in a file for values that are too long for the keychain, encrypted with a key in the keychain. file: in a file that is encrypted with a passphrase."`
	UpdatedAt string `json:"updated_at"`
}

func (s *Secrets) listAll(ctx context.Context, _ *struct{}) (*route.Reply[SecretsView], error) {
	records, err := s.Vault.Records(ctx)
	if err != nil {
		return nil, err
	}
	names := make(map[string][]SecretName)
	for _, r := range records {
		names[r.Server] = append(names[r.Server], SecretName{r.Name, r.Kept, r.UpdatedAt.Format(time.DateTime)})
	}
	out := SecretsView{Status: s.vaultStatus(ctx), Servers: []ServerSecrets{}}
	for _, v := range s.Registry.List() {
		row := ServerSecrets{Server: v.Name, Secrets: append([]SecretName{}, names[v.Name]...)}
		if row.Links, err = s.linksOf(ctx, v); err != nil {
			return nil, err
		}
		if len(row.Secrets)+len(row.Links) > 0 {
			out.Servers = append(out.Servers, row)
		}
	}
	return route.OK(out)
}

func (s *Secrets) vaultStatus(ctx context.Context) VaultStatus {
	now := s.Vault.Status(ctx)
	return VaultStatus{Keeper: now.Keeper, Why: now.Why, Advice: now.Advice, File: now.File}
}

type passphraseFields struct {
	Passphrase string `json:"passphrase" doc:"Passphrase of the encrypted file of secrets. The first request creates the file with this passphrase and needs a dashboard session."`
}

type unlockInput struct{ route.Object[passphraseFields] }

func (s *Secrets) unlock(ctx context.Context, in *unlockInput) (*route.Reply[VaultStatus], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	created := body.Passphrase != "" && s.Vault.Status(ctx).File == "none"
	if created {
		if err := guard.RequirePerson(ctx,
			"only a person may choose the passphrase of the file of secrets: use the dashboard, run agent-discover secrets unlock "+
				"in a terminal, or start the hub with AGENT_DISCOVER_PASSPHRASE"); err != nil {
			return nil, err
		}
	}
	if err := s.Vault.Unlock(ctx, body.Passphrase); err != nil {
		return nil, err
	}
	if created {
		s.Widened("", "chosen the passphrase of the file of secrets")
	}
	return route.OK(s.vaultStatus(ctx))
}

type migrateFields struct {
	DryRun  *bool    `json:"dry_run,omitempty" doc:"Whether to move nothing and only return what would be moved; true by default."`
	Servers []string `json:"servers,omitempty" doc:"Names of servers; all by default."`
}

// SecretMove is a credential that was found in a server's configuration, and whether it was moved to the vault.
type SecretMove = secretmigration.Move

type migrateInput struct {
	route.OptionalObject[migrateFields]
}

func (s *Secrets) migrate(ctx context.Context, in *migrateInput) (*route.Reply[[]SecretMove], error) {
	body, err := in.Decode()
	if err != nil {
		return nil, err
	}
	moves, err := s.Migrate(ctx, body.Servers, body.DryRun != nil && !*body.DryRun)
	if err != nil {
		return nil, err
	}
	return route.OK(moves)
}
