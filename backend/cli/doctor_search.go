package cli

import (
	"context"
	"fmt"
	"net/http"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

// checkSearch says whether tools are found by their meaning; nothing while no
// hub runs, which alone knows.
func (p *program) checkSearch(ctx context.Context) []finding {
	info, err := instance.Read(p.folder)
	if err != nil {
		return nil
	}
	var now resources.SearchStatus
	if instance.NewClient(info).Do(ctx, http.MethodGet, "/api/search/status", nil, &now) != nil {
		return nil // what ails the hub is said already
	}
	f := finding{What: "search", OK: now.Problem == "", Advice: now.Problem}
	switch {
	case now.Provider == settings.ProviderNone:
		f.Detail = "by words alone, as search.provider says"
	case now.Problem != "":
		f.Detail = fmt.Sprintf("by words alone: provider %s, model %s, does not work", now.Provider, now.Model)
	default:
		f.Detail = fmt.Sprintf("by words and meaning (provider %s, model %s): %d of %d tools ready", now.Provider, now.Model, now.Ready, now.Tools)
		if now.Working {
			f.Detail += "; the others follow, and are found by their words until then"
		}
	}
	return []finding{f}
}
