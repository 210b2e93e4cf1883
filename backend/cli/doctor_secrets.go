package cli

import (
	"context"
	"net/http"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/doors/api/resources"
)

// checkSecrets says where secrets are kept and which credentials stand in
// configurations; nothing while no hub runs, which alone knows.
func (p *program) checkSecrets(ctx context.Context) []finding {
	info, err := instance.Read(p.folder)
	if err != nil {
		return nil
	}
	client := instance.NewClient(info)
	status, err := vaultStatus(ctx, client)
	var servers []resources.Server
	if err != nil || client.Do(ctx, http.MethodGet, "/api/servers", nil, &servers) != nil {
		return nil // what ails the hub is said already
	}
	keeper := finding{What: "secrets", OK: status.Keeper != "none", Detail: status.Why, Advice: status.Advice}
	plain := finding{What: "credentials", OK: true, Detail: "none in the configuration of servers", Advice: "let the vault keep them: agent-discover secrets migrate"}
	var places []string
	for _, s := range servers {
		for _, place := range s.Plaintext {
			places = append(places, s.Name+" "+place)
		}
	}
	if len(places) > 0 {
		plain.OK, plain.Detail = false, "in the configuration of servers: "+strings.Join(places, ", ")
	}
	return []finding{keeper, plain}
}
