// Command prose prints a random sample of the comments or of the interface texts in this repository, for a reader who
// judges whether each can be understood without the code beside it.
//
//	go run ./build/prose -n 100 -seed 1            comments of Go, TypeScript, Svelte and shell files
//	go run ./build/prose -n 40 -seed 1 -interface  texts of the dashboard, help and error messages
//
// The same seed on the same tree prints the same sample.
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// text is a comment or an interface text with its position.
type text struct {
	file string
	line int
	text string
}

func main() {
	n := flag.Int("n", 100, "number of texts")
	seed := flag.Uint64("seed", 1, "seed of the random choice")
	ui := flag.Bool("interface", false, "interface texts instead of comments")
	tests := flag.Bool("tests", true, "include test files")
	positions := flag.Bool("positions", false, "print where each text is from")
	flag.Parse()

	extract := comments
	if *ui {
		extract = interfaceTexts
	}
	all, err := collect(".", *tests, extract)
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose:", err)
		os.Exit(1)
	}
	random := rand.New(rand.NewPCG(*seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	fmt.Printf("%d of %d texts, seed %d\n", min(*n, len(all)), len(all), *seed)
	for i, t := range all[:min(*n, len(all))] {
		place := ""
		if *positions {
			place = fmt.Sprintf(" %s:%d", t.file, t.line)
		}
		fmt.Printf("\n[%d]%s\n%s\n", i+1, place, t.text)
	}
}

// skipped are folders whose files are not part of the sample.
var skipped = []string{"node_modules", "dist", "testdata", "coverage", "bin", "wheel"}

// collect returns the texts of all files under root, in the order of their paths and lines.
func collect(root string, tests bool, extract func(file, source string) []text) ([]text, error) {
	var all []text
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if slices.Contains(skipped, d.Name()) || strings.HasPrefix(d.Name(), ".") && file != root {
				return filepath.SkipDir
			}
			return nil
		}
		if !tests && (strings.HasSuffix(file, "_test.go") || strings.Contains(file, ".test.")) || strings.HasSuffix(file, "schema.d.ts") {
			return nil
		}
		switch filepath.Ext(file) {
		case ".go", ".ts", ".svelte", ".js", ".css", ".sh", ".c", ".h", ".yaml":
		default:
			return nil
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		all = append(all, extract(filepath.ToSlash(file), string(source))...)
		return nil
	})
	return all, err
}
