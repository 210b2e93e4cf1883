package hub

import (
	"context"

	"github.com/agent-discover/agent-discover/backend/servers/journal"
	"github.com/agent-discover/agent-discover/backend/servers/setup"
)

// importedMetrics gives the journal what an import brings.
type importedMetrics struct{ journal *journal.Journal }

// AddMetric implements setup.Metrics.
func (i importedMetrics) AddMetric(ctx context.Context, m setup.Metric, dry bool) (bool, error) {
	return i.journal.Add(ctx, journal.Tally{
		Server: m.Server, Tool: m.Tool, Calls: m.Calls, Errors: m.Errors, Latency: m.Latency, Last: m.LastAt,
	}, dry)
}
