package main

import (
	"bufio"
	"io"
)

// buffered writes through a buffer; flush tells what went wrong.
type buffered struct {
	w io.Writer
	b *bufio.Writer
}

// Write writes to the buffer.
func (b *buffered) Write(p []byte) (int, error) {
	if b.b == nil {
		b.b = bufio.NewWriterSize(b.w, 1<<16)
	}
	return b.b.Write(p)
}

func (b *buffered) flush() error {
	if b.b == nil {
		return nil
	}
	return b.b.Flush()
}
