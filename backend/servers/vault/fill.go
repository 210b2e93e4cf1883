package vault

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/textproto"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/servers/keychain"
	"github.com/agent-discover/agent-discover/backend/servers/launch"
)

// Fill returns l with its references to secrets replaced by the values. It also
// adds each of the server's own secrets, as an environment variable of a stdio
// server or a header of a remote one. All values are added to Options.Known
// before Fill returns. The error is a fault that names the server and the
// secret, but contains no value.
func (v *Vault) Fill(ctx context.Context, server string, l launch.Launch) (launch.Launch, error) {
	f := &filling{vault: v, server: server, launch: l, names: make(map[string]Record), values: make(map[string]string)}
	records, err := v.records(ctx, server)
	if err != nil {
		return l, err
	}
	for _, r := range records {
		f.names[r.Name] = r
	}
	fill := f.child
	if l.Remote() {
		fill = f.remote
	}
	filled, err := fill(ctx)
	v.known.AddValues(server, slices.Collect(maps.Values(f.values)))
	if v.known != nil && len(f.values) > 0 && !v.known.HasKey() {
		v.coverLater() // the keychain was unlocked for these values
	}
	return filled, err
}

// filling is the state of one call of Fill.
type filling struct {
	vault  *Vault
	server string
	launch launch.Launch
	names  map[string]Record // the server's own secrets, by name
	values map[string]string // values read so far, by the text of the reference
}

func (f *filling) child(ctx context.Context) (launch.Launch, error) {
	out := f.launch
	var err error
	if out.Args, err = f.list(ctx, f.launch.Args); err != nil {
		return f.launch, err
	}
	if out.Env, err = f.each(ctx, "env", f.launch.Env); err != nil {
		return f.launch, err
	}
	for name := range f.names {
		if strings.ContainsRune(name, '=') || launch.HasReference(f.launch.Env[name]) {
			continue // not a valid name of a variable, or a variable that is set to a reference already
		}
		if out.Env[name], err = f.own(ctx, name); err != nil {
			return f.launch, err
		}
	}
	return out, nil
}

func (f *filling) remote(ctx context.Context) (launch.Launch, error) {
	out := f.launch
	var err error
	if out.URL, err = f.text(ctx, "url", f.launch.URL); err != nil {
		return f.launch, err
	}
	if strings.ContainsAny(out.URL, "\r\n") {
		return f.launch, f.lineBreak("url")
	}
	if out.Headers, err = f.each(ctx, "headers", f.launch.Headers); err != nil {
		return f.launch, err
	}
	taken := make(map[string]bool) // headers that contain a reference or were set to a secret
	for name, value := range f.launch.Headers {
		taken[textproto.CanonicalMIMEHeaderKey(name)] = launch.HasReference(value)
	}
	names := slices.Sorted(maps.Keys(f.names))
	// The first secret for a header wins: AUTHORIZATION comes before API_KEY.
	if i := slices.Index(names, launch.APIKey); i >= 0 {
		names = append(slices.Delete(names, i, i+1), launch.APIKey)
	}
	for _, name := range names {
		header, scheme := launch.HeaderOf(name)
		canonical := textproto.CanonicalMIMEHeaderKey(header)
		if !httpguts.ValidHeaderFieldName(header) || taken[canonical] {
			continue
		}
		value, err := f.own(ctx, name)
		if err != nil {
			return f.launch, err
		}
		maps.DeleteFunc(out.Headers, func(n, _ string) bool { return textproto.CanonicalMIMEHeaderKey(n) == canonical })
		out.Headers[header], taken[canonical] = scheme+value, true
	}
	for name, value := range out.Headers {
		if strings.ContainsAny(value, "\r\n") {
			return f.launch, f.lineBreak("headers." + name)
		}
	}
	return out, nil
}

func (f *filling) lineBreak(where string) error {
	return fault.New(fault.Invalid,
		"server %q cannot be reached: a secret in %s has a line break, which headers and URLs must not contain; set it again without "+
			"line breaks", f.server, where)
}

