package history

import (
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/klauspost/compress/zstd"
)

// pack compresses what marshal wrote and cuts it into values of at most MaxEntry bytes.
func pack(h *Head, raw []byte) ([][]byte, error) {
	most := maxRaw
	if h.Kind == KindMinute {
		most = maxMinute
	}
	if len(raw) > most {
		return nil, fmt.Errorf("history: %s %s: %w: %d bytes, at most %d", h.Kind, h.ID, ErrTooLarge, len(raw), most)
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithSingleSegment(true)) // which writes the size
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	payload := z.EncodeAll(raw, nil)
	if err := z.Close(); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	return cut(h, payload)
}

// cut lays a payload into as many values as it needs.
func cut(h *Head, payload []byte) ([][]byte, error) {
	whole := frame{Head: *h, digest: digestOf(payload), of: 1}
	head, err := whole.append(nil)
	if err != nil {
		return nil, err
	}
	room := MaxEntry - len(head) - 2 // the two numbers take at most two bytes each
	if room < MaxEntry/2 {
		return nil, fmt.Errorf("history: %s %s: %w: %d bytes of hotspots", h.Kind, h.ID, ErrTooLarge, len(head))
	}
	count := max(1, (len(payload)+room-1)/room)
	if h.Kind == KindMinute && count > 1 || count > maxChunks {
		return nil, fmt.Errorf("history: %s %s: %w: %d bytes packed", h.Kind, h.ID, ErrTooLarge, len(payload))
	}
	values := make([][]byte, 0, count)
	for i := range count {
		f := whole
		f.number, f.of = i, count
		f.payload = payload[i*room : min(len(payload), (i+1)*room)]
		value, err := f.append(nil)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

func digestOf(payload []byte) (d [16]byte) {
	sum := sha256.Sum256(payload)
	copy(d[:], sum[:])
	return d
}

// newUnpacker makes what unpack needs. It may be used by several goroutines at once.
func newUnpacker() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxRaw), zstd.WithDecoderLowmem(true))
}

// unpack takes a payload apart, to at most so many bytes.
func unpack(z *zstd.Decoder, payload []byte, most int) ([]byte, error) {
	var h zstd.Header
	if err := h.Decode(payload); err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	if !h.HasFCS || h.FrameContentSize > uint64(most) {
		return nil, fmt.Errorf("history: %w: %d bytes unpacked, at most %d", ErrTooLarge, h.FrameContentSize, most)
	}
	raw, err := z.DecodeAll(payload, nil)
	if err != nil {
		return nil, fmt.Errorf("history: %w", err)
	}
	if len(raw) > most {
		return nil, errors.New("history: more was packed than its head says")
	}
	return raw, nil
}
