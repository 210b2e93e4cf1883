package app

import (
	"context"
	"net/http"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Endpoint is where the running hub answers, and what opens it.
type Endpoint struct {
	URL   string `json:"url"`   // without a slash at its end
	Token string `json:"token"` // for the page's memory only
}

// hub is the hub of a data folder, whichever process that is.
type hub struct {
	folder paths.Folder
	one    sync.Mutex // of several who find no hub at once, one starts it
}

// errStopped lets the page offer to start the hub; it knows it by its first words.
var errStopped = fault.New(fault.Denied, "stopped by the user; start the hub to go on")

// connect returns the running hub once it has proven itself, and starts one when there is none. What the user has
// stopped stays stopped unless anyway is set.
func (h *hub) connect(ctx context.Context, anyway bool) (Endpoint, error) {
	h.one.Lock()
	defer h.one.Unlock()
	info, err := instance.Read(h.folder)
	if err != nil {
		if instance.Stopped(h.folder) && !anyway {
			return Endpoint{}, errStopped
		}
		if anyway {
			if err := instance.SetStopped(h.folder, false); err != nil {
				return Endpoint{}, fault.Wrap(err, fault.Unavailable, "the wish to stop cannot be taken back: %s cannot be written", h.folder)
			}
		}
		if info, err = instance.Ensure(ctx, h.folder, "window"); err != nil {
			return Endpoint{}, err
		}
	}
	// The first request on a connection lets the hub prove itself; no token is out before that.
	client := instance.NewClient(info)
	defer client.HTTP().CloseIdleConnections()
	if err := client.Do(ctx, http.MethodGet, "/health", nil, nil); err != nil {
		return Endpoint{}, err
	}
	return Endpoint{URL: "http://" + info.Address(), Token: info.Token}, nil
}
