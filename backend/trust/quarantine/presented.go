package quarantine

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// maxVersion is the longest version of a server that is shown although the scan has found something in its serverInfo.
const maxVersion = 40

// presented returns the serverInfo that clients are shown. It is that of the server if the scan finds nothing suspicious
// in its texts, and if its addresses are those of web pages and images. Otherwise it has only the name by which the user
// knows the server, and its version.
func (k *Keeper) presented(server string, info json.RawMessage) json.RawMessage {
	var value any
	if json.Unmarshal(info, &value) != nil {
		return info
	}
	texts, safe := textsOf(value, "", nil)
	if safe {
		text, err := json.Marshal(strings.Join(texts, "\n"))
		if err == nil && k.options.Scanner.Scan(server, []Text{{Kind: Instructions, JSON: text}})[0].Verdict < Warn {
			return info
		}
	}
	k.options.Log.Warn("clients are shown only the name of a server, because its description of itself is suspicious", "server", server)
	shown := map[string]string{"name": server, "version": ""}
	if version := jsonrpc.GetString(info, "version"); len(version) <= maxVersion && strings.Trim(version, versionCharacters) == "" {
		shown["version"] = version
	}
	reduced, err := json.Marshal(shown)
	if err != nil {
		return info // encoding these texts cannot fail
	}
	return reduced
}

const versionCharacters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-+_"

// textsOf adds the texts in a JSON value to texts, except images. safe is false if the value has an address of another
// kind than that of a web page or an image. member is the name of the object member that contains the value.
func textsOf(value any, member string, texts []string) (_ []string, safe bool) {
	safe = true
	switch v := value.(type) {
	case string:
		image := strings.HasPrefix(v, "data:image/")
		if member == "src" || member == "websiteUrl" {
			safe = image || strings.HasPrefix(v, "https://") || strings.HasPrefix(v, "http://")
		}
		if !image {
			texts = append(texts, v)
		}
	case []any:
		for _, one := range v {
			var ok bool
			texts, ok = textsOf(one, member, texts)
			safe = safe && ok
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			var ok bool
			texts, ok = textsOf(v[name], name, texts)
			safe = safe && ok
		}
	}
	return texts, safe
}
