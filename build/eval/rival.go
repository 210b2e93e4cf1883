package main

import (
	"context"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/keyword"
	"github.com/blevesearch/bleve/v2/analysis/analyzer/standard"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/search/query"

	"github.com/agent-discover/agent-discover/backend/discovery/eval"
)

// rival searches with bleve as mcpproxy-go does. Names and servers are indexed as keywords and the other fields as
// text. A query is matched against names, against all fields, and with a higher weight against a field with the
// text of all others. The extra rules of mcpproxy-go for queries that are a single identifier with underscores are
// left out.
type rival struct{ index bleve.Index }

// document is a tool in the index.
type document struct {
	Name        string `json:"tool_name"`
	FullName    string `json:"full_tool_name"`
	Server      string `json:"server_name"`
	Description string `json:"description"`
	Params      string `json:"params_json"`
	Joined      string `json:"searchable_text"`
}

func newRival(tools []eval.Tool) (*rival, error) {
	index, err := bleve.NewMemOnly(fields())
	if err != nil {
		return nil, err
	}
	batch := index.NewBatch()
	for _, t := range tools {
		d := document{
			Name: t.Name, FullName: t.Server + ":" + t.Name, Server: t.Server,
			Description: t.Description, Params: string(t.Schema),
		}
		d.Joined = strings.Join([]string{d.Name, d.FullName, d.Description, d.Params}, " ")
		if err := batch.Index(t.ID, d); err != nil {
			return nil, err
		}
	}
	return &rival{index}, index.Batch(batch)
}

// fields returns the mapping of the index.
func fields() mapping.IndexMapping {
	tool := bleve.NewDocumentStaticMapping()
	for name, analyzer := range map[string]string{
		"tool_name": keyword.Name, "full_tool_name": keyword.Name, "server_name": keyword.Name,
		"description": standard.Name, "params_json": standard.Name, "searchable_text": standard.Name,
	} {
		field := bleve.NewTextFieldMapping()
		field.Analyzer, field.Store = analyzer, false
		tool.AddFieldMappingsAt(name, field)
	}
	m := bleve.NewIndexMapping()
	m.DefaultMapping = tool
	return m
}

// Rank implements eval.Engine. Hits of equal score are sorted by ID.
func (r *rival) Rank(_ context.Context, text string, limit int) (eval.Answer, error) {
	began := time.Now()
	request := bleve.NewSearchRequestOptions(question(text), limit, 0, false)
	request.SortBy([]string{"-_score", "_id"})
	result, err := r.index.Search(request)
	if err != nil {
		return eval.Answer{}, err
	}
	answer := eval.Answer{Found: len(result.Hits) > 0, Took: time.Since(began)}
	for _, hit := range result.Hits {
		answer.Hits = append(answer.Hits, eval.Hit{ID: hit.ID, Score: hit.Score})
	}
	return answer, nil
}

// question returns a query that matches the exact name, the full name, the
// beginning of a name, any part of a name if the text contains an underscore,
// and words.
func question(text string) query.Query {
	name, full := bleve.NewTermQuery(text), bleve.NewTermQuery(text)
	begins := bleve.NewPrefixQuery(text)
	everywhere, joined := bleve.NewMatchQuery(text), bleve.NewMatchQuery(text)
	any := bleve.NewBooleanQuery()
	any.AddShould(
		on(name, "tool_name", 5), on(full, "full_tool_name", 4), on(begins, "tool_name", 3),
		everywhere, on(joined, "searchable_text", 1.5),
	)
	if strings.Contains(text, "_") {
		any.AddShould(on(bleve.NewWildcardQuery("*"+text+"*"), "tool_name", 2.5))
	}
	return any
}

// on restricts a query to a field and sets the query's weight.
func on[Q interface {
	query.FieldableQuery
	query.BoostableQuery
}](q Q, field string, weight float64) query.Query {
	q.SetField(field)
	q.SetBoost(weight)
	return q
}
