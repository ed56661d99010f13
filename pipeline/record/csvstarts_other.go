//go:build !amd64

package record

// fieldStarts is fieldStartsGo.
func fieldStarts(line []byte, comma byte, starts *[plainStarts]uint32) (columns int) {
	return fieldStartsGo(line, comma, starts)
}
