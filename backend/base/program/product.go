package program

import (
	"slices"
	"strings"
)

// Product is what a person installs to get a program that starts servers.
type Product struct {
	Name     string   // as its makers write it, such as Node.js
	Page     string   // URL of the page of the official installer
	Instead  string   // a product that people may install instead; empty for none
	Programs []string // names of the programs that it includes, the main one first
}

var products = []Product{
	{Name: "Node.js", Page: "https://nodejs.org/en/download", Programs: []string{"node", "npx", "npm"}},
	{Name: "uv", Page: "https://docs.astral.sh/uv/getting-started/installation/", Programs: []string{"uv", "uvx"}},
	{Name: "Python", Page: "https://www.python.org/downloads/", Programs: []string{"python"}},
	{Name: "Docker", Page: "https://docs.docker.com/get-started/get-docker/", Instead: "Podman", Programs: []string{"docker"}},
	{Name: "Podman", Page: "https://podman.io/docs/installation", Programs: []string{"podman"}},
	{Name: ".NET", Page: "https://dotnet.microsoft.com/download", Programs: []string{"dotnet", "dnx"}},
	{Name: "Rust", Page: "https://www.rust-lang.org/tools/install", Programs: []string{"cargo"}},
}

// ProductOf returns the product that includes a program. ok is false if this package does not know the program.
func ProductOf(program string) (p Product, ok bool) {
	i := slices.IndexFunc(products, func(p Product) bool { return slices.Contains(p.Programs, program) })
	if i < 0 {
		return Product{}, false
	}
	return products[i], true
}

// Name returns the name of the program that a command starts, in lower case, without the folder and without an
// extension such as .exe.
func Name(command string) string {
	name := strings.ToLower(command[strings.LastIndexAny(command, `/\`)+1:])
	for _, extension := range []string{".exe", ".cmd", ".bat", ".com", ".ps1"} {
		name = strings.TrimSuffix(name, extension)
	}
	return name
}
