package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/process"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/minilm"
	"github.com/agent-discover/agent-discover/backend/market/mirror"
	"github.com/agent-discover/agent-discover/backend/market/official"
	"github.com/agent-discover/agent-discover/backend/store"
)

// products and qualities are the words of which texts about generated servers consist.
var (
	products = []string{
		"postgres", "calendar", "invoice", "weather", "spreadsheet", "browser", "kubernetes", "email", "payment", "translation", "search",
		"memory", "filesystem", "terminal", "notebook", "music", "video", "map", "flight", "hotel", "recipe", "fitness", "stock",
		"crypto", "news", "wiki", "ticket", "crm", "warehouse", "shipment", "contract", "payroll", "survey", "podcast", "screenshot",
		"diagram", "sensor", "printer", "camera", "museum",
	}
	qualities = []string{
		"read and write", "search", "query", "summarize", "export", "import", "monitor", "schedule", "validate", "convert", "compare",
		"archive", "publish", "translate", "plot", "audit",
	}
)

// madeUpServer returns an entry of the generated registry, in the form of the official one.
func madeUpServer(i int) map[string]any {
	random := rand.New(rand.NewPCG(7, uint64(i)))
	product, other := products[random.IntN(len(products))], products[random.IntN(len(products))]
	name := fmt.Sprintf("io.github.user%05d/%s-%s-mcp", i, product, other)
	version := fmt.Sprintf("1.%d.%d", i%20, i%7)
	server := map[string]any{
		"$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
		"name":    name, "version": version,
		"description": fmt.Sprintf("%s %s data with %s, and link it to %s number %d", qualities[random.IntN(len(qualities))], product,
			verbs[random.IntN(len(verbs))], other, random.IntN(5000)),
		"repository": map[string]any{"url": fmt.Sprintf("https://github.com/user%05d/%s", i, product), "source": "github"},
	}
	kinds := []string{"npm", "pypi", "oci", "nuget", "mcpb"}
	if kind := i % (len(kinds) + 3); kind < len(kinds) {
		pack := map[string]any{
			"registryType": kinds[kind], "identifier": fmt.Sprintf("@user%05d/%s-%s-server", i, product, other), "version": version,
			"transport": map[string]any{"type": "stdio"},
			"environmentVariables": []any{
				map[string]any{
					"name":        strings.ToUpper(product) + "_API_KEY",
					"description": "Create one in the settings of your account, with the right to read and write all data",
					"isRequired":  true, "isSecret": true,
				},
				map[string]any{
					"name": strings.ToUpper(product) + "_REGION", "description": "The region of your account", "default": "eu-central-1",
				},
			},
		}
		if kinds[kind] == "mcpb" {
			pack["identifier"], pack["fileSha256"] = "https://example.com/"+product+".mcpb", strings.Repeat("0", 64)
		}
		server["packages"] = []any{pack}
	} else {
		server["remotes"] = []any{map[string]any{
			"type": "streamable-http", "url": fmt.Sprintf("https://mcp%05d.example.com/mcp", i),
			"headers": []any{
				map[string]any{"name": "Authorization", "description": "Bearer token", "isRequired": true, "isSecret": true},
			},
		}}
	}
	at := time.Date(2026, 1, 1, 0, 0, i, 0, time.UTC).Format(time.RFC3339)
	return map[string]any{"server": server, "_meta": map[string]any{"io.modelcontextprotocol.registry/official": map[string]any{
		"status": "active", "publishedAt": at, "updatedAt": at, "isLatest": true,
	}}}
}

// playRegistry serves a registry with a number of generated servers, until its standard input ends.
func playRegistry(args []string) error {
	count, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go func() {
		_ = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { serveRegistry(w, r, count) }))
	}()
	fmt.Println("http://" + listener.Addr().String())
	_, err = io.Copy(io.Discard, os.Stdin)
	return err
}

// serveRegistry answers a request for a page of generated servers. A request for the servers updated since a time gets
// an empty page.
func serveRegistry(w http.ResponseWriter, r *http.Request, count int) {
	q := r.URL.Query()
	from, _ := strconv.Atoi(q.Get("cursor")) // the first page has no cursor
	limit, _ := strconv.Atoi(q.Get("limit"))
	to := min(from+limit, count)
	if q.Get("updated_since") != "" {
		to = from
	}
	servers, metadata := make([]any, 0, limit), map[string]any{"count": to - from}
	for i := from; i < to; i++ {
		servers = append(servers, madeUpServer(i))
	}
	if to < count && to > from {
		metadata["nextCursor"] = strconv.Itoa(to)
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"servers": servers, "metadata": metadata}) // an error means that the client has left
}

