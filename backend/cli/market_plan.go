package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	marketplan "github.com/agent-discover/agent-discover/backend/market/plan"
	"github.com/agent-discover/agent-discover/backend/market/prerequisites"
	"github.com/agent-discover/agent-discover/backend/servers/risk"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// planned describes everything that the installation of a server would download, run and store.
func planned(p *marketplan.Plan, download operations.Download) string {
	runs := setup.Runs{Transport: "stdio", Env: p.Env, URL: p.URL, Headers: p.Headers}
	if len(p.Command) > 0 {
		runs.Command, runs.Args = p.Command[0], p.Command[1:]
	} else {
		runs.Transport = p.Option.ID
	}
	var about [][2]string
	add := func(label, format string, args ...any) {
		about = append(about, [2]string{label, fmt.Sprintf(format, args...)})
	}
	if d := p.Download; d != nil {
		add("downloads", "%s", downloaded(d))
		if d.SHA256 != "" {
			add("SHA-256", "%s", d.SHA256)
		}
	}
	for _, fact := range download.Facts {
		add("download", "%s", fact)
	}
	for _, step := range p.Steps {
		add("runs once", "%s: %s", wholeCommand(step.Command), step.Why)
	}
	for _, s := range p.Secrets {
		text := s.Name + ", stored in the keychain"
		if s.Visible {
			text += "; other programs can see it while the server runs"
		}
		add("secret", "%s", text)
	}
	if len(p.Needs.Programs) > 0 {
		add("needs", "%s", strings.Join(p.Needs.Programs, " or "))
	}
	for _, note := range p.Notes {
		add("note", "%s", note)
	}
	if p.Hash != "" {
		add("hash", "%s", p.Hash)
	}
	var assessed *risk.Assessment
	if p.Risk.Consequence != "" {
		assessed = &p.Risk
	}
	heading := fmt.Sprintf("%s, from %s, as server %s:\n", strings.TrimSpace(shownText(p.ID)+" "+shownText(p.Version)),
		shownText(cmp.Or(p.Option.Name, p.Option.Kind)), p.Name)
	return launched(heading, runs, about, assessed) + warningLines(download.Warnings)
}

// downloaded describes the file or package that a plan downloads.
func downloaded(d *marketplan.Download) string {
	text := strings.TrimSpace(d.Name + " " + d.Version)
	if d.From != "" && d.From != d.Name {
		text += " from " + d.From
	}
	return text + " (" + string(d.Kind) + ")"
}

// wholeCommand returns a command as a person would type it.
func wholeCommand(command []string) string { return commandLine(command[0], command[1:]) }

// howToGet describes how a person gets a missing program.
func howToGet(install *prerequisites.Install) string {
	if install == nil {
		return ""
	}
	var b strings.Builder
	if len(install.Commands) > 0 {
		b.WriteString("To get it, run:\n")
		for _, command := range install.Commands {
			b.WriteString("  " + wholeCommand(command) + "\n")
		}
		b.WriteString("or see " + install.Page + "\n")
	} else if install.Page != "" {
		b.WriteString("To get it, see " + install.Page + "\n")
	}
	if install.Note != "" {
		b.WriteString(install.Note + "\n")
	}
	return b.String()
}
