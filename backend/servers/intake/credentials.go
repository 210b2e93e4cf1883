package intake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/secretmigration"
)

// Unstorable returns why the vault cannot store a secret now and what to do about it, or "" if it can.
func (i *Intake) Unstorable(ctx context.Context) string {
	if i.options.Vault == nil {
		return "no keychain is available"
	}
	status := i.options.Vault.Status(ctx)
	if status.Keeper != "none" {
		return ""
	}
	why := strings.TrimSuffix(strings.TrimSpace(status.Why), ".")
	if status.Advice != "" {
		why += "; " + strings.TrimSuffix(status.Advice, ".")
	}
	return why
}

// planCredentials records in out which credentials of a server will be stored in the vault and which will stay readable
// in the configuration.
func (i *Intake) planCredentials(ctx context.Context, a Arrival, out *Outcome) error {
	var found []string
	// The credentials of a server that waits for approval stay in the configuration, where the approving person can
	// read them.
	if a.Origin != Unseen && a.Origin != Agent || a.Moved || out.Server.Approved {
		found = plaintext(out.Server)
	}
	if len(found) == 0 && len(a.Values) == 0 {
		return nil
	}
	why := i.Unstorable(ctx)
	switch {
	case why == "":
		out.Stored = found
	case len(a.Values) > 0:
		return fault.New(fault.Unavailable, "its secrets cannot be stored: %s", why)
	case a.Readable:
		out.Kept, out.WhyKept = found, stayReadable(found, why)
	default:
		err := fault.New(fault.Unavailable, "its credentials (%s) cannot be stored as secrets: %s", places(found), why)
		err.Code = fault.CodeUnstorable
		return err
	}
	return nil
}

func stayReadable(found []string, why string) string {
	return fmt.Sprintf(
		"its credentials (%s) stay readable in the configuration of Agent Discover: %s. To store them later: agent-discover secrets "+
			"migrate", places(found), why,
	)
}

// places joins the places of credentials, such as env.TOKEN, with commas. It escapes hidden characters, because the
// names of variables are untrusted text.
func places(of []string) string { return safetext.Visible(strings.Join(of, ", ")) }

// moveCredentials moves the credentials of a server to the vault, as planCredentials has planned.
func (i *Intake) moveCredentials(ctx context.Context, a Arrival, out *Outcome) error {
	if len(out.Stored) == 0 {
		return nil
	}
	planned := out.Stored
	out.Stored = nil
	moves, err := i.options.Migrator.Migrate(ctx, []string{out.Server.Name}, true)
	why := ""
	if err != nil {
		why = fault.MessageOf(err)
	}
	for _, m := range moves {
		if m.Action == secretmigration.Moved {
			out.Stored = append(out.Stored, m.Where)
		} else {
			out.Kept, why = append(out.Kept, m.Where), cmp.Or(m.Error, why)
		}
	}
	if len(moves) == 0 && err != nil {
		out.Kept = planned
	}
	out.Stored, out.Kept = slices.Compact(out.Stored), slices.Compact(out.Kept)
	if len(out.Kept) == 0 && err == nil {
		return nil
	}
	why = strings.TrimSuffix(why, ".")
	if !a.Readable {
		return errors.Join(fault.New(fault.Unavailable, "its credentials could not be stored as secrets: %s", why), err)
	}
	out.WhyKept = stayReadable(out.Kept, why)
	return nil
}

// Update changes a server with edit, and moves the credentials that the change brings to the vault. It does not check
// the change; see CheckLaunch. Credentials that cannot be moved stay readable; Outcome.WhyKept says why.
func (i *Intake) Update(ctx context.Context, name string, edit func(*registry.Server)) (Outcome, error) {
	before, err := i.options.Registry.Get(name)
	if err != nil {
		return Outcome{}, err
	}
	out := Outcome{}
	if out.Server, err = i.options.Registry.Update(ctx, name, edit); err != nil || i.options.Vault == nil {
		return out, err
	}
	known := literals(before)
	if slices.ContainsFunc(literals(out.Server), func(l launch.Literal) bool {
		return !slices.ContainsFunc(known, func(k launch.Literal) bool { return k.Where == l.Where && k.Value == l.Value })
	}) {
		out.Stored = plaintext(out.Server)
		if err := i.moveCredentials(ctx, Arrival{Readable: true}, &out); err != nil {
			return out, err
		}
	}
	out.Server, err = i.options.Registry.Get(name)
	return out, err
}

// Secure moves the credentials in the configuration of a server to the vault, and returns the changed server. The error
// is a fault.Unavailable if a credential cannot be moved.
func (i *Intake) Secure(ctx context.Context, name string) (registry.Server, error) {
	s, err := i.options.Registry.Get(name)
	if err != nil {
		return s, err
	}
	if err := i.moveCredentials(ctx, Arrival{}, &Outcome{Server: s, Stored: plaintext(s)}); err != nil {
		return s, err
	}
	return i.options.Registry.Get(name)
}

// plaintext returns the places of plain-text credentials in a configuration.
// literals returns the credentials in the configuration of a server.
func literals(s registry.Server) []launch.Literal {
	return launch.Literals(launch.Launch{Env: s.Env, Args: s.Args, Headers: s.Headers, URL: s.Endpoint()})
}

func plaintext(s registry.Server) []string {
	return launch.Plaintext(s.Env, s.Args, s.Headers, s.Endpoint())
}

// Runs reports whether a configured server and another configuration have the same launch.Launch.Hash. A reference to a
// secret counts as equal to a credential if the vault holds the same value.
func (i *Intake) Runs(ctx context.Context, server, declared registry.Server) bool {
	if i.options.Migrator != nil {
		declared = i.options.Migrator.Referring(ctx, server, declared)
	}
	return launch.Of(server).Hash() == launch.Of(declared).Hash()
}
