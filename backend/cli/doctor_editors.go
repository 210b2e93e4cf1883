package cli

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/editors/doctor"
)

// checkDesks says what is wrong with the editors of this machine, one line a
// problem; nothing while no hub runs, which alone looks at them.
func (p *program) checkDesks(ctx context.Context) []finding {
	info, err := instance.Read(p.folder)
	if err != nil {
		return nil
	}
	var report doctor.Report
	if instance.NewClient(info).Do(ctx, http.MethodGet, "/api/editors/checkup", nil, &report) != nil {
		return nil // what ails the hub is said already
	}
	var findings []finding
	for _, f := range report.Findings {
		if f.Level != doctor.Note {
			findings = append(findings, finding{What: "editors (" + strings.Join(f.Editors, ", ") + ")", Detail: f.Text, Advice: f.Advice})
		}
	}
	if len(findings) > 0 {
		return findings
	}
	here := make([]string, len(report.Costs))
	for i, c := range report.Costs {
		here[i] = c.Editor
	}
	detail := "none on this machine"
	if len(here) > 0 {
		detail = fmt.Sprintf("%s: nothing is wrong", strings.Join(here, ", "))
	}
	return []finding{{What: "editors", OK: true, Detail: detail}}
}
