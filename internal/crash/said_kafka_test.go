//go:build kafka && linux

package crash

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// ready asks the process whether it is.
func (i *instance) ready() bool { return strings.HasPrefix(i.page("/-/ready"), "200") }

// page is the status and the body of a page of the admin listener.
func (i *instance) page(path string) string {
	client := http.Client{Timeout: 5 * time.Second}
	req, err := http.NewRequestWithContext(i.t.Context(), http.MethodGet, "http://"+i.admin+path, nil)
	if err != nil {
		return err.Error()
	}
	resp, err := client.Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err.Error()
	}
	return resp.Status + "\n" + string(body)
}

// said is what the log says of who this is, over all lives, and of its latest tenure.
func (i *instance) said() (instances []string, epoch int64) {
	raw, err := os.ReadFile(i.log)
	if err != nil {
		return nil, 0
	}
	for text := range bytes.Lines(raw) {
		var l struct {
			Msg      string
			Instance string
			Epoch    int64
		}
		if json.Unmarshal(text, &l) != nil {
			continue
		}
		switch l.Msg {
		case "begins":
			instances = append(instances, l.Instance)
		case "this process decides now":
			epoch = l.Epoch
		}
	}
	return instances, epoch
}

// resident is the memory of the process in bytes.
func (i *instance) resident() (int64, error) {
	i.mu.Lock()
	pid := i.life.cmd.Process.Pid
	i.mu.Unlock()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	pages, err := strconv.ParseInt(strings.Fields(string(raw))[1], 10, 64)
	return pages * int64(os.Getpagesize()), err
}

// cpu is the time that the process has used.
func (i *instance) cpu() (time.Duration, error) {
	i.mu.Lock()
	pid := i.life.cmd.Process.Pid
	i.mu.Unlock()
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(raw), ") ")
	fields := strings.Fields(rest)
	user, err := strconv.ParseInt(fields[11], 10, 64)
	if err != nil {
		return 0, err
	}
	system, err := strconv.ParseInt(fields[12], 10, 64)
	const hertz = 100 // USER_HZ of every Linux
	return time.Duration(user+system) * time.Second / hertz, err
}

func (i *instance) tail() []byte {
	const most = 6 << 10
	raw, err := os.ReadFile(i.log)
	if err != nil {
		return []byte(err.Error())
	}
	return raw[max(0, len(raw)-most):]
}
