package push

import (
	"context"
	"sync"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/calls/inspector"
	"github.com/agent-discover/agent-discover/backend/calls/journal"
	"github.com/agent-discover/agent-discover/backend/calls/screen"
	"github.com/agent-discover/agent-discover/backend/calls/toolset"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/doors/credentials"
	"github.com/agent-discover/agent-discover/backend/editors/registration"
	"github.com/agent-discover/agent-discover/backend/market/downloads"
	"github.com/agent-discover/agent-discover/backend/market/installer"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/updates"
	"github.com/agent-discover/agent-discover/backend/servers/firststart"
	"github.com/agent-discover/agent-discover/backend/servers/oauth"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/servers/upstream"
	"github.com/agent-discover/agent-discover/backend/servers/vault"
	"github.com/agent-discover/agent-discover/backend/trust/quarantine"
	"github.com/agent-discover/agent-discover/backend/trust/sandbox"
)

// listen subscribes to all events that cause messages to clients, until ctx ends.
func (p *Pusher) listen(ctx context.Context, sources *sync.WaitGroup) <-chan any {
	news := make(chan any, 64)
	listen[registry.Changed](ctx, p.bus, sources, news)
	listen[upstream.StateChanged](ctx, p.bus, sources, news)
	listen[catalog.Changed](ctx, p.bus, sources, news)
	listen[catalog.ShownChanged](ctx, p.bus, sources, news)
	listen[catalog.ToolsChanged](ctx, p.bus, sources, news)
	listen[catalog.Counted](ctx, p.bus, sources, news)
	listen[vault.Changed](ctx, p.bus, sources, news)
	listen[oauth.Changed](ctx, p.bus, sources, news)
	listen[firststart.Changed](ctx, p.bus, sources, news)
	listen[sandbox.Changed](ctx, p.bus, sources, news)
	listen[journal.Recorded](ctx, p.bus, sources, news)
	listen[upstream.Notified](ctx, p.bus, sources, news)
	listen[downloads.Progressed](ctx, p.bus, sources, news)
	listen[upstream.Progressed](ctx, p.bus, sources, news)
	listen[inspector.Asked](ctx, p.bus, sources, news)
	listen[inspector.Answered](ctx, p.bus, sources, news)
	listen[learning.Changed](ctx, p.bus, sources, news)
	listen[registration.Changed](ctx, p.bus, sources, news)
	listen[credentials.Changed](ctx, p.bus, sources, news)
	listen[installer.Progress](ctx, p.bus, sources, news)
	listen[installer.Output](ctx, p.bus, sources, news)
	listen[mirror.Refreshing](ctx, p.bus, sources, news)
	listen[mirror.Refreshed](ctx, p.bus, sources, news)
	listen[toolset.Changed](ctx, p.bus, sources, news)
	listen[quarantine.Changed](ctx, p.bus, sources, news)
	listen[screen.Changed](ctx, p.bus, sources, news)
	listen[updates.Changed](ctx, p.bus, sources, news)
	listen[settings.Reloaded](ctx, p.bus, sources, news)
	return news
}

// missed is forwarded in place of events that the bus dropped because serve received them too slowly.
type missed struct{}

// listen forwards the events of type E to news until ctx ends. When the bus ends the subscription because it is too
// slow, listen subscribes again and forwards missed.
func listen[E any](ctx context.Context, bus *events.Bus, sources *sync.WaitGroup, news chan<- any) {
	const buffer = 2048
	source, stop := events.Subscribe[E](bus, buffer)
	sources.Go(func() {
		defer func() { stop() }()
		for {
			var next any
			select {
			case <-ctx.Done():
				return
			case e, ok := <-source:
				if next = e; !ok {
					source, stop = events.Subscribe[E](bus, buffer)
					next = missed{}
				}
			}
			select {
			case <-ctx.Done():
				return
			case news <- next:
			}
		}
	})
}
