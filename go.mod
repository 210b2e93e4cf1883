module github.com/agent-discover/agent-discover

go 1.26

// Node packages may carry Go files; none of them are ours.
ignore ./frontend/node_modules

ignore ./build/servers/node_modules

require github.com/modelcontextprotocol/go-sdk v1.8.0
