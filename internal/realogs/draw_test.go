package realogs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// within is a random time in [from, to), seconds from the start.
func within(r *rand.Rand, from, to float64) int64 {
	return twinStart + int64((from+(to-from)*r.Float64())*1000)
}

func named(kind string, n int) string { return fmt.Sprintf("%s-%d", kind, n) }

// ones appends n times v.
func ones(list []int, n, v int) []int { return append(list, slices.Repeat([]int{v}, n)...) }

// edits are tenants with so many writes each in 5 minutes, every one of another page.
func edits(r *rand.Rand, tenant string, counts []int) []request {
	var out []request
	for i, n := range counts {
		for range n {
			out = append(out, request{within(r, 0, 300), named(tenant, i), named("page", len(out)), "write", 1})
		}
	}
	return out
}

func twinAccounts(r *rand.Rand) []request {
	return edits(r, "editor", ones([]int{81, 33, 9, 8, 3, 3, 3, 2, 2}, 53, 1))
}

func twinWikis(r *rand.Rand) []request {
	return edits(r, "wiki", ones([]int{125, 21, 13, 8, 4, 4, 4, 3, 2, 2, 2, 2, 2, 2, 2}, 3, 1))
}

// twinLease is a key that is leased in bursts of lines with counts, from the third second on.
func twinLease(r *rand.Rand) []request {
	var out []request
	for i, n := range []float64{31, 32, 36, 33, 36, 26, 48, 50, 27, 38, 33, 27, 31} {
		second := []float64{2, 3, 3, 3, 3, 3, 5, 5, 5, 5, 5, 5, 5}[i]
		out = append(out, request{within(r, second, second+1), "use-0", "lease", "GET_LEASE", n})
	}
	for i, n := range []int{58, 44, 23, 22, 12, 6, 5, 4, 4, 3, 3, 3, 3} {
		tenant := []string{"use-1", "use-2", "use-1", "use-3", "use-1", "use-2", "use-1", "use-2", "use-1", "use-1", "use-2", "use-4", "use-1"}[i]
		for left := n; left > 0; {
			part := min(left, 1+r.IntN(max(1, n/3)))
			left -= part
			out = append(out, request{within(r, 0, 9), tenant, named("key", i), "GET", float64(part)})
		}
	}
	for i := range 38 {
		op := []string{"GET", "GET", "GET", "SET", "DELETE"}[r.IntN(5)]
		out = append(out, request{within(r, 0, 9), named("use", 1+r.IntN(10)), named("key", 100+i), op, 1})
	}
	return out
}

// twinLateKey is one tenant with most of three seconds, and a key of it that exists only in the last.
func twinLateKey(r *rand.Rand) []request {
	var out []request
	for _, n := range []float64{24, 22, 36, 13, 19, 17} {
		out = append(out, request{within(r, 2, 3), "use-0", "late", "GET", n})
	}
	for i, n := range []int{104, 25, 16, 15, 15, 10, 10, 10, 8, 7, 6, 4, 4, 3, 3, 2, 2} {
		tenant := "use-0"
		if i == 1 || i > 8 {
			tenant = "use-1"
		}
		for left := n; left > 0; {
			part := min(left, 1+r.IntN(max(1, n/4)))
			left -= part
			out = append(out, request{within(r, 0, 3), tenant, named("key", i), "GET", float64(part)})
		}
	}
	for i := range 44 {
		op := []string{"GET", "GET_LEASE", "SET", "SET_LEASE"}[r.IntN(4)]
		out = append(out, request{within(r, 0, 3), named("use", 1+r.IntN(15)), named("key", 100+i), op, 1})
	}
	return out
}

// twinBlocks is seven users of a block store that ramp up for forty seconds; four are whales, their keys are many.
func twinBlocks(r *rand.Rand) []request {
	var out []request
	for user, n := range []int{358, 210, 188, 188, 44, 31, 4} {
		keys := []int{330, 80, 70, 75, 30, 25, 4}[user]
		for i := range n {
			at := 40 * max(r.Float64(), r.Float64()) // density rises with time
			op := "read"
			if user%2 == 1 && i%5 > 0 {
				op = "write"
			}
			out = append(out, request{within(r, at, at), named("user", user), fmt.Sprintf("block-%d-%d", user, r.IntN(keys)), op, 1})
		}
	}
	return out
}

