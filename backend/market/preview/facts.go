package preview

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/market/packagemanager"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
)

const (
	fresh = 7 * 24 * time.Hour  // a version that is younger is worth a warning
	young = 30 * 24 * time.Hour // a package whose first version is younger is worth a warning
	// maxNamed is the number of packages that a sentence names.
	maxNamed = 8
)

// describe puts what is known about packages into sentences.
func describe(s registry.Server, packages []Package, now time.Time) Preview {
	p := Preview{Status: Found, Packages: packages}
	warn := func(format string, args ...any) { p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...)) }
	named := 0
	for _, one := range packages {
		if one.From != "" {
			warn("%s does not come from a package registry, but from %s.", one.title(), one.From)
		}
		if one.pinned {
			warn("%s contains a list of its dependencies, which may name other packages than those that are shown.", one.title())
		}
	}
	for _, one := range packages {
		if !one.named {
			continue
		}
		named++
		p.Facts = append(p.Facts, one.sentence(now))
		for _, warning := range one.warnings(now) {
			warn("%s", warning)
		}
	}
	p.describeOthers(packages[named:], now)
	p.describeScripts(s)
	if p.Omitted = max(len(packages)-maxListed, 0); p.Omitted > 0 {
		p.Packages = packages[:maxListed]
	}
	return p
}

// describeOthers describes the packages that the command line does not name.
func (p *Preview) describeOthers(others []Package, now time.Time) {
	switch len(others) {
	case 0:
		p.Facts = append(p.Facts, "No other packages are needed.")
	case 1:
		p.Facts = append(p.Facts, "One more package is needed: "+others[0].title()+".")
	default:
		p.Facts = append(p.Facts, fmt.Sprintf("%d more packages are needed.", len(others)))
	}
	var recent, renamed, contained []string
	for _, one := range others {
		if !one.Published.IsZero() && now.Sub(one.Published) < fresh {
			recent = append(recent, one.title())
		}
		if one.contained {
			contained = append(contained, one.title())
		}
		if one.Package != "" {
			renamed = append(renamed, fmt.Sprintf("%s (%s)", one.Name, one.Package))
		}
	}
	if len(recent) > 0 {
		p.Warnings = append(p.Warnings, "Published in the last week: "+list(recent)+".")
	}
	if len(contained) > 0 {
		p.Warnings = append(p.Warnings, "Contained in other packages, and not compared with a registry: "+list(contained)+".")
	}
	if len(renamed) > 0 {
		p.Facts = append(p.Facts, "Other packages take the place of some names: "+list(renamed)+".")
	}
}

// describeScripts says which packages run scripts when they are installed.
func (p *Preview) describeScripts(s registry.Server) {
	var scripted []string
	for _, one := range p.Packages {
		if !one.Scripts {
			continue
		}
		title := one.title()
		if len(one.Commands) > 0 {
			title += " (" + strings.Join(one.Commands, "; ") + ")"
		}
		scripted = append(scripted, title)
	}
	if len(scripted) == 0 {
		return
	}
	where := "with your rights, because the server has no sandbox"
	if s.Confined() {
		where = "in the sandbox of the server"
	}
	sentence := fmt.Sprintf("Scripts run at the installation, %s: %s.", where, list(scripted))
	if s.Confined() {
		p.Facts = append(p.Facts, sentence)
	} else {
		p.Warnings = append(p.Warnings, sentence)
	}
}

// title returns the name and version of a package.
func (p Package) title() string { return strings.TrimSpace(p.Name + " " + p.Version) }

// sentence says when and by whom a package was published.
func (p Package) sentence(now time.Time) string {
	when := "at a time that the registry does not tell"
	if !p.Published.IsZero() {
		when = "on " + day(p.Published, now)
	}
	text := fmt.Sprintf("%s was published %s, %s.", p.title(), when, p.publisher())
	switch {
	case p.origin.First.IsZero():
		return text
	case p.origin.First.Equal(p.Published):
		return text + " It is the first version."
	}
	return text + " The first version is from " + day(p.origin.First, now) + "."
}

// publisher says who published a package.
func (p Package) publisher() string {
	var accounts []string
	for _, name := range p.origin.Publishers {
		accounts = append(accounts, clean(name))
	}
	switch {
	case len(accounts) > 1:
		return "by one of the accounts " + list(accounts)
	case len(accounts) == 1:
		return "by the account " + accounts[0]
	case p.origin.Author != "":
		return "by " + clean(p.origin.Author) + " according to the package itself"
	}
	return "by an account that the registry does not tell"
}

// warnings returns what a person should consider about a package that the command line names.
func (p Package) warnings(now time.Time) (all []string) {
	add := func(format string, args ...any) { all = append(all, fmt.Sprintf(format, args...)) }
	if len(p.origin.Known) > 0 {
		add("%s has known vulnerabilities: %s.", p.title(), list(p.origin.Known))
	}
	if p.origin.Deprecated != "" {
		add("%s is deprecated: %s", p.title(), clean(p.origin.Deprecated))
	}
	first, published := p.origin.First, p.Published
	switch {
	case !first.IsZero() && now.Sub(first) < young:
		add("%s is a new package: its first version was published on %s.", p.Name, day(first, now))
	case !published.IsZero() && now.Sub(published) < fresh:
		add("%s was published on %s. A malicious version is often found only after some days.", p.title(), day(published, now))
	}
	return all
}

// day returns the day of a time, and how long ago that was.
func day(at, now time.Time) string {
	date := at.UTC().Format(time.DateOnly)
	switch days := int(now.Sub(at) / (24 * time.Hour)); {
	case at.After(now):
		return date + " (in the future)"
	case days == 0:
		return date + " (in the last 24 hours)"
	case days == 1:
		return date + " (a day ago)"
	case days < 60:
		return fmt.Sprintf("%s (%d days ago)", date, days)
	case days < 2*365:
		return fmt.Sprintf("%s (%d months ago)", date, days/30)
	default:
		return fmt.Sprintf("%s (%d years ago)", date, days/365)
	}
}

// list joins the first names of a list.
func list(names []string) string {
	text := strings.Join(names[:min(len(names), maxNamed)], ", ")
	if more := len(names) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// unknown returns the preview of a server whose packages could not be resolved.
func unknown(s registry.Server, line packagemanager.CommandLine, err error) Preview {
	reason := safetext.Prose(safetext.Clip(cmp.Or(fault.MessageOf(err), err.Error()), 1000))
	p := Preview{Status: Unknown}
	switch {
	case errors.Is(err, packagemanager.ErrSourceOnly):
		where := "with your rights"
		if s.Confined() {
			where = "in a sandbox with access to the folder of the installation and to the network"
		}
		p.Warnings = append(p.Warnings, fmt.Sprintf(
			"A Python package is published as source only. Its code runs at the installation, %s. %s", where, reason))
	case errors.Is(err, packagemanager.ErrRemote):
		p.Warnings = append(p.Warnings, "A dependency does not come from a package registry, but from an address. Nothing is looked up "+
			"there before you approve the server. "+reason)
	case fault.KindOf(err) == fault.Failed:
		p.Warnings = append(p.Warnings, fmt.Sprintf("The packages of %s cannot be installed: %s",
			strings.Join(line.Packages, ", "), reason))
	default:
		p.Warnings = append(p.Warnings, "The packages could not be looked up: "+reason+".")
	}
	return p
}
