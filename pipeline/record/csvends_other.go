//go:build !amd64

package record

// fieldEnds is fieldEndsGo.
func fieldEnds(line []byte, comma byte, ends *[plainEnds]int32) (columns int) {
	return fieldEndsGo(line, comma, ends)
}
