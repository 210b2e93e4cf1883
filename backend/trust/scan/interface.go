package scan

import (
	"encoding/json"
	"slices"
	"strings"
)

// uiMeta is the part of a tool's _meta that describes its user interface (MCP Apps).
type uiMeta struct {
	ResourceURI string              `json:"resourceUri"`
	CSP         map[string][]string `json:"csp"`
	Permissions json.RawMessage     `json:"permissions"`
}

// originLists are the members of csp that name web origins.
var originLists = []string{"connectDomains", "frameDomains", "resourceDomains", "baseUriDomains"}

// intrusive are the permissions that a user interface should not need.
var intrusive = []string{"camera", "microphone", "geolocation", "clipboardWrite"}

// userInterface reports a tool whose user interface belongs to another server, or asks for unusual web origins or
// permissions.
func (c *scanner) userInterface(item Item) {
	if !strings.Contains(string(item.JSON), `"_meta"`) {
		return
	}
	var tool struct {
		Meta struct {
			UI  uiMeta `json:"ui"`
			URI string `json:"ui/resourceUri"`
		} `json:"_meta"`
	}
	if json.Unmarshal(item.JSON, &tool) != nil {
		return
	}
	ui := tool.Meta.UI
	for _, uri := range []string{ui.ResourceURI, tool.Meta.URI} {
		if strings.HasPrefix(uri, "ui://") && c.ofPeer(uri) {
			c.interfaceFinding("/_meta/ui/resourceUri", uri, "Its user interface belongs to another server.")
		}
	}
	for _, list := range originLists {
		for _, origin := range ui.CSP[list] {
			switch {
			case strings.Contains(origin, "*"):
				c.interfaceFinding("/_meta/ui/csp/"+list, origin, "Its user interface may connect to any host that matches this pattern.")
			case c.options.KnownOrigins != nil && !slices.Contains(c.options.KnownOrigins, origin):
				c.interfaceFinding("/_meta/ui/csp/"+list, origin, "Its user interface wants to use a new web origin.")
			}
		}
	}
	for _, permission := range intrusive {
		if asked := string(ui.Permissions); strings.Contains(asked, `"`+permission+`"`) {
			c.interfaceFinding("/_meta/ui/permissions", permission, "Its user interface asks for the permission "+permission+".")
		}
	}
}

// ofPeer reports whether another server lists a user interface that this one does
// not list.
func (c *scanner) ofPeer(uri string) bool {
	lists := func(s *Server) bool {
		return slices.ContainsFunc(s.Items, func(i Item) bool {
			return i.Kind == Resource && (i.Name == uri || strings.Contains(string(i.JSON), `"`+uri+`"`))
		})
	}
	if lists(&c.server) {
		return false
	}
	for i := range c.peers {
		if c.peers[i].Name != c.server.Name && lists(&c.peers[i]) {
			return true
		}
	}
	return false
}

func (c *scanner) interfaceFinding(pointer, text, reason string) {
	c.result.Findings = append(c.result.Findings,
		Finding{Rule: Interface, Verdict: Warn, Field: pointer, End: len(text), Text: visible(text), Reason: reason})
}
