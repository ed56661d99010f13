package main

type pictureCase struct{ file string }

func cases() []pictureCase {
	var out []pictureCase
	for _, f := range []string{"1-volume", "2-hot-key", "3-whale-tenant", "4-read-hot", "5-one-caller", "6-unknown", "7-held", "8-resolved"} {
		out = append(out, pictureCase{f})
	}
	return out
}
