package longresult

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-discover/agent-discover/backend/base/fault"
	"github.com/agent-discover/agent-discover/backend/protocol/jsonrpc"
)

// SaveName is the name of the tool that calls Store.Save.
const SaveName = "save_block"

// maxSaved limits how many file names Save tries for one block. Save tries another name if a file already exists.
const maxSaved = 100

// Save writes an image, a sound or a file of a result to the client's folder, which is
// created if it does not exist, and returns the result of a tool call that names the file.
// Errors are those of Read.
func (s *Store) Save(c Client, handle string, block int) (json.RawMessage, error) {
	if c.Folder == "" {
		return nil, fault.New(fault.Denied, "files cannot be saved: results.folder in config.yaml is not set; only the user may set it")
	}
	doc, err := s.find(c.Session, handle)
	if err != nil {
		return nil, err
	}
	raw, err := doc.raw(block)
	if err != nil {
		return nil, err
	}
	data, mime := jsonrpc.GetString(raw, "data"), jsonrpc.GetString(raw, "mimeType")
	if resource := jsonrpc.Get(raw, "resource"); resource != nil {
		data, mime = jsonrpc.GetString(resource, "blob"), jsonrpc.GetString(resource, "mimeType")
	}
	content, err := base64.StdEncoding.DecodeString(data)
	if err != nil || data == "" {
		return nil, fault.New(fault.Invalid, "block %d has no content that can be saved", block)
	}
	kind, _, _ := strings.Cut(mime, ";")
	extension := cmp.Or(extensions[strings.ToLower(strings.TrimSpace(kind))], ".bin") // .bin is opened by no program
	file, err := save(c.Folder, fmt.Sprintf("%s-%d", handle, block), extension, content)
	if err != nil {
		return nil, fault.Wrap(err, fault.Unavailable, "could not save block %d in results.folder, %s", block, c.Folder)
	}
	return texts(fmt.Sprintf("Saved block %d, %d bytes, as %s", block, len(content), file)), nil
}

// save writes content to a new file in folder and returns its path. If a file of that name exists, save adds a number
// to the name, unless the file has the same content.
func save(folder, name, extension string, content []byte) (path string, err error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return "", err
	}
	defer func() { _ = root.Close() }() // closing a folder loses no data
	for n := 1; n <= maxSaved; n++ {
		file := name + extension
		if n > 1 {
			file = fmt.Sprintf("%s-%d%s", name, n, extension)
		}
		err = create(root, file, content)
		if errors.Is(err, fs.ErrExist) {
			if existing, readErr := root.ReadFile(file); readErr != nil || !bytes.Equal(existing, content) {
				continue
			}
			err = nil
		}
		return filepath.Join(folder, file), err
	}
	return "", err
}

// create writes a new file. It removes the file if writing fails.
func create(root *os.Root, file string, content []byte) error {
	f, err := root.OpenFile(file, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = root.Remove(file) // the caller gets the first error
	}
	return err
}

// extensions maps media types to extensions of files that cannot run programs.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/avif": ".avif", "image/bmp": ".bmp",
	"image/tiff": ".tiff", "audio/mpeg": ".mp3", "audio/wav": ".wav", "audio/x-wav": ".wav", "audio/ogg": ".ogg", "audio/flac": ".flac",
	"audio/aac": ".aac", "audio/mp4": ".m4a", "audio/webm": ".weba", "video/mp4": ".mp4", "video/webm": ".webm", "video/mpeg": ".mpeg",
	"application/pdf": ".pdf", "application/json": ".json", "application/zip": ".zip", "application/gzip": ".gz", "text/plain": ".txt",
	"text/csv": ".csv",
}
