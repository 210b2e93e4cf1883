package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/paths"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/servers/registry"
	"github.com/agent-discover/agent-discover/backend/store"
)

// manyServers returns manyTools tools, grouped by server. They are copies of the available tools. Each further copy of
// a tool has another name and one more word, so that the copies differ as the tools of different servers would.
func (b *bench) manyServers() ([][]*catalog.Tool, error) {
	files, _, err := b.toolFiles()
	if err != nil {
		return nil, err
	}
	var out [][]*catalog.Tool
	total := int64(0)
	for copied := 0; total < manyTools; copied++ {
		for i, file := range files {
			definitions, err := definitionsIn(file)
			if err != nil {
				return nil, err
			}
			var tools []*catalog.Tool
			seen := make(map[string]bool)
			for _, d := range definitions {
				t, ok := variant(fmt.Sprintf("server%d-%d", i, copied), d, copied)
				if !ok || seen[t.Name] || total == manyTools {
					continue
				}
				seen[t.Name] = true
				total++
				t.ID, t.Tokens = total, len(t.Definition)/4
				tools = append(tools, t)
			}
			out = append(out, tools)
		}
	}
	return out, nil
}

func definitionsIn(file string) ([]map[string]json.RawMessage, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var list struct{ Tools []map[string]json.RawMessage }
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return list.Tools, nil
}

// variant returns a copy of a tool with a longer name and description.
func variant(server string, definition map[string]json.RawMessage, copied int) (*catalog.Tool, bool) {
	var name, description string
	_ = json.Unmarshal(definition["name"], &name)
	_ = json.Unmarshal(definition["description"], &description) // a description that is not a string is ignored
	if copied > 0 {
		name += fmt.Sprintf("_%s%d", objects[copied%len(objects)], copied)
		description += fmt.Sprintf(" For %s%x.", objects[len(name)%len(objects)],
			rand.New(rand.NewPCG(uint64(copied), uint64(len(description)))).IntN(1<<20))
	}
	definition["name"], _ = json.Marshal(name)
	definition["description"], _ = json.Marshal(description) // strings can always be encoded
	data, err := json.Marshal(definition)
	if err != nil || name == "" {
		return nil, false
	}
	return catalog.NewTool(server, data)
}

// stock writes tools and their vectors into a data folder, as a hub would have done. The vectors are similar to those
// in sample.
func stock(ctx context.Context, folder paths.Folder, servers [][]*catalog.Tool, sample []embedding.Vector) (err error) {
	if err := folder.Create(); err != nil {
		return err
	}
	s, err := store.Open(ctx, folder.Database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	random := rand.New(rand.NewPCG(1, 2))
	model := meaning(s, nil, nil).Vectors().Model()
	for _, tools := range servers {
		if len(tools) == 0 {
			continue
		}
		server := registry.Server{
			Name: tools[0].Server, Description: "made for a measurement", Source: "manual", Transport: "stdio", Command: "true",
			Env: serverEnv, Approved: true, CreatedAt: time.Now(), UpdatedAt: time.Now(),
			Health: registry.Health{Status: "healthy", Listed: true},
		}
		if _, err := s.Servers.InsertServer(ctx, server); err != nil {
			return err
		}
		if err := s.Tools.ReplaceTools(ctx, server.Name, tools, nil); err != nil {
			return err
		}
		var made []embedding.Made
		for _, t := range tools {
			made = append(made, embedding.Made{Hash: t.Hash, Vector: near(random, sample[int(t.ID)%len(sample)])})
		}
		if err := s.ToolVectors.KeepVectors(ctx, model, made); err != nil {
			return err
		}
	}
	return nil
}

// near returns a slightly changed copy of a vector.
func near(random *rand.Rand, v embedding.Vector) embedding.Vector {
	beside := make([]float32, len(v.Values))
	for i, n := range v.Values {
		beside[i] = (float32(n) + float32(random.NormFloat64()*15)) * v.Scale * 0.9
	}
	return embedding.Round(beside)
}

// meaning returns a semantic index like that of a hub with the built-in encoder.
func meaning(s *store.Store, c *catalog.Catalog, bus *events.Bus) *embedding.Index {
	return embedding.New(embedding.Options{
		Settings: settings.Search{Provider: settings.ProviderBuiltin, Threads: 1}, Catalog: c, Store: s.ToolVectors, Bus: bus,
		Log:     silent(),
		Builtin: embedding.Builtin{Encoder: minilm.New(), Model: minilm.Model, Dimensions: minilm.Dimensions},
	})
}

func silent() *slog.Logger { return slog.New(slog.NewTextHandler(io.Discard, nil)) }

// addChangeOne measures the first search after one of many servers has changed a tool. It runs in this process, because a hub
// would have to start that server.
func (r *report) addChangeOne(ctx context.Context, folder paths.Folder, rounds int) (err error) {
	s, err := store.Open(ctx, folder.Database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	bus := &events.Bus{}
	c, err := catalog.Open(ctx, s.Tools, bus, silent())
	if err != nil {
		return err
	}
	index := meaning(s, c, bus)
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- index.Run(ctx) }()
	defer func() { cancel(); err = errors.Join(err, <-ended) }()
	for until := time.Now().Add(readyTimeout); index.Vectors().Len() < manyTools; time.Sleep(settle) {
		if time.Now().After(until) {
			return errors.New("the vectors were not read in time")
		}
	}
	searcher := search.New(search.Options{Catalog: c, Bus: bus, Meaning: index})
	var took []float64
	query := search.Query{Text: "create an issue", Limit: 5}
	searcher.Find(ctx, query)
	for i := range rounds {
		t := c.Snapshot().Tools[i*97]
		if err := changeTool(ctx, c, t, i); err != nil {
			return err
		}
		began := time.Now()
		searcher.Find(ctx, query)
		took = append(took, ms(time.Since(began)))
	}
	r.addTimes(fmt.Sprintf("search after one server of %d tools changed", manyTools), took, "ms", targetChangedTool)
	return nil
}

// changeTool stores a tool with another description, as if its server had listed it so.
func changeTool(ctx context.Context, c *catalog.Catalog, changed *catalog.Tool, i int) error {
	var definitions []json.RawMessage
	for _, t := range c.Snapshot().Of(changed.Server) {
		definition := t.Definition
		if t == changed {
			var members map[string]json.RawMessage
			if err := json.Unmarshal(definition, &members); err != nil {
				return err
			}
			members["description"], _ = json.Marshal(fmt.Sprintf("%s Changed %d times.", t.Description, i)) // strings can always be encoded
			var err error
			if definition, err = json.Marshal(members); err != nil {
				return err
			}
		}
		definitions = append(definitions, definition)
	}
	_, err := c.Replace(ctx, changed.Server, definitions)
	return err
}
