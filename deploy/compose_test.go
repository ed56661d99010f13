package deploy

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"

	"firebreak/internal/kafkarig"
)

// project reads the compose file as docker compose does: by the specification's schema, with anchors and defaults, and with all profiles.
func project(t *testing.T) *types.Project { return profiled(t, "*") }

func profiled(t *testing.T, profiles ...string) *types.Project {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	p, err := loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir: root, ConfigFiles: []types.ConfigFile{{Filename: filepath.Join(root, "docker-compose.yml")}}, Environment: types.Mapping{},
	}, loader.WithProfiles(profiles))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCompose: each service is pinned, is asked after its health, is reached from this machine only, and reads its configuration from
// files that exist and that it cannot write.
func TestCompose(t *testing.T) {
	p := project(t)
	var names []string
	for name := range p.Services {
		s := p.Services[name]
		names = append(names, name)
		ours := s.Build != nil
		tag := s.Image[strings.LastIndex(s.Image, ":")+1:]
		if !ours && !regexp.MustCompile(`^v?\d+\.\d+\.\d+$`).MatchString(tag) {
			t.Errorf("%s: image %s is not pinned", name, s.Image)
		}
		if s.HealthCheck == nil || len(s.HealthCheck.Test) < 2 || ours && strings.Join(s.HealthCheck.Test, " ") != "CMD /firebreak healthcheck" {
			t.Errorf("%s has no health check, or not that of its image: %+v", name, s.HealthCheck)
		}
		for on, how := range s.DependsOn {
			if how.Condition != types.ServiceConditionHealthy {
				t.Errorf("%s waits for %s to be %s only", name, on, how.Condition)
			}
		}
		if ours && (!s.ReadOnly || !slices.Contains(s.CapDrop, "ALL")) {
			t.Errorf("%s may write, or has capabilities", name)
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s listens on %q:%s", name, port.HostIP, port.Published)
			}
		}
		for _, v := range s.Volumes {
			if _, err := os.Stat(v.Source); err != nil || !v.ReadOnly {
				t.Errorf("%s: volume %s: read only %v, %v", name, v.Source, v.ReadOnly, err)
			}
		}
	}
	slices.Sort(names)
	if want := "alertmanager dynamodb firebreak-1 firebreak-2 grafana kafka log-generator prometheus"; strings.Join(names, " ") != want {
		t.Errorf("services: %v", names)
	}
	if asIs := profiled(t); len(asIs.Services) != len(names)-1 || asIs.Services["dynamodb"].Name != "" {
		t.Errorf("without a profile there are %d services, want all but dynamodb", len(asIs.Services))
	}
	if got, want := p.Services["kafka"].Image, "apache/kafka:"+kafkarig.Version; got != want {
		t.Errorf("image %s, the tests run on %s", got, want)
	}
}

// address finds host:port in a text, where the host is a name.
var address = regexp.MustCompile(`\b([a-z][a-z0-9-]*):(\d{4,5})\b`)

// TestAddresses: every address in the configuration is a service of the compose file, at a port that it listens on.
func TestAddresses(t *testing.T) {
	p := project(t)
	listens := map[string]string{
		"kafka": "9092 9093", "firebreak-1": "9464 9465", "firebreak-2": "9464 9465", "prometheus": "9090", "alertmanager": "9093", "grafana": "3000", "dynamodb": "8000", "localhost": "9090 9093 3000 9465 8000",
	}
	for name := range p.Services {
		for _, port := range p.Services[name].Ports {
			if !strings.Contains(listens[name], port.Published[:2]) && !strings.Contains(listens[name], "9464") {
				t.Errorf("%s publishes %s", name, port.Published)
			}
		}
	}
	found := 0
	for _, file := range []string{
		"../docker-compose.yml", "compose/firebreak.yml", "prometheus/prometheus.yml", "alertmanager/alertmanager.yml",
		"grafana/provisioning/datasources/prometheus.yml",
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, "image:") || strings.HasPrefix(strings.TrimSpace(line), "#") {
				continue
			}
			for _, m := range address.FindAllStringSubmatch(line, -1) {
				found++
				if !slices.Contains(strings.Fields(listens[m[1]]), m[2]) {
					t.Errorf("%s: %s is no address of the compose file", file, m[0])
				}
			}
		}
	}
	if found < 10 {
		t.Errorf("only %d addresses were found", found)
	}
}

// TestProvisioned: Grafana finds the dashboard where its provider looks, and its data source by the id that it goes by.
func TestProvisioned(t *testing.T) {
	g := project(t).Services["grafana"]
	provider, err := os.ReadFile("grafana/provisioning/dashboards/firebreak.yml")
	if err != nil {
		t.Fatal(err)
	}
	path := regexp.MustCompile(`path: (\S+)`).FindSubmatch(provider)
	if path == nil {
		t.Fatal("the provider has no path")
	}
	for _, v := range g.Volumes {
		if strings.HasPrefix(v.Target, string(path[1])+"/") && strings.HasSuffix(v.Source, "/dashboards/grafana/firebreak.json") {
			if home := g.Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]; home == nil || *home != v.Target {
				t.Errorf("the home dashboard is %v, mounted is %s", home, v.Target)
			}
			return
		}
	}
	t.Errorf("no volume brings the dashboard below %s: %v", path[1], g.Volumes)
}
