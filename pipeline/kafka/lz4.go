package kafka

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// decompressor reads frames of LZ4 as producers write them straight into the memory of a pool, and leaves all else to the
// client's own. It does not check what a frame says of its content's checksum: the batch around it has one of its own, which
// the client has checked.
type decompressor struct {
	pool   kgo.PoolDecompressBytes
	others kgo.Decompressor
}

// Decompress implements kgo.Decompressor.
func (d *decompressor) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if codec == kgo.CodecLz4 {
		if f, ok := openFrame(src); ok {
			return f.read(d.pool.GetDecompressBytes(src, codec)[:0])
		}
	}
	return d.others.Decompress(src, codec)
}

// frame is an LZ4 frame without a dictionary whose blocks do not refer to each other (lz4_Frame_format.md, version 1.6.4).
type frame struct {
	blocks []byte // up to the end mark
	most   int    // bytes of a block
	summed bool   // blocks are followed by a checksum
}

// What a frame is made of.
const (
	frameMagic       = 0x184D2204
	frameVersion     = 1
	flagIndependent  = 1 << 5
	flagBlockSummed  = 1 << 4
	flagContentSize  = 1 << 3
	flagContentSum   = 1 << 2
	flagDictionary   = 1
	blockStored      = 1 << 31 // in a block's size: it is not compressed
	checksumBytes    = 4
	sizeBytes        = 4
	contentSizeBytes = 8
	leastFrame       = 4 + 3 + sizeBytes // magic, descriptor, end mark
)

// openFrame takes a frame apart; false if it is of a kind that is left to others, or is not whole.
func openFrame(src []byte) (f frame, ok bool) {
	if len(src) < leastFrame || binary.LittleEndian.Uint32(src) != frameMagic {
		return f, false
	}
	flags, sizes := src[4], src[5]
	if flags>>6 != frameVersion || flags&flagIndependent == 0 || flags&flagDictionary != 0 {
		return f, false
	}
	head := 7
	if flags&flagContentSize != 0 {
		head += contentSizeBytes
	}
	code := sizes >> 4 & 7
	if code < 4 || head > len(src) {
		return f, false
	}
	f.most = 1 << (8 + 2*code) // 64 KiB, 256 KiB, 1 MiB, 4 MiB
	f.summed = flags&flagBlockSummed != 0
	f.blocks = src[head:]
	rest := f.blocks
	for {
		if len(rest) < sizeBytes {
			return f, false
		}
		size := binary.LittleEndian.Uint32(rest)
		rest = rest[sizeBytes:]
		if size == 0 {
			break
		}
		n := f.stored(size)
		if n > len(rest) {
			return f, false
		}
		rest = rest[n:]
	}
	f.blocks = f.blocks[:len(f.blocks)-len(rest)-sizeBytes]
	if flags&flagContentSum != 0 {
		return f, len(rest) == checksumBytes
	}
	return f, len(rest) == 0
}

// stored is how many bytes a block takes whose size field is given.
func (f *frame) stored(size uint32) int {
	n := int(size &^ blockStored)
	if f.summed {
		n += checksumBytes
	}
	return n
}

// maxBatch is how large a batch may be, as it is by default for the client's own decompressor.
const maxBatch = 1 << 30

// errFrame says that a block is damaged.
var errFrame = errors.New("lz4: a block is damaged")

// read appends what the blocks hold.
func (f *frame) read(out []byte) ([]byte, error) {
	for rest := f.blocks; len(rest) > 0; {
		size := binary.LittleEndian.Uint32(rest)
		block := rest[sizeBytes:][:size&^blockStored]
		rest = rest[sizeBytes+f.stored(size):]
		var err error
		if size&blockStored != 0 {
			out = append(out, block...)
		} else if out, err = f.block(out, block); err != nil {
			return nil, err
		}
		if len(out) > maxBatch {
			return nil, fmt.Errorf("lz4: %w", kgo.ErrMaxDecompress)
		}
	}
	return out, nil
}

// block appends what a compressed block holds. How much that is it does not say: it is tried with the room there is, then
// with more.
func (f *frame) block(out, block []byte) ([]byte, error) {
	for {
		free := min(cap(out)-len(out), f.most)
		if n, err := lz4.UncompressBlock(block, out[len(out):len(out)+free]); err == nil {
			return out[:len(out)+n], nil
		}
		if free == f.most {
			return nil, errFrame
		}
		const least = 16 << 10
		grown := make([]byte, len(out), max(2*cap(out), len(out)+4*len(block), least))
		copy(grown, out)
		out = grown
	}
}
