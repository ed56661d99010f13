package slack

import (
	"encoding/json"

	"github.com/slack-go/slack"

	"firebreak/actuator/notify"
	"firebreak/internal/line"
)

// Limits of buttons, https://api.slack.com/reference/block-kit/block-elements#button.
const maxValue = 2000 // characters of a value

// The ids of what people press and fill in.
const (
	buttonsID  = "firebreak"
	reasonID   = "reason"
	callbackID = "firebreak-word"
)

// word is what a button is about, as its value has it; Do is that of the button.
type word struct {
	Fleet   line.Name `json:"f"`
	Hotspot line.Name `json:"h"`
	Plan    line.Name `json:"p"`
	Do      string    `json:"d"` // approve, reject or hold
}

// buttons are those of a message whose plan waits for a person; nil = it has none. They lead nowhere without an app-level token.
func buttons(m *notify.Message) slack.Block {
	if m.Plan == "" || m.State != notify.Firing {
		return nil
	}
	var elements []slack.BlockElement
	for _, b := range []struct {
		do, text string
		style    slack.Style
	}{{"approve", "Approve", slack.StylePrimary}, {"reject", "Reject", slack.StyleDanger}, {"hold", "Hold for a day", slack.StyleDefault}} {
		value, err := json.Marshal(&word{line.Name(m.Fleet), line.Name(m.Hotspot), line.Name(m.Plan), b.do})
		if err != nil || len(value) > maxValue {
			return nil // the command says it
		}
		elements = append(elements, slack.NewButtonBlockElement(b.do, string(value), slack.NewTextBlockObject(slack.PlainTextType, b.text, false, false)).WithStyle(b.style))
	}
	return slack.NewActionBlock(buttonsID, elements...)
}

// titleOf is that of the form in which a person says why; at most 24 characters.
func titleOf(do string) string {
	switch do {
	case "approve":
		return "Approve the plan"
	case "reject":
		return "Reject the plan"
	}
	return "Hold the hotspot"
}

// form asks why: what is pressed stands in its metadata.
func form(value string, w *word) slack.ModalViewRequest {
	plain := func(text string) *slack.TextBlockObject {
		return slack.NewTextBlockObject(slack.PlainTextType, text, false, false)
	}
	why := slack.NewPlainTextInputBlockElement(plain("seen with the team"), reasonID)
	why.MaxLength = maxReasonText
	what := "Plan " + string(w.Plan)
	if w.Do == "hold" {
		what = "Hotspot " + string(w.Hotspot)
	}
	text, _ := within(what, maxFact, func(s string) string { return s })
	return slack.ModalViewRequest{
		Type: slack.VTModal, Title: plain(titleOf(w.Do)), Submit: plain("Send"), Close: plain("Cancel"), CallbackID: callbackID, PrivateMetadata: value,
		Blocks: slack.Blocks{BlockSet: []slack.Block{
			slack.NewSectionBlock(plain(text), nil, nil),
			slack.NewInputBlock(reasonID, plain("Why? The journal and the thread say it."), nil, why),
		}},
	}
}

// maxReasonText bounds a reason, in characters: what a request takes is 500 bytes.
const maxReasonText = 500
