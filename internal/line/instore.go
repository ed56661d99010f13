package line

// InStore is a step of a plan in the words of the store that it is made in, by the fleet's profile.
type InStore struct {
	Store    Prose     `json:"store"`    // as people call it
	Called   Prose     `json:"called"`   // what the store calls the fix
	Possible string    `json:"possible"` // profiles.Possible: yes, advice or never
	Reason   Prose     `json:"reason"`   // why it is no more than advice, or what to know
	Commands []Command `json:"commands"`
	More     int       `json:"more,omitzero"` // commands beyond those
}

// Command is a program with its arguments: a list, and no line for a shell.
type Command struct {
	Argv  []Name   `json:"argv"`
	Stdin string   `json:"stdin,omitzero"` // what it reads
	Needs []string `json:"needs,omitzero"` // fields that are not known: they stand as <field>, and it cannot be run
}
