package sketch

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/axiomhq/hyperloglog"
)

const (
	wholeBits = 12 // 4,096 registers for a fleet's distinct keys, tenants, callers: 1.6 % standard error
	eachBits  = 8  // 256 registers for the distinct keys of one tenant or shard: 6.5 %
)

// registers is a dense HyperLogLog (Flajolet et al. 2007) of 2^n registers: those of the library, which estimates and
// checks. Only what happens for each record is done here.
type registers []byte

// insert counts a hash, as hyperloglog.Sketch.InsertHash does.
func (r registers) insert(h uint64) {
	n := uint(bits.TrailingZeros(uint(len(r)))) & 63
	rank := byte(bits.LeadingZeros64(h<<n|1<<(n-1))) + 1
	// A branch would be taken for one new name in five of 100,000, at random.
	at := &r[h>>(64-n)]
	*at = max(*at, rank)
}

// mergeRegisters makes dst the HyperLogLog of the union: the larger of each two bytes, eight at once. No register has the
// highest bit.
func mergeRegisters(dst, src registers) {
	for i := 0; i+8 <= len(dst); i += 8 {
		a, b := binary.LittleEndian.Uint64(dst[i:]), binary.LittleEndian.Uint64(src[i:])
		keep := ((a | highs) - b) & highs >> 7 * 0xff // all bits of each byte in which a >= b
		binary.LittleEndian.PutUint64(dst[i:], a&keep|b&^keep)
	}
}

// estimate is the number of distinct names that registers stand for, with the bias correction of LogLog-Beta (Qin, Kim and
// Tung 2016). It is not for the hot path.
func (r registers) estimate() uint64 {
	n := len(r)
	if n == 1<<wholeBits {
		return r.estimateWhole()
	}
	data := append([]byte{2, byte(bits.TrailingZeros(uint(n))), 0, 0, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, r...)
	var h hyperloglog.Sketch
	if h.UnmarshalBinary(data) != nil {
		return 0 // registers are checked where they come in
	}
	return h.Estimate()
}

// estimateWhole is the library's estimate for 2^wholeBits registers, without its power and its copy for each.
func (r registers) estimateWhole() uint64 {
	var sums [4]float64
	zeros := 0
	for i := 0; i+4 <= len(r); i += 4 {
		for j, v := range r[i : i+4] {
			sums[j] += math.Float64frombits(uint64(1023-int(v)) << 52) // 2^-v
			if v == 0 {
				zeros++
			}
		}
	}
	m, z := float64(len(r)), float64(zeros)
	l := math.Log(z + 1)
	beta := -0.384979202588598*z + l*(0.183162233114364+l*(0.130396688841854+l*(0.0704838927629266+
		l*(-0.0089589397146453+l*(0.0113010036741605+l*(-0.00194285569591290+l*0.000225435774024964))))))
	alpha := 0.7213 / (1 + 1.079/m)
	return uint64(alpha*m*(m-z)/(sums[0]+sums[1]+sums[2]+sums[3]+beta) + 0.5)
}

// newRegisters makes so many empty ones of 2^bits registers, in one piece of memory.
func newRegisters(n int, bits uint8) []registers {
	memory, all := make([]byte, n<<bits), make([]registers, n)
	for i := range all {
		all[i] = memory[i<<bits : (i+1)<<bits : (i+1)<<bits]
	}
	return all
}

// maxRegister is the highest value a register of a 64-bit hash can have.
func maxRegister(bits uint8) byte { return 64 - bits + 1 }

// tenantKeys counts the distinct keys of the tenants that came first, or are heavier than those: a few HyperLogLogs go
// round among the candidates.
type tenantKeys struct {
	at   []int32  // by tenant slot: 1 + its HyperLogLog
	slot []int32  // by HyperLogLog
	hash []uint64 // of the tenant that it counts
	used int
	hand int
	hlls []registers
}

func newTenantKeys(slots, n int) tenantKeys {
	return tenantKeys{at: make([]int32, slots), slot: make([]int32, n), hash: make([]uint64, n), hlls: newRegisters(n, eachBits)}
}

// add counts a key of the tenant in a slot.
func (k *tenantKeys) add(tenants *candidates, slot int, key uint64) {
	tenant := tenants.rows[slot].hash
	if i := k.at[slot] - 1; i >= 0 && k.hash[i] == tenant && int(k.slot[i]) == slot {
		k.hlls[i].insert(key)
		return
	}
	if i := k.claim(tenants, slot); i >= 0 {
		clear(k.hlls[i])
		k.at[slot], k.slot[i], k.hash[i] = int32(i)+1, int32(slot), tenant
		k.hlls[i].insert(key)
	}
}

// claim finds a HyperLogLog for a tenant: a fresh one, or the next one round if its tenant is gone or half as heavy.
func (k *tenantKeys) claim(tenants *candidates, slot int) int {
	if i := k.at[slot] - 1; i >= 0 && int(k.slot[i]) == slot {
		return int(i)
	}
	if k.used < len(k.hlls) {
		k.used++
		return k.used - 1
	}
	if k.used == 0 {
		return -1
	}
	i := k.hand
	if k.hand++; k.hand == k.used {
		k.hand = 0
	}
	holder := int(k.slot[i])
	if k.of(tenants, holder) == i && tenants.score(holder) > tenants.score(slot)/2 {
		return -1
	}
	return i
}

// of is the HyperLogLog of the tenant in a slot, -1 if it has none.
func (k *tenantKeys) of(tenants *candidates, slot int) int {
	if i := int(k.at[slot]) - 1; i >= 0 && int(k.slot[i]) == slot && tenants.held(slot) && k.hash[i] == tenants.rows[slot].hash {
		return i
	}
	return -1
}

func (k *tenantKeys) reset() {
	clear(k.at)
	k.used, k.hand = 0, 0
}

// shardKeys counts the distinct keys of each shard.
type shardKeys struct {
	cost []uint64
	hlls []registers
	any  bool
}

func newShardKeys(n int) shardKeys {
	return shardKeys{cost: make([]uint64, n), hlls: newRegisters(n, eachBits)}
}

// add counts cost for a shard, and a key that is new to it.
func (k *shardKeys) add(shard int32, cost uint64, c *counted) {
	if int(shard) >= len(k.cost) {
		k.grow(int(shard) + 1)
	}
	k.any = true
	k.cost[shard] = plus(k.cost[shard], cost)
	if c.fresh && c.keyHash != 0 {
		k.hlls[shard].insert(c.keyHash)
	}
}

func (k *shardKeys) grow(n int) {
	k.cost = append(k.cost, make([]uint64, n-len(k.cost))...)
	k.hlls = append(k.hlls, newRegisters(n-len(k.hlls), eachBits)...)
}

func (k *shardKeys) reset() {
	if !k.any {
		return
	}
	clear(k.cost)
	for _, h := range k.hlls {
		clear(h)
	}
	k.any = false
}
