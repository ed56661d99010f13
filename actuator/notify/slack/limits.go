package slack

// Limits of a message. Characters are counted as bytes of their escaped form, which is never less than how Slack counts.
const (
	// maxBlocks is how many blocks a message may have: https://api.slack.com/reference/block-kit/blocks.
	maxBlocks = 50
	// maxSection is the longest text of a section, the same page.
	maxSection = 3000
	// maxHeader is the longest text of a header, the same page.
	maxHeader = 150
	// maxMessage is the longest text of a whole message. Slack refuses about 13,200 as msg_blocks_too_long, which it does not
	// document; a message of 10,000 is taken.
	maxMessage = 10_000
	// maxFallback is the longest text of a notification.
	maxFallback = 500
	// maxFact is the longest answer to one question.
	maxFact = 1200
)

// Colours of the bar beside a message. The severity is a word in its header too.
const (
	red   = "#b3261e" // critical
	amber = "#b26a00" // warning
	green = "#2e7d32" // over
	grey  = "#5f6368" // a note, or what a person accepted or dismissed
)
