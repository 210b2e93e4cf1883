package search

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/base/settings"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/embedding"
	"github.com/agent-discover/agent-discover/backend/discovery/learning"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// office is a catalog of typical servers. Each line is a tool: its name, its
// description and, after a bar, the names of its parameters.
var office = map[string]string{
	"github": `create_issue: Create a new issue in a repository | title body
		list_issues: List the issues of a repository
		update_issue: Change title, text or labels of an issue
		getPullRequest: Get a pull request with its reviews
		create_pull_request: Create a pull request from a branch
		merge_pull_request: Merge a pull request
		create_branch: Create a branch in a repository
		write_one_file: Commit a single file to a branch
		push_files: Commit several files to a branch at once
		search_repositories: Search for repositories by topic`,
	"slack": `post_message: Post a message to a channel | channel text
		list_channels: List the channels of the workspace
		get_users: List the members of the workspace`,
	"kube": `get_pods: List the pods of a Kubernetes cluster
		scale_deployment: Change how many replicas a deployment has`,
	"files": `read_text_file: Read the contents of a file from disk as text
		write_file: Write text to a file, over what was there
		list_directory: List what is in a directory
		move_file: Move or rename a file`,
	"calendar": `create_event: Create an event with guests | start end
		list_events: List the events of a day
		delete_event: Delete an event`,
	"mail": `send_email: Send an email to somebody | recipient subject
		search_emails: Search the inbox`,
	"weather": `forecast: Weather of the coming days for a city
		get_alerts: Storm warnings of a region`,
	"db": `run_query: Run SQL against the database | sql
		describe_table: Describe the columns of a table
		drop_table: Drop a table of the database`,
	"browser": `take_screenshot: Take a screenshot of the page
		open_page: Open an address in the browser`,
	"maps":     `search_place: 搜索附近的地点和餐厅`,
	"accounts": `getUserIDs: Return the IDs of all accounts`,
}

// definitions returns the tools of a server in office as a server lists them.
func definitions(server string) []json.RawMessage {
	var out []json.RawMessage
	for line := range strings.Lines(server) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ": ")
		description, parameters, _ := strings.Cut(rest, " | ")
		properties := make(map[string]any)
		for _, p := range strings.Fields(parameters) {
			properties[p] = map[string]string{"description": p + " of it"}
		}
		raw, _ := json.Marshal(map[string]any{
			"name": name, "description": description, "inputSchema": map[string]any{"properties": properties},
		})
		out = append(out, raw)
	}
	return out
}

// newCatalog returns a catalog of servers, which are added in random order.
func newCatalog(t testing.TB, servers map[string]string) *catalog.Catalog {
	t.Helper()
	lists := make(map[string][]json.RawMessage)
	for server, tools := range servers {
		lists[server] = definitions(tools)
	}
	return catalogtest.Open(t, &events.Bus{}, lists)
}

// officeWith returns office with other servers added or replaced.
func officeWith(others map[string]string) map[string]string {
	out := maps.Clone(office)
	maps.Copy(out, others)
	return out
}

// names returns the names of the hits' tools.
func names(hits []Hit) string {
	var names []string
	for _, hit := range hits {
		names = append(names, hit.Tool.Proxied())
	}
	return strings.Join(names, " ")
}

// senses maps words to numbers, with one number for words of similar meaning.
var senses = func() map[string]int {
	out := make(map[string]int)
	for i, words := range []string{
		"issue bug ticket defect", "list show", "branch", "file files document text disk", "message channel chat tell slack",
		"kubernetes pod pods cluster containers", "event calendar meeting appointment", "email mail inbox letter",
		"weather rain umbrella sunny", "storm warnings hurricane", "sql database table", "screenshot picture", "page browser website",
		"place restaurant", "accounts people members", "pull request", "merge", "move rename", "hose can",
	} {
		for _, word := range strings.Fields(words) {
			out[word] = i
		}
	}
	return out
}()

const dimensions = 64

// senseEncoder is an encoder that maps words to senses: texts whose words have the
// same senses get similar vectors.
type senseEncoder struct{}

func (senseEncoder) Encode(text string, _ int) []float32 {
	v := make([]float32, dimensions)
	v[dimensions-1] = 0.1 // so that no vector is zero
	for _, word := range words(text) {
		if at, ok := senses[word]; ok {
			v[at]++
		}
	}
	length := 0.0
	for _, n := range v {
		length += float64(n) * float64(n)
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(length))
	}
	return v
}

func (senseEncoder) Release() {}

// noVectorStore is an embedding.Store that keeps nothing.
type noVectorStore struct{}

func (noVectorStore) Vectors(context.Context, string, func(string, float32, []byte)) error {
	return nil
}

func (noVectorStore) KeepVectors(context.Context, string, []embedding.Made) error { return nil }

func (noVectorStore) TidyVectors(context.Context, string, time.Time, time.Duration) error { return nil }

// measuredModel is a model with an entry in blends.
const measuredModel = "minilm-tools"

// vectorsOf computes the vectors of a catalog's tools with an encoder, under
// the name of a model.
func vectorsOf(t testing.TB, c *catalog.Catalog, model string, encoder embedding.Encoder) *embedding.Vectors {
	t.Helper()
	how := settings.Default().Search
	how.Provider, how.Threads = settings.ProviderBuiltin, 1
	bus := &events.Bus{}
	x := embedding.New(embedding.Options{
		Settings: how, Catalog: c, Store: noVectorStore{}, Bus: bus, Log: slog.New(slog.DiscardHandler),
		Builtin: embedding.Builtin{Encoder: encoder, Model: model, Dimensions: dimensions},
	})
	changes, stop := events.Subscribe[embedding.Changed](bus, 1024)
	defer stop()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = x.Run(ctx) }()
	defer func() { cancel(); <-done }()
	for x.Status().Ready < x.Status().Tools {
		<-changes
	}
	return x.Vectors()
}

// fakeMeaning is a Meaning that consists of functions.
type fakeMeaning struct {
	vectors func() *embedding.Vectors
	query   func(text string) ([]float32, bool)
}

func (m fakeMeaning) Vectors() *embedding.Vectors { return m.vectors() }

func (m fakeMeaning) Query(_ context.Context, text string) ([]float32, bool) { return m.query(text) }

func (m fakeMeaning) AwaitQuery(_ context.Context, text string) ([]float32, bool) {
	return m.query(text)
}

// meaningOf returns a Meaning with the vectors and with senseEncoder for
// queries.
func meaningOf(vectors *embedding.Vectors) fakeMeaning {
	return fakeMeaning{
		func() *embedding.Vectors { return vectors },
		func(text string) ([]float32, bool) { return senseEncoder{}.Encode(text, 0), true },
	}
}

// fakeLearned holds lifts by query. The lifts of "" apply to every query.
type fakeLearned map[string][]learning.Lift

func (l fakeLearned) Lifts(query string) []learning.Lift { return slices.Concat(l[query], l[""]) }
