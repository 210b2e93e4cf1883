package oauth

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/agent-discover/agent-discover/backend/base/fault"
)

// answer is the answer of a token endpoint.
type answer struct {
	AccessToken  string          `json:"access_token"`
	TokenType    string          `json:"token_type"`
	RefreshToken string          `json:"refresh_token"`
	ExpiresIn    json.RawMessage `json:"expires_in"` // a number, or a number as text
	Scope        *string         `json:"scope"`
	Error        string          `json:"error"`
	Description  string          `json:"error_description"`
}

// tokenError is an error response of a token endpoint.
type tokenError struct {
	code string // OAuth error code, such as invalid_grant
}

func (e tokenError) Error() string { return "token endpoint: " + said(e.code, "") }

// post sends a form as the client c, and returns the status and the body of the answer.
func (n *network) post(ctx context.Context, address string, c client, form url.Values) (int, []byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address, nil)
	if err != nil {
		return 0, nil, fault.New(fault.Failed, "%q is not a valid address", shown(address))
	}
	c.authenticate(r, form.Set)
	body := form.Encode()
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, data, err := n.send(r)
	if err != nil {
		return 0, nil, err
	}
	return response.StatusCode, data, nil
}

// request requests a token for g. It returns a copy of g with the new token. The answer
// is never part of an error, because it may contain tokens.
func (n *network) request(ctx context.Context, g grant, form url.Values) (*grant, error) {
	form.Set("resource", g.Resource)
	asked := n.now()
	status, data, err := n.post(ctx, g.Token, g.Client, form)
	if err != nil {
		return nil, err
	}
	var a answer
	_ = json.Unmarshal(data, &a) // an answer that is not JSON has no token
	switch {
	case a.Error != "":
		return nil, fault.Wrap(tokenError{a.Error}, fault.Failed, "%s answered %s", shown(g.Issuer),
			said(a.Error, withoutValues(a.Description, form, g.Client.Secret)))
	case status/100 != 2:
		kind := fault.Failed
		if status >= 500 || status == http.StatusTooManyRequests {
			kind = fault.Unavailable
		}
		return nil, fault.New(kind, "%s answered with status %d when asked for a token", shown(g.Issuer), status)
	case a.AccessToken == "" || strings.ContainsAny(a.AccessToken, "\r\n\x00"):
		return nil, fault.New(fault.Failed, "%s answered without a token", shown(g.Issuer))
	case a.TokenType != "" && !strings.EqualFold(a.TokenType, "bearer"):
		return nil, fault.New(fault.Failed, "%s issues tokens of the type %s, which are not supported",
			shown(g.Issuer), said(a.TokenType, ""))
	}
	g.Access, g.Obtained, g.Expires = a.AccessToken, asked, time.Time{}
	if a.RefreshToken != "" { // otherwise the last refresh token stays valid
		g.Refresh = a.RefreshToken
	}
	if seconds, err := strconv.ParseFloat(strings.Trim(string(a.ExpiresIn), `"`), 64); err == nil && seconds > 0 {
		g.Expires = asked.Add(time.Duration(min(seconds, 1e9) * float64(time.Second)))
	}
	if a.Scope != nil {
		g.Scopes = union(strings.Fields(*a.Scope))
	}
	g.forced = false
	return &g, nil
}

// withoutValues returns the description of an error, or "" if the description contains a secret value of the request.
func withoutValues(description string, form url.Values, secret string) string {
	for _, value := range []string{form.Get("refresh_token"), form.Get("code"), form.Get("code_verifier"), secret} {
		if value != "" && strings.Contains(description, value) {
			return ""
		}
	}
	return description
}

// renew returns a copy of g with a new token. It requests the token with the refresh token or, if g.Machine is set,
// with the credentials of the client.
func (n *network) renew(ctx context.Context, g *grant) (*grant, error) {
	if g.Machine {
		form := url.Values{"grant_type": {"client_credentials"}}
		if len(g.Scopes) > 0 {
			form.Set("scope", strings.Join(g.Scopes, " "))
		}
		return n.request(ctx, *g, form)
	}
	return n.request(ctx, *g, url.Values{"grant_type": {"refresh_token"}, "refresh_token": {g.Refresh}})
}

// revoke revokes the tokens of g at the authorization server (RFC 7009).
func (n *network) revoke(ctx context.Context, g *grant) error {
	tokens := []struct{ kind, token string }{{"refresh_token", g.Refresh}, {"access_token", g.Access}}
	for _, t := range tokens {
		if t.token == "" {
			continue
		}
		status, _, err := n.post(ctx, g.Revoke, g.Client, url.Values{"token": {t.token}, "token_type_hint": {t.kind}})
		switch {
		case err != nil:
			return err
		case status/100 != 2:
			return fault.New(fault.Failed, "%s answered with status %d", shown(g.Revoke), status)
		}
	}
	return nil
}
