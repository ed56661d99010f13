package slack

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/slack-go/slack"
	"go.uber.org/zap"

	"firebreak/actuator"
)

// pressed works on what a person pressed or filled in.
func (l *Listener) pressed(ctx context.Context, api *slack.Client, in *slack.InteractionCallback) {
	switch in.Type { //nolint:exhaustive // there is nothing else under our messages
	case slack.InteractionTypeBlockActions:
		for _, a := range in.ActionCallback.BlockActions {
			if a.BlockID == buttonsID {
				l.button(ctx, api, in, a.Value)
			}
		}
	case slack.InteractionTypeViewSubmission:
		if in.View.CallbackID == callbackID {
			l.sent(ctx, api, in)
		}
	}
}

// button opens the form in which a person says why.
func (l *Listener) button(ctx context.Context, api *slack.Client, in *slack.InteractionCallback, value string) {
	w, ok := pressedWord(value)
	if !ok {
		return
	}
	w.Channel = in.Channel.ID
	if _, why := l.person(ctx, api, in.User.ID); why != "" {
		l.whisper(ctx, api, w.Channel, in.User.ID, why)
		return
	}
	metadata, err := json.Marshal(w)
	if err != nil {
		return
	}
	if _, err := api.OpenViewContext(ctx, in.TriggerID, form(string(metadata), &w.word)); err != nil {
		l.log.Warn("a form of Slack cannot be opened", zap.Error(said(err)))
		l.whisper(ctx, api, w.Channel, in.User.ID, "The form could not be opened, press again. Or: firebreak actions "+w.Do+" ID --reason WHY --config FILE.")
	}
}

// placed is a word with the channel in which it was pressed.
type placed struct {
	word

	Channel string `json:"c"`
}

// pressedWord reads the value of a button, or the metadata of a form.
func pressedWord(text string) (w placed, ok bool) {
	err := json.Unmarshal([]byte(text), &w)
	return w, err == nil && w.Plan != "" && w.Hotspot != "" && (w.Do == "approve" || w.Do == "reject" || w.Do == "hold")
}

// sent asks for what a form says, and tells who sent it what became of it. What was done stands in the thread, as the journal has it.
func (l *Listener) sent(ctx context.Context, api *slack.Client, in *slack.InteractionCallback) {
	w, ok := pressedWord(in.View.PrivateMetadata)
	if !ok || in.View.State == nil {
		return
	}
	why := strings.TrimSpace(in.View.State.Values[reasonID][reasonID].Value)
	by, refused := l.person(ctx, api, in.User.ID)
	if refused == "" && (why == "" || len(why) > maxReasonText) {
		refused = fmt.Sprintf("Say why, in 1 to %d bytes.", maxReasonText)
	}
	if refused != "" {
		l.whisper(ctx, api, w.Channel, in.User.ID, refused)
		return
	}
	is := &Word{
		ID: actuator.NewID("slack", in.View.ID, in.User.ID), Fleet: string(w.Fleet), Hotspot: string(w.Hotspot), Plan: string(w.Plan), Do: w.Do, By: by, Reason: why,
		Channel: w.Channel, User: in.User.ID, View: in.View.ID,
	}
	refused, err := l.ask(ctx, is)
	switch {
	case err != nil:
		l.log.Warn("a word of Slack was not carried out", zap.Error(err))
		l.whisper(ctx, api, w.Channel, in.User.ID, "It was not done: nobody who decides answered, or the routing could not be reached. The log says more.")
	case refused != "":
		l.whisper(ctx, api, w.Channel, in.User.ID, "Refused: "+refused+".")
	default:
		l.whisper(ctx, api, w.Channel, in.User.ID, "Done: "+w.Do+". The thread says how it goes.")
	}
}

// person is who a user of Slack is; why says why nobody knows, for them.
func (l *Listener) person(ctx context.Context, api *slack.Client, user string) (name, why string) {
	if name := l.people[user]; name != "" {
		return name, ""
	}
	ctx, cancel := context.WithTimeout(ctx, l.cfg.Timeout)
	defer cancel()
	is, err := api.GetUserInfoContext(ctx, user)
	if err == nil && is.ID == user && is.Profile.Email != "" && !is.Deleted && !is.IsBot {
		return is.Profile.Email, ""
	}
	return "", "Refused: nobody knows who you are. Ask for your id " + user + " to be added to people of the receiver, in the configuration of firebreak."
}

// whisper says something to one person in a channel.
func (l *Listener) whisper(ctx context.Context, api *slack.Client, channel, user, text string) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), l.cfg.Timeout)
	defer cancel()
	shown, _ := within(text, maxFact, plain)
	if _, err := api.PostEphemeralContext(ctx, channel, user, slack.MsgOptionText(shown, false), slack.MsgOptionParse(false)); err != nil {
		l.log.Warn("a person cannot be answered in Slack", zap.Error(said(err)))
	}
}
