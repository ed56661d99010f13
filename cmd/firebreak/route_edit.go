package main

import (
	"fmt"
	"strings"

	"firebreak/routing"
	"firebreak/routing/control"
)

// entryHelp lists what can be set.
const entryHelp = `An ENTRY=VALUE is one of

  vshard/17=shard-3                    virtual shard 17 lives on shard-3; nothing behind = brings it back to where the base map puts it
  shard/shard-9=spare,capacity=8000    role (serving, dedicated, spare, draining) and capacities of a shard; one that is new is added
  tenant/acme=shard-9                  a tenant lives on shards of its own; several with commas between; nothing behind = no more
  quota/acme=500                       requests a second of a tenant; nothing behind = no quota
  cache/home=5s, cache/acme/home=5s    a key may be answered from a cache that is at most so old, and no older than its key space declares
                                       (policy.key_spaces); nothing behind = no more

A slash in a name is written \x2f, a comma in a shard's name \x2c, and a backslash \\. A salt is not set: it changes in phases.`

// parseEdits reads ENTRY=VALUE arguments. The value is behind the last =, but for a shard, whose value has some itself.
func parseEdits(args []string) ([]control.Edit, error) {
	var out []control.Edit
	for _, arg := range args {
		at := strings.LastIndexByte(arg, '=')
		if strings.HasPrefix(arg, routing.EntryShard.String()+"/") {
			at = strings.IndexByte(arg, '=')
		}
		if at < 0 {
			return nil, fmt.Errorf("%q: want ENTRY=VALUE", arg)
		}
		e, err := routing.ParseEntry(arg[:at])
		if err != nil {
			return nil, err
		}
		out = append(out, control.Edit{Entry: e, Value: arg[at+1:]})
	}
	return out, nil
}
