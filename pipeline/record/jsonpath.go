package record

import (
	"bytes"
	"fmt"
)

// node is a member name on the way to a wanted path.
type node struct {
	name []byte
	slot int // of the path that ends here, -1 if none does
	kids []*node
}

// find returns the child of that name, nil if there is none. Records have few wanted members: a loop beats a map.
func (n *node) find(name []byte) *node {
	for _, kid := range n.kids {
		if bytes.Equal(kid.name, name) {
			return kid
		}
	}
	return nil
}

// newTree makes the tree of all paths; a path's index is its slot.
func newTree(p paths) *node {
	root := &node{slot: -1}
	for slot, path := range p {
		at := root
		names, _ := splitPath(path)
		for _, name := range names {
			kid := at.find(name)
			if kid == nil {
				kid = &node{name: name, slot: -1}
				at.kids = append(at.kids, kid)
			}
			at = kid
		}
		at.slot = slot
	}
	return root
}

// splitPath cuts a path into its member names: dots separate, "\." is a dot and "\\" a backslash inside a name.
func splitPath(path string) (names [][]byte, err error) {
	name := []byte{}
	for i := 0; i < len(path); i++ {
		switch c := path[i]; {
		case c == '\\' && i+1 < len(path) && (path[i+1] == '.' || path[i+1] == '\\'):
			i++
			name = append(name, path[i])
		case c == '\\':
			return nil, fmt.Errorf(`path %q: a backslash stands only before a dot or a backslash`, path)
		case c == '.':
			names = append(names, name)
			name = []byte{}
		default:
			name = append(name, c)
		}
	}
	names = append(names, name)
	if len(names) > maxDepth {
		return nil, fmt.Errorf("path %.80q: deeper than %d", path, maxDepth)
	}
	for _, name := range names {
		if len(name) == 0 {
			return nil, fmt.Errorf("path %q: empty member name", path)
		}
	}
	return names, nil
}
