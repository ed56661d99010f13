package client

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"firebreak/routing"
)

// keep writes a document to a file: the new one or the old one is there, whenever the process ends.
func keep(path string, d *routing.Document) (err error) {
	b, err := d.Encode()
	if err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(tmp.Name())
		}
	}()
	if _, err = tmp.Write(b); err == nil {
		err = tmp.Sync()
	}
	if e := tmp.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	return nil
}

// kept reads what keep wrote. No file is an error too.
func kept(path string) (*routing.Document, error) {
	file, err := os.Open(path) //nolint:gosec // the application names it
	if err != nil {
		return nil, fmt.Errorf("kept: %w", err)
	}
	b, err := io.ReadAll(io.LimitReader(file, routing.MaxDocumentBytes+1))
	if e := file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return nil, fmt.Errorf("kept: %w", err)
	}
	d, err := routing.ParseDocument(b)
	if err != nil {
		return nil, fmt.Errorf("kept: %w", err)
	}
	return d, nil
}
