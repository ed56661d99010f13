package record

import "golang.org/x/sys/cpu"

// fieldEnds is fieldEndsGo, faster where the processor has AVX2 and the instructions on bits that came with it (all of
// Intel's since 2013 and of AMD's since 2015).
func fieldEnds(line []byte, comma byte, ends *[plainEnds]int32) (columns int) {
	if cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT {
		return fieldEndsAVX2(line, comma, ends)
	}
	return fieldEndsGo(line, comma, ends)
}

// fieldEndsAVX2 is fieldEndsGo, 64 bytes at a time. It reads beyond the line, but never into a page of memory in which no
// byte of the line is.
//
//go:noescape
func fieldEndsAVX2(line []byte, comma byte, ends *[plainEnds]int32) (columns int)
