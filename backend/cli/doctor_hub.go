package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/safetext"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/base/words"
	"github.com/agent-discover/agent-discover/backend/doors/api/operations"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
)

// The checks in this file ask the hub. If the hub does not answer, a check returns
// nothing, because checkHub already reports the failure.

// checkSecrets reports where secrets are stored, and which configurations
// contain credentials.
func checkSecrets(ctx context.Context, client *instance.Client) []finding {
	status, err := vaultStatus(ctx, client)
	if err != nil {
		return nil
	}
	servers, err := allServers(ctx, client)
	if err != nil {
		return nil
	}
	stored := finding{What: "secrets", OK: status.Keeper != "none", Detail: status.Why, Advice: status.Advice}
	plain := finding{
		What: "credentials", OK: true, Detail: "none in the configuration of servers",
		Advice: "store them as secrets: agent-discover secrets migrate",
	}
	var places []string
	for _, s := range servers {
		for _, place := range s.Plaintext {
			places = append(places, s.Name+" "+place)
		}
	}
	if len(places) > 0 {
		plain.OK, plain.Detail = false, "in the configuration of servers: "+strings.Join(places, ", ")
	}
	return []finding{stored, plain}
}

// checkPort reports that the hub does not listen on its configured port.
func (d doctorCommand) checkPort(ctx context.Context, client *instance.Client) []finding {
	taken, err := takenPort(ctx, client)
	if err != nil || taken == nil {
		return nil
	}
	f := finding{What: "port", Detail: taken.Problem, Advice: taken.Advice}
	if taken.Free {
		f.remedy = d.restart()
	}
	return []finding{f}
}

// checkPortWithoutHub reports that another program uses the port of the hub while no hub runs.
func (d doctorCommand) checkPortWithoutHub(ctx context.Context) []finding {
	config, err := settings.Load(d.p.folder.Config())
	if _, held := instance.Holder(d.p.folder); err != nil || held {
		return nil // checkSettings reports the error; a hub that cannot be used may have the port
	}
	taken := operations.DescribePort(ctx, config.Port, 0, nil)
	if taken == nil {
		return nil
	}
	return []finding{{What: "port", Detail: taken.Problem, Advice: taken.Advice}}
}

// takenPort returns why the hub does not listen on its configured port, or nil if it does.
func takenPort(ctx context.Context, client *instance.Client) (*operations.TakenPort, error) {
	var about struct {
		Port *operations.TakenPort `json:"taken_port"`
	}
	err := client.Do(ctx, http.MethodGet, "/api/about", nil, &about)
	return about.Port, err
}

// remedies holds advice for each state of a server in which agents cannot use it. %s stands for the name of the server;
// "" means that no advice is needed.
var remedies = map[string]string{
	words.Waiting:  "read what it would run and approve it: agent-discover servers approve %s",
	words.Disabled: "",
	words.Incomplete: "set its command (agent-discover servers edit %[1]s -- COMMAND ARGS) or its address (agent-discover servers edit %[1]s " +
		"--url URL), or remove it: agent-discover servers remove %[1]s",
	words.Held:      "read what has changed and approve it: agent-discover trust list %s",
	words.SignIn:    "sign in: agent-discover auth login %s",
	words.Starting:  "",
	words.New:       "start it once: agent-discover servers refresh %s",
	words.Failing:   "see its last words: agent-discover servers show %s",
	words.CallsFail: "a credential may be missing, wrong or expired; see its failed calls: agent-discover logs --failed --server %s",
}

// brief returns a reason in one line, without the end of a very long one. The remedy is often at its end.
func brief(reason string) string {
	return safetext.Clip(cell(strings.Join(strings.Fields(reason), " ")), 400)
}

// checkServers reports the servers whose tools agents cannot find or call, one finding each.
func (d doctorCommand) checkServers(ctx context.Context, client *instance.Client) (findings []finding) {
	servers, err := allServers(ctx, client)
	if err != nil {
		return nil
	}
	for _, s := range servers {
		if remedy, unready := remedies[s.State]; unready {
			f := finding{What: "server " + s.Name, Detail: brief(s.StateReason)}
			if f.OK = remedy == ""; !f.OK {
				f.Advice = fmt.Sprintf(remedy, s.Name)
				if s.State == words.New || s.State == words.Failing {
					f.remedy = d.list(client, s)
				}
			}
			findings = append(findings, f)
		}
	}
	if len(findings) == 0 {
		findings = []finding{{What: "servers", OK: true, Detail: isAre(len(servers), "is ready", "are ready")}}
	}
	return findings
}

// checkSearch reports whether the search finds tools by their meaning.
func checkSearch(ctx context.Context, client *instance.Client) []finding {
	var now operations.SearchStatus
	if client.Do(ctx, http.MethodGet, "/api/search/status", nil, &now) != nil {
		return nil
	}
	f := finding{What: "search", OK: now.Problem == "", Advice: now.Problem}
	switch {
	case now.Provider == settings.ProviderNone:
		f.Detail = "by words only, because search.provider is none"
	case now.Problem != "":
		f.Detail = fmt.Sprintf("by words only, because provider %s with model %s does not work", now.Provider, now.Model)
	default:
		f.Detail = fmt.Sprintf("by words and meaning (provider %s, model %s): %d of %d tools indexed",
			now.Provider, now.Model, now.Ready, now.Tools)
		if now.Working {
			f.Detail += "; until the others are, they are found by words only"
		}
	}
	return []finding{f}
}

// checkEditors reports the problems of editors, one finding each.
func (d doctorCommand) checkEditors(ctx context.Context, client *instance.Client) []finding {
	var report doctor.Report
	if client.Do(ctx, http.MethodGet, "/api/editors/checkup", nil, &report) != nil {
		return nil
	}
	var findings []finding
	for _, f := range report.Findings {
		if f.Level != doctor.Note {
			findings = append(findings, finding{
				What: "editors (" + strings.Join(f.Editors, ", ") + ")", Detail: f.Text, Advice: f.Advice,
				remedy: d.repairEntry(client, f),
			})
		}
	}
	if len(findings) > 0 {
		return findings
	}
	var installed []string
	for _, c := range report.Costs {
		installed = append(installed, c.Editor)
	}
	if len(installed) == 0 {
		return []finding{{What: "editors", OK: true, Detail: "none found on this machine"}}
	}
	return []finding{{What: "editors", OK: true, Detail: strings.Join(installed, ", ") + ": no problems found"}}
}