// twinCrawler is one client with 98 % of a minute.
func twinCrawler(r *rand.Rand) []request {
	out := []request{{within(r, 5, 20), "client-1", "/feed", "GET", 1}, {within(r, 30, 55), "client-2", "/feed", "GET", 1}}
	for i := range 108 {
		out = append(out, request{within(r, 0, 60), "client-0", fmt.Sprintf("/talk/%d.png", i%49), "GET", 1})
	}
	return out
}

// twinBursts are the two real bursts of twinEvents.
func twinBursts() []burst {
	at := func(second int) time.Time {
		return time.UnixMilli(twinStart).UTC().Add(time.Duration(second) * time.Second)
	}
	return []burst{{"org-burst", at(600), at(760)}, {"user-burst", at(1200), at(1240)}}
}

// twinEvents is half an hour of thin events of many owners, one that posts every 45 s among them, an organisation's burst, a user's,
// and a spike of one repository within seconds.
func twinEvents(r *rand.Rand) []request {
	var out []request
	add := func(n int, from, to float64, tenant func(int) string, key func(int) string) {
		for i := range n {
			out = append(out, request{within(r, from, to), tenant(i), key(i), []string{"PushEvent", "WatchEvent"}[r.IntN(2)], 1})
		}
	}
	is := func(name string) func(int) string { return func(int) string { return name } }
	for i := range 1500 {
		owner := named("owner", i)
		n := 1 + int(r.ExpFloat64()*1.2)
		from := 1800 * r.Float64()
		add(min(n, 8), from, min(1800, from+900), is(owner), is(owner+"/repo"))
	}
	for second := 20.0; second < 1800; second += 45 {
		add(1, second, second+1, is("poster"), is("poster/page"))
	}
	add(65, 600, 760, is("org-burst"), func(i int) string { return named("org-burst/repo", i%6) })
	add(22, 1200, 1240, is("user-burst"), func(i int) string { return named("user-burst/repo", i%4) })
	add(15, 1500.5, 1506, is("mirror"), is("mirror/one"))
	return out
}

// pick is an index into a list of counts, by weight.
func pick(r *rand.Rand, counts []int) int {
	sum := 0
	for _, n := range counts {
		sum += n
	}
	at := r.IntN(sum)
	for i, n := range counts {
		if at -= n; at < 0 {
			return i
		}
	}
	return 0
}

// siteKeys are the requests of a web site's heaviest paths, then of the many others.
func siteKeys() []int {
	return ones(ones([]int{807, 575, 546, 538, 533, 516, 489, 224, 180, 154, 135, 128, 101, 77}, 60, 35), 300, 10)
}

// twinSite is 83 hours of a web site: a few crawlers that come again and again, and many visitors.
func twinSite(r *rand.Rand) []request {
	const hours = 83 * 3600
	var out []request
	visit := func(client string, n int, from, to float64, keys []int) {
		for range n {
			out = append(out, request{within(r, from, to), client, "/" + itoa(pick(r, keys)), "GET", 1})
		}
	}
	for i, n := range []int{96, 73, 71, 55, 23, 20, 20, 17, 17, 16, 15, 13} {
		for left := n; left > 0; {
			part := min(left, 12)
			left -= part
			from := (hours - 1800) * r.Float64()
			visit(named("crawler", i), part, from, from+1800, ones(nil, 330, 1))
		}
	}
	for i := range 340 {
		from := (hours - 120) * r.Float64()
		visit(named("client", i), 1+int(r.ExpFloat64()*4), from, from+120, siteKeys())
	}
	return out
}

// twinAds is four minutes of an advertising site: clients load pages with their pictures, one path in six is a click. A
// line stands for two requests.
func twinAds(r *rand.Rand) []request {
	keys := append([]int{505, 250, 202, 141, 122, 114, 108, 106, 96, 95, 93, 77, 72, 72}, ones(nil, 56, 21)...)
	var out []request
	for i := range 220 {
		pages := 1 + r.IntN(2)
		from := 240 * r.Float64()
		for page := range pages {
			at := min(239, from+float64(page)*20)
			for range 2 + r.IntN(9) {
				key := pick(r, keys)
				path := "/" + strings.Repeat("p", key%3+1) + itoa(key)
				if key == 0 {
					path = "/adclick.php"
				}
				out = append(out, request{within(r, at, min(240, at+6)), named("client", i), path, "GET", 2})
			}
		}
	}
	return out
}
