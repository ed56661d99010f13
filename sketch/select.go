package sketch

// nthLargest gives the n-th largest of values, counted from 1, and leaves them in another order: Hoare's selection with
// the median of three as pivot.
func nthLargest(values []uint64, n int) uint64 {
	low, high, at := 0, len(values)-1, n-1
	for low < high {
		pivot := median(values[low], values[(low+high)/2], values[high])
		i, j := low, high
		for i <= j {
			for values[i] > pivot {
				i++
			}
			for values[j] < pivot {
				j--
			}
			if i <= j {
				values[i], values[j] = values[j], values[i]
				i++
				j--
			}
		}
		switch {
		case at <= j:
			high = j
		case at >= i:
			low = i
		default:
			return values[at]
		}
	}
	return values[at]
}

func median(a, b, c uint64) uint64 { return max(min(a, b), min(max(a, b), c)) }
