package health

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// series is one of an instant vector.
type series struct {
	labels map[string]string
	value  float64 // may be no number
}

// promAnswer is what the API says, as far as it is used.
type promAnswer struct {
	Status string `json:"status"`
	Kind   string `json:"errorType"`
	Error  string `json:"error"`
	Data   struct {
		Type   string          `json:"resultType"`
		Result json.RawMessage `json:"result"`
	} `json:"data"`
}

// promSample is a series of a vector.
type promSample struct {
	Metric map[string]string `json:"metric"`
	Value  []json.RawMessage `json:"value"` // a time, and the value as text
	Native *json.RawMessage  `json:"histogram"`
}

// parseSeries reads the answer to an instant query.
func parseSeries(body []byte) ([]series, error) {
	var a promAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		return nil, fmt.Errorf("this is no answer of Prometheus: %w", err)
	}
	switch {
	case a.Status != "success":
		return nil, refused(http.StatusOK, body)
	case a.Data.Type != "vector":
		return nil, fmt.Errorf("the query gives a %s: want an instant vector, one series a shard", said(a.Data.Type))
	}
	var samples []promSample
	if err := json.Unmarshal(a.Data.Result, &samples); err != nil {
		return nil, fmt.Errorf("this is no vector of Prometheus: %w", err)
	}
	if len(samples) > mostSeries {
		return nil, fmt.Errorf("the query gives more than %d series: want one a shard, such as max by (instance) (...)", mostSeries)
	}
	out := make([]series, 0, len(samples))
	for _, s := range samples {
		if s.Native != nil {
			return nil, errors.New("the query gives a histogram: want a number, such as histogram_quantile(0.99, ...)")
		}
		v, err := s.number()
		if err != nil {
			return nil, err
		}
		out = append(out, series{s.Metric, v})
	}
	return out, nil
}

// number is the value of a sample.
func (s *promSample) number() (float64, error) {
	var text string
	if len(s.Value) != 2 || json.Unmarshal(s.Value[1], &text) != nil {
		return 0, errors.New("this is no sample of Prometheus: want a time and a value")
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("this is no value of Prometheus: %s", said(text))
	}
	return v, nil
}

// refused says why there is no answer, by what the server says if it is one of Prometheus.
func refused(status int, body []byte) error {
	var a promAnswer
	text := fmt.Sprintf("status %d", status)
	if json.Unmarshal(body, &a) == nil && a.Error != "" {
		text += ": " + said(a.Kind) + ": " + said(a.Error)
	}
	return errors.New(text)
}

// said is a part of what a server said, on one line.
func said(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "?")), " ")
	if len(text) > mostSaid {
		text = strings.ToValidUTF8(text[:mostSaid], "") + "..."
	}
	return text
}
