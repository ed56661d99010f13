package config

import "firebreak/routing"

// ClosedShards are the names of a document's shards, nil where there may be others: the log names them, or there is no document.
func ClosedShards(doc *routing.Document) []string {
	if doc == nil || doc.Placement.Map == routing.Explicit {
		return nil
	}
	names := make([]string, len(doc.Shards))
	for i := range doc.Shards {
		names[i] = doc.Shards[i].Name
	}
	return names
}

// shardNames are those of the fleet as far as the file says them; nil = they are known later.
func (f *Fleet) shardNames() []string {
	if f.Document != "" {
		return nil
	}
	doc, _, err := f.Adopt()
	if err != nil {
		return nil // a mistake of the placement is told as such
	}
	return ClosedShards(doc)
}
