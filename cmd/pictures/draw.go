package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"time"

	"go.uber.org/zap"

	"firebreak/dashboards/console"
	"firebreak/dashboards/report"
	"firebreak/internal/access"
)

// Widths of pictures, in CSS pixels: a browser's window, and the column of a chat.
const (
	wide   = 1200
	narrow = 640
)

// picture is one file.
type picture struct {
	name  string // page, overview, report or message
	width int
	html  []byte
}

// draw makes the pictures of a story.
func (p *played) draw(ctx context.Context) ([]picture, error) {
	pages, err := p.pages(ctx)
	if err != nil {
		return nil, err
	}
	doc, err := p.report()
	if err != nil {
		return nil, err
	}
	message, err := p.message()
	if err != nil {
		return nil, err
	}
	return append(pages, picture{"report", wide, doc}, picture{"message", narrow, message}), nil
}

// pages are those of the console, as a listener serves them.
func (p *played) pages(ctx context.Context) ([]picture, error) {
	s, err := console.Open(ctx, access.Config{Listen: "127.0.0.1:0"}, p.model, quiet{}, nil, nil, zap.NewNop())
	if err != nil {
		return nil, err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = s.Close(ctx)
	}()
	base := "http://" + s.Addr().String()
	fleet := "/fleets/" + url.PathEscape(string(p.verdict.Fleet))
	var out []picture
	for _, page := range []struct{ name, path string }{{"page", fleet + "/hotspots/" + url.PathEscape(string(p.verdict.Hotspot))}, {"overview", fleet}} {
		html, err := saved(ctx, base, page.path)
		if err != nil {
			return nil, err
		}
		out = append(out, picture{page.name, wide, html})
	}
	return out, nil
}

// saved is a page with its style inside and without its script, so that it can be looked at without its server.
func saved(ctx context.Context, base, path string) ([]byte, error) {
	page, err := get(ctx, base+path)
	if err != nil {
		return nil, err
	}
	link := regexp.MustCompile(`<link rel="stylesheet" href="([^"]+)">`).FindSubmatch(page)
	if link == nil {
		return nil, errors.New("a page without a style")
	}
	style, err := get(ctx, base+string(link[1]))
	if err != nil {
		return nil, err
	}
	page = bytes.Replace(page, link[0], []byte("<style>"+string(style)+"</style>"), 1)
	return regexp.MustCompile(`<script [^>]*></script>`).ReplaceAll(page, nil), nil
}

// get fetches a page, whose status must be 200.
func get(ctx context.Context, url string) ([]byte, error) {
	transport := &http.Transport{DisableKeepAlives: true}
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	a, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = a.Body.Close() }()
	body, err := io.ReadAll(a.Body)
	if err == nil && a.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, a.Status)
	}
	return body, err
}

// report is that of a log that was read.
func (p *played) report() ([]byte, error) {
	n := uint64(p.seen.records)
	delay := time.Time(p.verdict.Time).Sub(time.Time(p.verdict.Onset)).Seconds()
	summary := report.Summary{
		Fleet: string(p.verdict.Fleet), From: p.seen.from, To: p.seen.to, Lines: n, Records: n, Counted: n, Requests: p.seen.requests,
		Distinct: report.Distinct{Keys: p.seen.keys, Tenants: p.seen.tenants, Load: p.seen.window}, Delay: report.Delay{P50: delay, P95: delay, Max: delay}, Owner: ownerIn(string(p.verdict.Fleet)),
	}
	var b bytes.Buffer
	err := report.Render(&b, &report.Run{Files: []string{p.file}, Fleets: []report.Fleet{{Recorder: &p.recorder, Summary: summary}}})
	return b.Bytes(), err
}

// message is what Slack and PagerDuty show.
func (p *played) message() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>Messages</title>\n<style>" + messageStyle + "</style>\n</head>\n<body>\n")
	err := p.post.draw(&b)
	b.WriteString("</body>\n</html>\n")
	return b.Bytes(), err
}

// quiet is a process of which nothing is asked beside what the model knows.
type quiet struct{}

func (quiet) Ask(string, []byte, []byte) (console.Answer, error) {
	return console.Answer{}, console.ErrNotNow
}

func (quiet) Whatif(*console.Question) (*console.Whatif, error) { return nil, console.ErrNotNow }

func (quiet) Status(context.Context) console.Status {
	return console.Status{Instance: group, Decides: true, Epoch: 1, Partitions: 1}
}
