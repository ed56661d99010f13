package words

// Relief says how long the fix takes to be felt, in one sentence: what it waits for, how much later the loads show all of it, and when the
// hotspot is over. How long data takes to be copied no log tells. nil where there is no fix.
func (t *Told) Relief() Phrase {
	if t.Chosen() == nil {
		return nil
	}
	const copied = ": the amount of data decides how long that takes, which the log does not tell"
	var text string
	switch t.Fix {
	case "salt":
		text = "Relief comes at once when the applications that read the key, and then those that write it, run with it"
	case "cache":
		text = "Relief comes at once when the applications that read run with it and what they read is cached"
	case "quota", "limit_caller":
		text = "Relief comes at once when the limit is in force"
	case "isolate":
		if text = "Relief comes when the data is copied to that shard" + copied; t.Cause == "whale_tenant" {
			text = "Relief comes at once when the quota is in force, and for the tenant when its data is copied" + copied
		}
	case "scale_out":
		text = "Relief comes when the new shards have their data" + copied
	default:
		text = "Relief comes when the data that moves is copied and its requests go there" + copied
	}
	switch {
	case t.Timeless || t.Fast <= 0:
	case t.Calm <= 0:
		text += "; all of it shows here " + Lasting(t.Fast) + " later"
	default:
		text += "; all of it shows here " + Lasting(t.Fast) + " later, and " + Lasting(t.Calm) + " after that the hotspot is over"
	}
	return Say(text + ".")
}
