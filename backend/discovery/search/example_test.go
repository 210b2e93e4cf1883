package search_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"

	"github.com/agent-discover/agent-discover/backend/base/events"
	"github.com/agent-discover/agent-discover/backend/discovery/catalog"
	"github.com/agent-discover/agent-discover/backend/discovery/search"
	"github.com/agent-discover/agent-discover/backend/testing/catalogtest"
)

// openCatalog returns a catalog with the tools of two servers.
func openCatalog(ctx context.Context, bus *events.Bus) *catalog.Catalog {
	tools, err := catalog.Open(ctx, &catalogtest.Store{}, bus, slog.New(slog.DiscardHandler))
	if err != nil {
		log.Fatal(err)
	}
	for server, definitions := range map[string][]string{
		"github": {
			`{"name":"create_issue","description":"Create an issue in a repository"}`,
			`{"name":"list_issues","description":"List the issues of a repository"}`,
		},
		"files": {
			`{"name":"read_file","description":"Read the contents of a file"}`,
		},
	} {
		if _, err := tools.Replace(ctx, server, catalogtest.Definitions(definitions...)); err != nil {
			log.Fatal(err)
		}
	}
	return tools
}

func ExampleSearcher_Find() {
	ctx, bus := context.Background(), &events.Bus{}
	s := search.New(search.Options{Catalog: openCatalog(ctx, bus), Bus: bus})

	result := s.Find(ctx, search.Query{Text: "show all issues of a repository", Limit: 2})
	fmt.Println(result.Confidence)
	for _, hit := range result.Hits {
		fmt.Println(hit.Tool.Server, hit.Tool.Name)
	}

	fmt.Println(s.Find(ctx, search.Query{Text: "weather in Oslo", Limit: 2}).Found)
	// Output:
	// medium
	// github list_issues
	// github create_issue
	// false
}

func ExampleSearcher_Nearest() {
	ctx, bus := context.Background(), &events.Bus{}
	s := search.New(search.Options{Catalog: openCatalog(ctx, bus), Bus: bus})

	for _, tool := range s.Nearest("", "raed_file", 1) {
		fmt.Println(tool.CallAs())
	}
	// Output:
	// mcp__files__read_file
}
