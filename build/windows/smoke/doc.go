// Package smoke runs the built program on Windows as people and editors do, with an MCP server from npm.
// It needs build/windows/node_modules. On Windows:
//
//	npm ci --prefix build/windows
//	go test -tags=smoke ./build/windows/smoke
//
// On Linux, build/windows.sh runs it under wine.
package smoke
