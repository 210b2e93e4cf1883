package hub

import (
	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
)

// openMeaning returns who makes the vectors of tools and queries.
func (h *Hub) openMeaning(config settings.Search, bus *events.Bus) *embedding.Index {
	return embedding.New(embedding.Options{
		Settings: config, Builtin: builtinModel(), Catalog: h.catalog, Store: h.store, Bus: bus, Log: h.log,
	})
}

// builtinModel is the model inside the hub.
func builtinModel() embedding.Builtin {
	return embedding.Builtin{Encoder: minilm.New(), Model: minilm.Model, Dimensions: minilm.Dimensions}
}
