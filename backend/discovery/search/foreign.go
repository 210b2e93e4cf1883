package search

import "github.com/agent-discover/agent-discover/backend/discovery/lexicon"

// asked is a query in the forms that are compared with tools. For an English
// query, query, words and meaning are equal.
type asked struct {
	query   string   // as written
	words   string   // for the index: a foreign query is followed by its English words
	meaning string   // for the embedding model and as evidence: of a foreign query, only the English words and possible names
	read    []string // the English words; nil for an English query
	patient bool     // as Query.Patient
}

// askedFor returns the forms of a query. If the query is in another language, they
// include its English words.
func askedFor(query string) asked {
	reading, ok := lexicon.Read(query)
	if !ok {
		return asked{query: query, words: query, meaning: query}
	}
	english := reading.English()
	return asked{query: query, words: query + " " + english, meaning: english, read: reading.Words}
}

// foreign reports whether the query is in another language than English.
func (a asked) foreign() bool { return a.read != nil }
