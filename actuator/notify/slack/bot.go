package slack

import (
	"context"
	"strings"

	"github.com/slack-go/slack"

	"firebreak/actuator"
	"firebreak/actuator/notify"
)

// bot is one Send with a token.
type bot struct {
	*sender

	api *slack.Client
}

// send posts the message of a subject, or updates it and tells the news in its thread. A message that is gone is posted anew.
func (b *bot) send(ctx context.Context, n *notify.Notice, m *notify.Message) (string, error) {
	whole := compose(m)
	if b.cfg.Listens() {
		whole.press(m)
	}
	channel, ts, known := strings.Cut(n.Receipt, "/")
	if known {
		err := b.call(ctx, func(ctx context.Context) error {
			_, _, _, err := b.api.UpdateMessageContext(ctx, channel, ts, whole.options()...)
			return err
		})
		switch {
		case err == nil && n.More != nil && m.Said != actuator.KindReopened: // its message says it all
			return n.Receipt, nil
		case err == nil:
			err := b.reply(ctx, m, channel, ts)
			if is(err, refused()) || is(err, elsewhere()) || is(err, gone()) { // a thread that takes no reply; the message says it
				err = nil
			}
			return n.Receipt, b.judge(err, b.host())
		case !is(err, gone()) && !is(err, elsewhere()):
			return "", b.judge(err, b.host())
		}
	}
	return b.post(ctx, m, whole)
}

// post sends a message of its own: to the owner's channel, or to that of the receiver where the owner's takes none.
func (b *bot) post(ctx context.Context, m *notify.Message, c *message) (string, error) {
	channels := []string{b.cfg.Channel}
	if m.Owner != nil && m.Owner.Channel != "" && m.Owner.Channel != b.cfg.Channel {
		channels = []string{m.Owner.Channel, b.cfg.Channel}
	}
	var receipt string
	var err error
	for _, channel := range channels {
		err = b.call(ctx, func(ctx context.Context) error {
			id, ts, err := b.api.PostMessageContext(ctx, channel, c.options()...)
			receipt = id + "/" + ts
			return err
		})
		if err == nil || !is(err, elsewhere()) {
			break
		}
	}
	if err != nil {
		return "", b.judge(err, b.host())
	}
	return receipt, nil
}

// reply tells the news in the thread of its message. What is told again is shown in the channel too: nobody sees that a message was
// updated.
func (b *bot) reply(ctx context.Context, m *notify.Message, channel, ts string) error {
	options := []slack.MsgOption{
		slack.MsgOptionText(fallback(m.Text), false), slack.MsgOptionParse(false), slack.MsgOptionTS(ts), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
		slack.MsgOptionBlocks(section(escape(m.Text, maxSection))),
	}
	if m.Said == actuator.KindReopened {
		options = append(options, slack.MsgOptionBroadcast())
	}
	return b.call(ctx, func(ctx context.Context) error {
		_, _, err := b.api.PostMessageContext(ctx, channel, options...)
		return err
	})
}

// call bounds one call.
func (b *bot) call(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, b.cfg.Timeout)
	defer cancel()
	return do(ctx)
}

// options are the message as the library takes it.
func (c *message) options() []slack.MsgOption {
	return []slack.MsgOption{
		slack.MsgOptionText(c.text, false), slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
		slack.MsgOptionBlocks(c.header...), slack.MsgOptionAttachments(c.body),
	}
}
