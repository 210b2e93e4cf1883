package route

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

type common struct {
	Name string `json:"name"`
}

type fields struct {
	common
	Number int `json:"number"`
}

type input struct {
	ID string `path:"id"`
	Object[fields]
}

// serve returns a handler for POST /x/{id}. It answers with the request body, or with the error that the id selects.
func serve() http.Handler {
	mux := http.NewServeMux()
	table := NewTable(mux, func() *huma.OpenAPI {
		return &huma.OpenAPI{OpenAPI: "3.1.0", Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/", huma.DefaultSchemaNamer),
		}}
	})
	failures := map[string]error{
		"missing": fault.New(fault.NotFound, "no such thing"), "plain": errors.New("secret"),
		"failed": fault.New(fault.Failed, "it failed"), "unset": fault.Wrap(&fault.Error{Message: "KEY is required", Variable: "KEY"},
			fault.Failed, "it did not start"),
		"bad": BadRequest("bad"), "invalid": InvalidIsBadRequest(fault.New(fault.Invalid, "not valid")),
	}
	Add(table.Group("x"), Post("/x/{id}", "x"), func(_ context.Context, in *input) (*Reply[fields], error) {
		if err := failures[in.ID]; err != nil {
			return nil, err
		}
		body, err := in.Decode()
		if err != nil {
			return nil, err
		}
		return OK(body)
	})
	return mux
}

func TestErrorsHaveATextAndACode(t *testing.T) {
	for _, c := range []struct {
		path, body string
		status     int
		want       Failure
	}{
		{"/x/missing", `{}`, 404, Failure{Message: "no such thing", Code: "not_found"}},
		{"/x/failed", `{}`, 500, Failure{Message: "it failed", Code: "failed"}},
		{"/x/unset", `{}`, 500, Failure{Message: "it did not start", Code: "failed", MissingVariable: "KEY"}},
		{"/x/bad", `{}`, 400, Failure{Message: "bad", Code: "invalid_request"}},
		{"/x/invalid", `{}`, 400, Failure{Message: "not valid", Code: "invalid_request"}},
		{"/x/1", ``, 422, Failure{Message: "Invalid JSON in request body", Code: "invalid"}},
		{"/x/1", `{`, 422, Failure{Message: "Invalid JSON in request body", Code: "invalid"}},
		{"/x/1", `[]`, 422, Failure{Message: "Request body must be a JSON object", Code: "invalid"}},
		{"/x/1", `null`, 422, Failure{Message: "Request body must be a JSON object", Code: "invalid"}},
		{"/x/1", `{"number":"x"}`, 422, Failure{Message: "number has the wrong type: string", Code: "invalid"}},
		{"/x/1", `{"name":1}`, 422, Failure{Message: "name has the wrong type: number", Code: "invalid"}},
	} {
		answer := httptest.NewRecorder()
		serve().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.body)))
		var got Failure
		if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || !reflect.DeepEqual(got, c.want) || answer.Code != c.status {
			t.Errorf("POST %s %s: %d %s, want %d %+v", c.path, c.body, answer.Code, answer.Body, c.status, c.want)
		}
	}
}

func TestErrorsWithoutAMessageForUsersDoNotShowTheirText(t *testing.T) {
	answer := httptest.NewRecorder()
	serve().ServeHTTP(answer, httptest.NewRequest(http.MethodPost, "/x/plain", strings.NewReader("{}")))
	if text := answer.Body.String(); answer.Code != 500 || strings.Contains(text, "secret") ||
		!strings.Contains(text, `"code":"internal"`) {
		t.Errorf("%d %s", answer.Code, text)
	}
}

func TestOperationsArePreparedWhenTheyAreFirstRequested(t *testing.T) {
	mux := http.NewServeMux()
	var prepared atomic.Int32
	table := NewTable(mux, func() *huma.OpenAPI {
		prepared.Add(1)
		return &huma.OpenAPI{OpenAPI: "3.1.0", Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/", huma.DefaultSchemaNamer),
		}}
	})
	paths := []string{"/a/1", "/b/1", "/c/1"}
	for _, path := range paths {
		Add(table.Group("x"), Post(path[:3]+"{id}", "x"), func(_ context.Context, in *input) (*Reply[fields], error) {
			body, err := in.Decode()
			if err != nil {
				return nil, err
			}
			return OK(body)
		})
	}
	if n := prepared.Load(); n != 0 {
		t.Errorf("%d operations are prepared before any request", n)
	}
	var requests sync.WaitGroup
	for range 4 {
		for _, path := range paths[:2] {
			requests.Go(func() {
				answer := httptest.NewRecorder()
				mux.ServeHTTP(answer, httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"name":"n","number":1}`)))
				if got := answer.Body.String(); answer.Code != 200 || strings.TrimSpace(got) != `{"name":"n","number":1}` {
					t.Errorf("POST %s: %d %s", path, answer.Code, got)
				}
			})
		}
	}
	requests.Wait()
	if n := prepared.Load(); n != 2 {
		t.Errorf("%d operations are prepared after requests for two", n)
	}
}

func TestQueryParametersThatAnOperationDoesNotHaveAreRefused(t *testing.T) {
	mux := http.NewServeMux()
	table := NewTable(mux, func() *huma.OpenAPI {
		return &huma.OpenAPI{OpenAPI: "3.1.0", Components: &huma.Components{Schemas: huma.NewMapRegistry("#/", huma.DefaultSchemaNamer)}}
	})
	type page struct {
		Limit string   `query:"limit"`
		Kinds []string `query:"kind,explode"`
	}
	type paged struct{ page }
	Add(table.Group("x"), Get("/x", "x"), func(context.Context, *paged) (*Reply[fields], error) { return OK(fields{}) })
	Add(table.Group("x"), Delete("/x", "x"), func(context.Context, *struct{}) (*Reply[fields], error) { return OK(fields{}) })
	for _, c := range []struct {
		method, path string
		status       int
		want         string
	}{
		{"GET", "/x?limit=1&kind=a&kind=b", 200, ""},
		{"GET", "/x?limits=1", 422, `unknown query parameter "limits"; this operation has kind, limit`},
		{"DELETE", "/x?before=1", 422, `unknown query parameter "before"; this operation has none`},
		{"DELETE", "/x?", 200, ""},
	} {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest(c.method, c.path, nil))
		var got Failure
		if err := json.Unmarshal(answer.Body.Bytes(), &got); err != nil || got.Message != c.want || answer.Code != c.status ||
			c.want != "" && got.Code != "invalid" {
			t.Errorf("%s %s: %d %s", c.method, c.path, answer.Code, answer.Body)
		}
	}
}
