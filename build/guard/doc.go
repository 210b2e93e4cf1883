// Package guard tests that the best known MCP servers on npm and PyPI work in the sandbox guard. Each one is started
// with npx or uvx in a home folder of its own, first without a sandbox and then in guard. In guard it must list the
// same tools and answer the same call, after a person has answered at most one question: whether it may use the files
// that the hub then says it wants. make guard-servers runs the test, which downloads the servers from the package
// registries.
package guard
