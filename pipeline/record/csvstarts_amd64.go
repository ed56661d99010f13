package record

import "golang.org/x/sys/cpu"

// fieldStarts is fieldStartsGo, faster where the processor has AVX2 and the instructions on bits that came with it (all of
// Intel's since 2013 and of AMD's since 2015).
func fieldStarts(line []byte, comma byte, starts *[plainStarts]uint32) (columns int) {
	if cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasBMI2 && cpu.X86.HasPOPCNT {
		return fieldStartsAVX2(line, comma, starts)
	}
	return fieldStartsGo(line, comma, starts)
}

// fieldStartsAVX2 is fieldStartsGo, 64 bytes at a time. It reads beyond the line, but never into a page of memory in which no
// byte of the line is.
//
//go:noescape
func fieldStartsAVX2(line []byte, comma byte, starts *[plainStarts]uint32) (columns int)
