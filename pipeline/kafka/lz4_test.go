package kafka

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/pierrec/lz4/v4"
	"github.com/twmb/franz-go/pkg/kgo"
)

// lz4Frame compresses with options of the format.
func lz4Frame(t testing.TB, data []byte, opts ...lz4.Option) []byte {
	t.Helper()
	var out bytes.Buffer
	w := lz4.NewWriter(&out)
	if err := w.Apply(opts...); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// lz4Data is n bytes of which some repeat and some do not.
func lz4Data(n int) []byte {
	rng := rand.New(rand.NewPCG(uint64(n), 1))
	var b []byte
	for len(b) < n {
		b = fmt.Appendf(b, `{"key":"k-%d","id":"%016x"}`, rng.IntN(50), rng.Uint64())
	}
	return b[:n]
}

// lz4Options are the ways in which producers write frames.
func lz4Options() map[string][]lz4.Option {
	return map[string][]lz4.Option{
		"default":      nil,
		"64 KiB":       {lz4.BlockSizeOption(lz4.Block64Kb), lz4.ChecksumOption(false)},
		"block sums":   {lz4.BlockSizeOption(lz4.Block64Kb), lz4.BlockChecksumOption(true)},
		"content size": {lz4.BlockSizeOption(lz4.Block256Kb), lz4.SizeOption(12345)},
	}
}

func newTestDecompressor() *decompressor {
	pool := &recycled{}
	return &decompressor{pool: pool, others: kgo.DefaultDecompressor(pool)}
}

// TestDecompressLZ4 reads frames of every kind and size twice, the second time in memory that was used.
func TestDecompressLZ4(t *testing.T) {
	for name, opts := range lz4Options() {
		d := newTestDecompressor()
		for _, n := range []int{0, 1, 15, 1000, 64 << 10, 64<<10 + 1, 300_000, 5 << 20} {
			want := lz4Data(n)
			if name == "content size" {
				want = lz4Data(12345)
			}
			src := lz4Frame(t, want, opts...)
			if _, ok := openFrame(src); !ok {
				t.Errorf("%s, %d bytes: left to others", name, n)
			}
			for range 2 {
				got, err := d.Decompress(src, kgo.CodecLz4)
				if err != nil || !bytes.Equal(got, want) {
					t.Fatalf("%s, %d bytes: %d bytes, %v", name, n, len(got), err)
				}
				clear(got)
				d.pool.PutDecompressBytes(got[:cap(got)])
			}
		}
	}
}

// TestDecompressOthers: what is no frame of ours goes to the client's own, other codecs too.
func TestDecompressOthers(t *testing.T) {
	d := newTestDecompressor()
	src := lz4Frame(t, lz4Data(1000))
	two := append(bytes.Clone(src), src...)
	if _, ok := openFrame(two); ok {
		t.Error("two frames are taken for one")
	}
	linked := bytes.Clone(src)
	linked[4] &^= flagIndependent
	if _, ok := openFrame(linked); ok {
		t.Error("blocks that refer to each other are taken for others")
	}
	for cut := range len(src) {
		if _, ok := openFrame(src[:cut]); ok {
			t.Errorf("%d bytes of %d are taken for a whole frame", cut, len(src))
		}
		if _, err := d.Decompress(src[:cut], kgo.CodecLz4); cut > 0 && err == nil {
			t.Errorf("%d bytes of %d are read", cut, len(src))
		}
	}
	if got, err := d.Decompress([]byte("as it is"), kgo.CodecNone); err != nil || string(got) != "as it is" {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := d.Decompress([]byte("no gzip"), kgo.CodecGzip); err == nil {
		t.Error("what is no gzip is read")
	}
}

// TestDecompressDamaged: a damaged block is an error, whatever room there is.
func TestDecompressDamaged(t *testing.T) {
	d := newTestDecompressor()
	src := lz4Frame(t, bytes.Repeat([]byte("ab"), 500), lz4.ChecksumOption(false))
	for i := 11; i < len(src)-sizeBytes; i++ {
		src[i] = 0xff
	}
	if got, err := d.Decompress(src, kgo.CodecLz4); !errors.Is(err, errFrame) {
		t.Errorf("%d bytes, %v; want %v", len(got), err, errFrame)
	}
}

// FuzzDecompressLZ4 holds our reader against the library's: what that reads, ours reads as well, and the same.
func FuzzDecompressLZ4(f *testing.F) {
	for _, opts := range lz4Options() {
		for _, n := range []int{0, 10, 1000, 70_000} {
			f.Add(lz4Frame(f, lz4Data(n), append(opts, lz4.SizeOption(uint64(n)))...))
		}
	}
	d := newTestDecompressor()
	f.Fuzz(func(t *testing.T, src []byte) {
		frame, ok := openFrame(src)
		if !ok {
			return
		}
		got, err := frame.read(d.pool.GetDecompressBytes(src, kgo.CodecLz4)[:0])
		want, theirs := io.ReadAll(lz4.NewReader(bytes.NewReader(src)))
		if theirs == nil && (err != nil || !bytes.Equal(got, want)) {
			t.Fatalf("%d bytes, %v; want %d bytes", len(got), err, len(want))
		}
	})
}

// TestRecycled: memory that is large enough is used again, other memory is not.
func TestRecycled(t *testing.T) {
	var pool recycled
	if got := pool.GetRecords(10); cap(got) < 10 {
		t.Errorf("room for %d records, want 10", cap(got))
	}
	pool.PutRecords(make([]kgo.Record, 5))
	if got := pool.GetRecords(10); cap(got) < 10 {
		t.Errorf("room for %d records after 5 came back, want 10", cap(got))
	}
	pool.PutDecompressBytes(make([]byte, 10))
	if got := pool.GetDecompressBytes(make([]byte, 100), kgo.CodecZstd); cap(got) < 100 {
		t.Errorf("room for %d bytes, want 100 or more", cap(got))
	}
}
