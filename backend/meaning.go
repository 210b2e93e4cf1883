package backend

import (
	"github.com/agent-discover/agent-discover/backend/embedding"
	"github.com/agent-discover/agent-discover/backend/encoder"
	"github.com/agent-discover/agent-discover/backend/events"
	"github.com/agent-discover/agent-discover/backend/settings"
)

// openMeaning returns who makes the vectors of tools and queries.
func (h *Hub) openMeaning(config settings.Search, bus *events.Bus) *embedding.Index {
	return embedding.New(embedding.Options{
		Settings: config, Builtin: builtinModel(), Catalog: h.catalog, Store: h.store, Bus: bus, Log: h.log,
	})
}

// builtinModel is the model inside the hub.
func builtinModel() embedding.Builtin {
	return embedding.Builtin{Encoder: encoder.New(), Model: encoder.Model, Dimensions: encoder.Dimensions}
}