func (f *filling) list(ctx context.Context, texts []string) ([]string, error) {
	out := slices.Clone(texts)
	for i, text := range texts {
		var err error
		if out[i], err = f.text(ctx, fmt.Sprintf("args[%d]", i), text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// each returns a copy of texts with the references in the values replaced.
func (f *filling) each(ctx context.Context, where string, texts map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(texts))
	for name, text := range texts {
		var err error
		if out[name], err = f.text(ctx, where+"."+name, text); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (f *filling) text(ctx context.Context, where, text string) (string, error) {
	filled, err := launch.Resolve(text, func(name string) (string, error) { return f.lookup(ctx, name) })
	if err != nil {
		return "", fault.Wrap(err, fault.KindOf(err), "server %q cannot be started (%s): %s", f.server, where, fault.MessageOf(err))
	}
	return filled, nil
}

// lookup returns the value for a reference, which is the name of one of the
// server's own secrets, or OWNER/NAME for a linked secret of another server.
func (f *filling) lookup(ctx context.Context, reference string) (string, error) {
	if _, own := f.names[reference]; own {
		return f.read(ctx, f.names[reference], reference)
	}
	owner, name, other := strings.Cut(reference, "/")
	if !other || owner == f.server {
		return "", fault.New(fault.Invalid, "its secret %q is not set; set it with: agent-discover secrets set %s %s",
			reference, f.server, reference)
	}
	if err := f.linked(ctx, owner, name); err != nil {
		return "", err
	}
	r, known, err := f.vault.record(ctx, owner, name)
	if err != nil {
		return "", err
	}
	if !known || r.Dropped {
		return "", fault.New(fault.Invalid,
			"the secret %q of server %q is not set; set it with: agent-discover secrets set %s %s", name, owner, owner, name)
	}
	return f.read(ctx, r, reference)
}

// linked returns a fault.Denied unless a valid link allows this server to use
// the secret of owner.
func (f *filling) linked(ctx context.Context, owner, name string) error {
	grants, err := f.vault.Links(ctx, f.server, f.launch)
	if err != nil {
		return err
	}
	for _, g := range grants {
		switch {
		case g.Owner != owner || g.Name != name:
		case g.Holds:
			return nil
		default:
			return fault.New(fault.Denied,
				"its command, arguments, variables, URL or headers have changed since it was allowed to use the secret %q of server %q; "+
					"a person can allow it again on its page in the dashboard", name, owner)
		}
	}
	return fault.New(fault.Denied,
		"it may not use the secret %q of server %q; a person can allow it on its page in the dashboard", name, owner)
}

// own returns the value of one of the server's own secrets, for a variable or a
// header.
func (f *filling) own(ctx context.Context, name string) (string, error) {
	value, err := f.read(ctx, f.names[name], name)
	if err != nil {
		return "", fault.Wrap(err, fault.KindOf(err), "server %q cannot be started: %s", f.server, fault.MessageOf(err))
	}
	return value, nil
}

func (f *filling) read(ctx context.Context, r Record, reference string) (string, error) {
	if value, done := f.values[reference]; done {
		return value, nil
	}
	if r.Server == f.server {
		if err := f.bind(ctx, r); err != nil {
			return "", err
		}
	}
	value, err := f.vault.value(ctx, r)
	switch {
	case errors.Is(err, keychain.ErrMissing):
		return "", fault.New(fault.Failed,
			"the value of its secret %q was removed from the place where it was kept; set it again with: agent-discover secrets set %s %s",
			r.Name, r.Server, r.Name)
	case err != nil:
		return "", fault.Wrap(err, fault.KindOf(err), "its secret %q cannot be read: %s", r.Name, fault.MessageOf(err))
	}
	f.values[reference] = value
	return value, nil
}

// bind returns a fault.Denied if the server's own secret was meant for another
// destination than that of its current configuration. A secret without a
// destination gets the current one.
func (f *filling) bind(ctx context.Context, r Record) error {
	switch to := f.launch.Destination(); r.Destination {
	case to:
		return nil
	case "":
		r.Destination = to
		return f.vault.store.MarkSecret(ctx, r)
	default:
		return fault.New(fault.Denied,
			"its secret %q was set for %s, but would now be sent to %s; to allow this, set it again with: agent-discover secrets set %s %s",
			r.Name, placeName(r.Destination), placeName(to), r.Server, r.Name)
	}
}

func placeName(destination string) string {
	if destination == launch.Local {
		return "a program on this computer"
	}
	return destination
}
