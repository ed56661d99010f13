package record

import (
	"context"
	"fmt"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// protoStep is a part of a program: the fields of a message that are wanted. A message without one is skipped whole.
type protoStep struct {
	fields []protoField
	stamp  *target // the message is a Timestamp that is wanted as one; nil = it is not
}

// protoField is a wanted field.
type protoField struct {
	target
	number  protoreflect.FieldNumber
	kind    protoreflect.Kind
	list    bool
	enum    map[int32]string
	inner   *protoStep    // of a message
	members []protoMember // of a map with keys of text
}

// protoMember is a member of a map that is wanted: its entry's value is the field.
type protoMember struct {
	name  []byte
	field protoField
}

// protoTree is the message types of a file as the frame numbers them: a type and those that stand in it.
type protoTree struct {
	step   *protoStep
	nested []protoTree
}

// schemaFile is the name that a schema has for the compiler's messages.
const schemaFile = "schema.proto"

// compileProto makes the program of a Protobuf schema, from its source. Members have the names that they have there; an
// enum is its word, and a google.protobuf.Timestamp the seconds since 1970. Google's own files can be imported, others not.
func compileProto(ctx context.Context, text string, root *node) (program, error) {
	source := protocompile.SourceAccessorFromMap(map[string]string{schemaFile: text})
	compiler := protocompile.Compiler{
		Resolver:       protocompile.WithStandardImports(&protocompile.SourceResolver{Accessor: source}),
		MaxParallelism: 1,
	}
	files, err := compiler.Compile(ctx, schemaFile)
	if err != nil {
		return nil, fmt.Errorf("protobuf: %w", err)
	}
	trees := protoTrees(files[0].Messages(), root)
	if len(trees) == 0 {
		return nil, fmt.Errorf("protobuf: the schema has no message")
	}
	return protoProgram(trees), nil
}

// protoTrees makes the trees of message types.
func protoTrees(messages protoreflect.MessageDescriptors, root *node) []protoTree {
	trees := make([]protoTree, messages.Len())
	for i := range trees {
		m := messages.Get(i)
		trees[i] = protoTree{newProtoStep(m, root), protoTrees(m.Messages(), root)}
	}
	return trees
}

// newProtoStep makes the step of a message at a place.
func newProtoStep(m protoreflect.MessageDescriptor, n *node) *protoStep {
	s := &protoStep{}
	if n.slot >= 0 && len(n.kids) == 0 && m.FullName() == "google.protobuf.Timestamp" {
		t := targetOf(n)
		s.stamp = &t
		return s
	}
	for _, kid := range n.kids {
		if f := m.Fields().ByName(protoreflect.Name(kid.name)); f != nil {
			s.fields = append(s.fields, newProtoField(f, kid))
		}
	}
	return s
}

// newProtoField makes a field at a place.
func newProtoField(f protoreflect.FieldDescriptor, n *node) protoField {
	out := protoField{target: targetOf(n), number: f.Number(), kind: f.Kind(), list: f.IsList()}
	switch {
	case f.IsMap():
		if f.MapKey().Kind() != protoreflect.StringKind {
			out.list = true
			break
		}
		for _, kid := range n.kids {
			out.members = append(out.members, protoMember{kid.name, newProtoField(f.MapValue(), kid)})
		}
		out.list = len(out.members) == 0
	case f.IsList():
	case f.Message() != nil:
		out.inner = newProtoStep(f.Message(), n)
	case f.Enum() != nil:
		out.enum = map[int32]string{}
		for i := range f.Enum().Values().Len() {
			v := f.Enum().Values().Get(i)
			if _, alias := out.enum[int32(v.Number())]; !alias {
				out.enum[int32(v.Number())] = string(v.Name())
			}
		}
	}
	return out
}
