package app

import (
	"context"
	"net/http"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/base/instance"
	"github.com/agent-discover/agent-discover/backend/base/paths"
)

// Endpoint is the address of the running hub and the token for it.
type Endpoint struct {
	URL   string `json:"url"`   // without a trailing slash
	Token string `json:"token"` // the page must not store it
}

// hub finds and starts the hub that uses a data folder.
type hub struct {
	folder paths.Folder
	mu     sync.Mutex // allows one start at a time
}

// errStopped is the error of connect when the user has stopped the hub.
var errStopped = fault.New(fault.Denied, "stopped by the user; start the hub to go on")

// connect returns the running hub after it has proved its identity. If no hub is running, connect starts one, unless
// the user has stopped the hub and anyway is false.
func (h *hub) connect(ctx context.Context, anyway bool) (Endpoint, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	info, err := instance.Read(h.folder)
	if err != nil {
		if instance.Stopped(h.folder) && !anyway {
			return Endpoint{}, errStopped
		}
		if anyway {
			if err := instance.SetStopped(h.folder, false); err != nil {
				return Endpoint{}, fault.Wrap(err, fault.Unavailable, "could not clear the stop request in %s", h.folder)
			}
		}
		if info, err = instance.Ensure(ctx, h.folder, "window"); err != nil {
			return Endpoint{}, err
		}
	}
	// The client makes the hub prove its identity before it sends the token.
	client := instance.NewClient(info)
	defer client.HTTP().CloseIdleConnections()
	if err := client.Do(ctx, http.MethodGet, "/health", nil, nil); err != nil {
		return Endpoint{}, err
	}
	// Create a session for the page: the hub accepts decisions of a person only with a session token.
	token, err := client.Session(ctx)
	if err != nil {
		return Endpoint{}, err
	}
	return Endpoint{URL: "http://" + info.Address(), Token: token}, nil
}
