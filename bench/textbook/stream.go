package textbook

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
)

// Stream is a drawn sequence of keys of 20 bytes, pane by pane, laid out one behind the other as a decoder would hand
// them over. The same seed draws the same stream.
type Stream struct {
	Panes, PerPane int
	keys           []byte
	tenants        []uint16 // by event: the tenant of its key
	names          []byte   // tenantBytes each, one behind the other
}

// KeyBytes is the length of a key.
const KeyBytes = 20

// Tenants is the number of tenants among whom keys are spread.
const Tenants = 1000

// Kind is what a stream is like.
type Kind struct {
	Name   string
	Zipf   float64 // exponent of the law by which keys are drawn
	Keys   int     // distinct ones
	OneOff float64 // share of records whose key never comes again
	Drift  int     // ranks that change hands from pane to pane
	Churn  bool    // every pane has keys of its own
}

// Kinds are the streams that goals are stated for.
func Kinds() []Kind {
	return []Kind{
		{Name: "zipf-1.1", Zipf: 1.1, Keys: 1_000_000, Drift: 20},
		{Name: "zipf-1.5", Zipf: 1.5, Keys: 100_000, Drift: 20},
		{Name: "attack", Zipf: 1.1, Keys: 100_000, OneOff: .9},
	}
}

// Draw draws a stream.
func Draw(k Kind, panes, perPane int, seed uint64) *Stream {
	s := &Stream{Panes: panes, PerPane: perPane, keys: make([]byte, 0, panes*perPane*KeyBytes), tenants: make([]uint16, 0, panes*perPane)}
	for i := range Tenants {
		s.names = fmt.Appendf(s.names, "tenant-%04d", i)
	}
	random := rand.New(rand.NewPCG(seed, 1))
	law := newZipf(k.Zipf, k.Keys)
	once := uint64(0)
	for pane := range panes {
		for range perPane {
			id := uint64(0)
			switch {
			case k.OneOff > 0 && random.Float64() < k.OneOff:
				once++
				id = oneOff + once
			case k.Churn:
				id = uint64(pane)<<24 + uint64(law.draw(random))
			default:
				id = uint64(law.draw(random) + k.Drift*pane)
			}
			s.keys = appendKey(s.keys, id)
			s.tenants = append(s.tenants, uint16(id*0x9e3779b97f4a7c15>>32%Tenants))
		}
	}
	return s
}

// oneOff is above the numbers of keys that come again.
const oneOff = 1 << 40

// OneOff tells whether the key of the i-th event comes only once.
func (s *Stream) OneOff(i int) bool { return s.Key(i)[len("key:00000")] != '0' }

// appendKey writes a key of 20 printable bytes.
func appendKey(b []byte, id uint64) []byte {
	const digits = "0123456789abcdef"
	b = append(b, "key:"...)
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], id)
	for _, v := range raw {
		b = append(b, digits[v>>4], digits[v&15])
	}
	return b
}

// Len is the number of events.
func (s *Stream) Len() int { return len(s.tenants) }

// Key is the key of the i-th event.
func (s *Stream) Key(i int) []byte { return s.keys[i*KeyBytes : (i+1)*KeyBytes] }

// Tenant is the tenant of the i-th event.
func (s *Stream) Tenant(i int) string { return string(s.TenantName(s.TenantID(i))) }

// zipf draws ranks from 0 with probability proportional to 1/(rank+1)^s, by the inverse of the cumulated law.
type zipf struct{ cumulated []float64 }

func newZipf(s float64, n int) zipf {
	z := zipf{make([]float64, n)}
	sum := 0.0
	for i := range n {
		sum += math.Pow(float64(i+1), -s)
		z.cumulated[i] = sum
	}
	return z
}

func (z zipf) draw(random *rand.Rand) int {
	if len(z.cumulated) == 0 {
		return 0
	}
	u := random.Float64() * z.cumulated[len(z.cumulated)-1]
	return sort.SearchFloat64s(z.cumulated, u)
}

// TenantID is the number of the tenant of the i-th event.
func (s *Stream) TenantID(i int) int { return int(s.tenants[i]) }

// tenantBytes is the length of a tenant's name.
const tenantBytes = len("tenant-0000")

// TenantName is the name of a tenant, by number. All of them lie in 11 KiB, so that feeding a record costs no cache miss
// that a decoder would not have.
func (s *Stream) TenantName(id int) []byte { return s.names[id*tenantBytes : (id+1)*tenantBytes] }
