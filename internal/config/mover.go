package config

import (
	"errors"

	"firebreak/actuator/mover"
	"firebreak/internal/strictyaml"
	"firebreak/routing"
)

// validMover judges who carries data, also against what the fleet is: where the log names the shards, clients ask no document where else to
// write.
func (f *Fleet) validMover() error {
	err := strictyaml.In("mover", f.Mover.Validate())
	if p, wrong := f.Placement.routing(); f.Mover.Moves.Writes == mover.Versioned && wrong == nil && p.Map == routing.Explicit {
		err = errors.Join(err, strictyaml.Wrong("mover.moves.writes", "the log names the shards of this fleet: clients that write ask no document for the other one"))
	}
	return err
}
