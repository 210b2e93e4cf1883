package surfaces_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/agent-discover/agent-discover/backend/doors/companion"
	"github.com/agent-discover/agent-discover/backend/hub"
	"github.com/agent-discover/agent-discover/backend/testing/hubtest"
	"github.com/agent-discover/agent-discover/backend/testing/mcptest"
)

// TestConversations runs the conversations in testdata/conversations, each with a client of either era. The file
// config.yaml of an archive has the settings of the hub. Every other file is a part of the conversation, with
// these lines:
//
//	> METHOD PARAMS  sends a request; the params are given without braces
//	< TEXT           must be in the answer, in which \" is written as "
//	! TEXT           must not be in the answer
//
// The hub has four servers: "one" has tools of each degree of danger, "two" has the tools of mcptest, "three" does
// not start, and "four" waits for approval.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/conversations/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no conversations")
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			h := conversing(t, archive)
			hubtest.InEachEra(t, h, companion.Entry{Surface: "meta", Client: "cursor"}, func(t *testing.T, a *hubtest.Agent, modern bool) {
				for _, part := range archive.Files {
					if part.Name != "config.yaml" {
						a.Converse(part, modern)
					}
				}
			})
		})
	}
}

func conversing(t *testing.T, archive *txtar.Archive) *hub.Hub {
	t.Helper()
	config := "port: 0\n"
	for _, part := range archive.Files {
		if part.Name == "config.yaml" {
			config += string(part.Data)
		}
	}
	h := hubtest.AnnotatedWith(t, hub.Options{Folder: hubtest.NewDataFolder(t, config)})
	for i, flags := range [][]string{nil, {"-crash", "three cannot start"}} {
		command := mcptest.Command(t, flags...)
		err := hubtest.TryDo(t, h, "POST", "/api/servers", map[string]any{
			"name": []string{"two", "three"}[i], "description": "Server of a conversation", "command": command[0], "args": command[1:],
			"env": map[string]string{"API_TOKEN": hubtest.ConversationSecret},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	hubtest.Do(t, h, "POST", "/api/servers/2/refresh", nil, nil)
	_ = hubtest.TryDo(t, h, "POST", "/api/servers/3/refresh", nil)
	proposer := hubtest.Introduced(t, h, companion.Entry{}, "{}")
	if reply := proposer.Registry(`{"action":"install","name":"four","command":"four-server"}`); !strings.Contains(reply,
		"waiting_for_approval") {
		t.Fatal(reply)
	}
	return h
}
