package kafkarig

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Version is the version of Apache Kafka.
const Version = "4.4.0"

// Times that the steps before a broker may take.
const (
	fetchTimeout  = 8 * time.Minute
	formatTimeout = time.Minute
)

// pom names the server, a logger for it, and its command line tools without what only other tools of them need.
func pom() string {
	return `<project><modelVersion>4.0.0</modelVersion>
<groupId>firebreak</groupId><artifactId>kafkarig</artifactId><version>1</version><packaging>pom</packaging>
<dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>` + Version + `</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>` + Version + `</version>
<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions></dependency>
<dependency><groupId>org.slf4j</groupId><artifactId>slf4j-simple</artifactId><version>1.7.36</version></dependency>
</dependencies></project>
`
}

// Classpath is that of the server; its jars are fetched once into the user's cache (43 MB).
func Classpath(t testing.TB) string {
	t.Helper()
	java(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatalf("kafkarig: no cache directory: %v", err)
	}
	home := filepath.Join(cache, "firebreak-ci", "kafka-"+Version, "lib")
	if _, err := os.Stat(home); err != nil {
		fetch(t, home)
	}
	return filepath.Join(home, "*")
}

// fetch copies the jars beside their place and puts them there at once, so that two tests may do so.
func fetch(t testing.TB, home string) {
	t.Helper()
	mvn, err := exec.LookPath("mvn")
	if err != nil {
		t.Fatalf("kafkarig: mvn is needed once, to fetch Apache Kafka %s (Debian: apt-get install maven): %v", Version, err)
	}
	if err := os.MkdirAll(filepath.Dir(home), 0o750); err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
	dir, err := os.MkdirTemp(filepath.Dir(home), "fetch-") //nolint:usetesting // on the file system of the cache
	if err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // rests of a fetch
	if err := os.WriteFile(filepath.Join(dir, "pom.xml"), []byte(pom()), 0o600); err != nil {
		t.Fatalf("kafkarig: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), fetchTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, mvn, "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=lib") //nolint:gosec // G204: fixed words
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("kafkarig: mvn could not fetch Apache Kafka %s: %v\n%s", Version, err, out)
	}
	if err := os.Rename(filepath.Join(dir, "lib"), home); err != nil {
		if _, there := os.Stat(home); there != nil { // nobody else was faster
			t.Fatalf("kafkarig: %v", err)
		}
	}
}

// java is the path of a virtual machine that runs the server.
func java(t testing.TB) string {
	t.Helper()
	path, err := exec.LookPath("java")
	if err != nil {
		t.Fatalf("kafkarig: java 17 or later is needed (Debian: apt-get install openjdk-17-jre-headless): %v", err)
	}
	return path
}

// storageTool runs the tool that makes the directories of a node, and returns what it printed.
func storageTool(t testing.TB, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), formatTimeout)
	defer cancel()
	args = append([]string{
		"-Xmx256m", "-XX:TieredStopAtLevel=1", "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", Classpath(t), "kafka.tools.StorageTool",
	}, args...)
	var said strings.Builder
	cmd := exec.CommandContext(ctx, java(t), args...) //nolint:gosec // G204: the test's own words
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kafkarig: the storage tool failed: %v\n%s%s", err, out, said.String())
	}
	return strings.TrimSpace(string(out))
}
