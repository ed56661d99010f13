package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed message.css
var messageStyle string

// Bounds of a picture's height, in CSS pixels: the window is as high as the highest page may be, and what is empty below is cut away.
const (
	tallest = 7000
	margin  = 24
)

// shoot makes path.png of path.html.
func shoot(ctx context.Context, chromium, path string, width int) error {
	at, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", //nolint:gosec // the Chromium that was named
		fmt.Sprintf("--window-size=%d,%d", width, tallest), "--screenshot="+at+".png", "file://"+at+".html")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", chromium, err, said)
	}
	b, err := os.ReadFile(at + ".png") //nolint:gosec // G304: what Chromium has just written
	if err != nil {
		return err
	}
	whole, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		return fmt.Errorf("%s.png: %w", path, err)
	}
	var out bytes.Buffer
	if err := png.Encode(&out, trimmed(whole)); err != nil {
		return err
	}
	return os.WriteFile(at+".png", out.Bytes(), 0o600)
}

// trimmed is a picture without the rows at its end that are all of one colour, but for a margin.
func trimmed(m image.Image) image.Image {
	r := image.NewRGBA(m.Bounds())
	draw.Draw(r, r.Rect, m, m.Bounds().Min, draw.Src)
	row := func(y int) []byte { return r.Pix[(y-r.Rect.Min.Y)*r.Stride:][:4*r.Rect.Dx()] }
	last := r.Rect.Max.Y - 1
	empty := row(last)
	for last > r.Rect.Min.Y && bytes.Equal(row(last-1), empty) {
		last--
	}
	return r.SubImage(image.Rect(r.Rect.Min.X, r.Rect.Min.Y, r.Rect.Max.X, min(r.Rect.Max.Y, last+margin)))
}
