package admin

import (
	"fmt"
	"net"
)

// Config says where to listen. Default gives a valid one.
type Config struct {
	Listen string // host:port; port 0 = any free one; an empty host = every interface
}

// Default listens on the loopback interface.
func Default() Config { return Config{Listen: "127.0.0.1:9464"} }

// Validate says whether Listen is an address.
func (c *Config) Validate() error {
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return fmt.Errorf("listen: %w; want host:port such as %s", err, Default().Listen)
	}
	return nil
}
