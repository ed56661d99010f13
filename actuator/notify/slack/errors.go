package slack

import (
	"errors"
	"slices"
	"strings"

	"github.com/slack-go/slack"
)

// The answers "ok": false of chat.postMessage and chat.update, https://api.slack.com/methods/chat.postMessage#errors. What is in
// none of these lists is tried again until the notice is given up.

// refused are those that the same message would get again: it is wrong.
func refused() []string {
	return []string{
		"invalid_blocks", "invalid_blocks_format", "invalid_attachments", "msg_blocks_too_long", "msg_too_long", "too_many_attachments", "no_text",
		"invalid_arguments", "invalid_arg_name", "invalid_array_arg", "invalid_form_data", "invalid_post_type", "missing_post_type", "invalid_charset",
		"as_user_not_supported", "duplicate_channel_not_found", "metadata_too_large", "method_deprecated", "deprecated_endpoint",
	}
}

// barred are those that speak of the token.
func barred() []string {
	return []string{
		"invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "no_permission", "missing_scope", "not_allowed_token_type",
		"ekm_access_denied", "enterprise_is_restricted", "team_access_not_granted", "org_login_required", "two_factor_setup_required",
	}
}

// elsewhere are those that say that this channel takes nothing from us.
func elsewhere() []string {
	return []string{
		"channel_not_found", "not_in_channel", "is_archived", "is_inactive", "channel_type_not_supported", "restricted_action", "restricted_action_read_only_channel",
		"restricted_action_thread_only_channel", "restricted_action_non_threadable_channel", "restricted_action_thread_locked", "messages_tab_disabled",
		"external_channel_migrating", "slack_connect_canvas_sharing_blocked", "cannot_reply_to_message",
	}
}

// gone are those that say that the message cannot be updated any more: it is posted anew.
func gone() []string {
	return []string{"message_not_found", "cant_update_message", "edit_window_closed", "thread_not_found"}
}

// final says of a code that no later attempt is of use.
func final(code string) bool { return slices.Contains(refused(), code) }

// mendable says of a code that a person may mend it: a token is renewed, a bot is invited to its channel.
func mendable(code string) bool {
	return slices.Contains(barred(), code) || slices.Contains(elsewhere(), code)
}

// is says whether Slack refused with one of some codes.
func is(err error, codes []string) bool {
	said, ok := errors.AsType[slack.SlackErrorResponse](err)
	return ok && slices.Contains(codes, said.Err)
}

// code is the word with which Slack refused; empty = it said none.
func code(err error) string {
	if said, ok := errors.AsType[slack.SlackErrorResponse](err); ok {
		return said.Err
	}
	return ""
}

// maxReason is the longest code that is repeated, in bytes.
const maxReason = 64

// reason repeats a code of Slack, which is a word; anything else is not repeated.
func reason(code string) string {
	if code == "" || len(code) > maxReason || strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_0123456789") != "" {
		return "an error without a known code"
	}
	return code
}