// encoderIdle is the time without a search after which the encoder is unloaded. In a hub it is longer.
const encoderIdle = time.Second

// playMirror copies and searches a registry. Its arguments are the database, the address of the registry, the provider of
// vectors and the number of searches; each line of its standard input is a step.
func playMirror(args []string) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s, err := store.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	m, err := mirror.Open(ctx, mirror.Options{
		Source: official.New(official.Options{URL: args[1]}), Store: s.Mirror, Bus: &events.Bus{}, Log: silent(),
		Meaning: mirror.Meaning{
			Settings: settings.Search{Provider: args[2], Threads: 1, IdleUnload: encoderIdle}, Store: s.MirrorVectors,
			Builtin: embedding.Builtin{Encoder: minilm.New(), Model: minilm.Model, Dimensions: minilm.Dimensions},
		},
	})
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	defer func() { cancel(); err = errors.Join(err, <-ended) }()
	searches, _ := strconv.Atoi(args[3])
	debug.SetGCPercent(60) // as in a hub at rest
	steps := bufio.NewScanner(os.Stdin)
	for steps.Scan() {
		var done mirrored
		began := time.Now()
		switch steps.Text() {
		case "refresh":
			err = m.Refresh(ctx)
		case "search":
			err = searchMirror(ctx, m, args[2], searches, &done)
		case "vectors":
			err = giveVectors(ctx, s)
		}
		if err != nil {
			return err
		}
		done.Seconds = time.Since(began).Seconds()
		if info, err := os.Stat(args[0]); err == nil {
			done.Bytes = info.Size()
		}
		if args[2] != settings.ProviderNone {
			time.Sleep(2 * encoderIdle)
		}
		debug.FreeOSMemory() // free memory as a hub does when it becomes idle
		_ = process.ReleasePages()
		if err := json.NewEncoder(os.Stdout).Encode(done); err != nil {
			return err
		}
	}
	return steps.Err()
}

// searchMirror makes a number of searches. With a provider of vectors, it waits after the first search until all
// vectors are loaded.
func searchMirror(ctx context.Context, m *mirror.Mirror, provider string, searches int, done *mirrored) error {
	for i := range searches + 1 {
		random := rand.New(rand.NewPCG(11, uint64(i)))
		query := qualities[random.IntN(len(qualities))] + " " + products[random.IntN(len(products))]
		if i%3 == 0 {
			query += " with " + products[random.IntN(len(products))]
		}
		if i%4 == 0 {
			query = query[:len(query)-2] + query[len(query)-1:] // a typing mistake
		}
		began := time.Now()
		found, err := m.Search(ctx, query, 20)
		if err != nil || len(found) == 0 {
			return errors.Join(err, fmt.Errorf("%d servers found for %q", len(found), query))
		}
		if took := ms(time.Since(began)); i > 0 {
			done.Took = append(done.Took, took)
			continue
		} else {
			done.First = took
		}
		for until := time.Now().Add(readyTimeout); provider != "none"; time.Sleep(settle) {
			if ready, all := m.Indexed(); ready == all {
				break
			}
			if time.Now().After(until) {
				return errors.New("the vectors were not loaded in time")
			}
		}
	}
	return nil
}

// giveVectors stores vectors for all servers: those of a sample, slightly changed, because computing all takes minutes.
func giveVectors(ctx context.Context, s *store.Store) error {
	encoder := minilm.New()
	var sample []embedding.Vector
	for i := range 50 {
		sample = append(sample, embedding.Round(encoder.Encode(products[i%len(products)]+" "+qualities[i%len(qualities)], 64)))
	}
	model := embedding.New(embedding.Options{
		Settings: settings.Search{Provider: settings.ProviderBuiltin},
		Builtin:  embedding.Builtin{Model: minilm.Model, Dimensions: minilm.Dimensions},
	}).Vectors().Model()
	random := rand.New(rand.NewPCG(1, 2))
	var made []embedding.Made
	err := s.Mirror.MirrorDocuments(ctx, func(id int64, d mirror.Document) {
		made = append(made, embedding.Made{Hash: d.Hash, Vector: near(random, sample[int(id)%len(sample)])})
	})
	if err != nil {
		return err
	}
	return s.MirrorVectors.KeepVectors(ctx, model, made)
}
