// Turns an event of Slack into a message; undefined where there is none for us in it.
import * as v from 'valibot'
import type { Inbound } from '../channel.ts'
import type { App } from './app.ts'
import { SlackEvent, type SlackMessage } from './event.ts'
import { filesOf } from './files.ts'
import { names, readText, withoutName } from './text.ts'
import type { Me } from './verify.ts'

/** The rest tells of a message that was changed, of one who came in, and the like. */
const heard = new Set([undefined, 'file_share', 'thread_broadcast', 'me_message', 'bot_message'])

const isAutomatic = ({ user, bot_id, subtype }: SlackMessage, me: Me): boolean =>
  bot_id !== undefined || subtype === 'bot_message' || user === undefined || user === me.user_id

const isMentioned = ({ type, channel_type, text }: SlackMessage, me: Me): boolean =>
  type === 'app_mention' || channel_type === 'im' || names(text, me.user_id)

/** A message that opens a thread is its root; in private people do not look for answers in threads that they did not open. */
const threadOf = ({ thread_ts, ts, channel_type }: SlackMessage): string | undefined =>
  thread_ts ?? (channel_type === 'im' ? undefined : ts)

/** `message` and `app_mention` of one message have the same id. */
export const readEvent = (given: unknown, app: App, me: Me): Inbound | undefined => {
  const { success, output } = v.safeParse(SlackEvent, given)
  if (!success || !heard.has(output.event.subtype)) return undefined
  // An app may stand in several workspaces; the token of the bot is for one.
  if (output.team_id !== me.team_id && !me.is_enterprise_install) return undefined
  const { event } = output
  return {
    id: `${event.channel}:${event.ts}`,
    address: event.channel,
    thread: threadOf(event),
    user: event.user ?? 'nobody',
    mentioned: isMentioned(event, me),
    automatic: isAutomatic(event, me),
    text: readText(withoutName(event.text, me.user_id)),
    files: filesOf(app, event),
    reference: { ts: event.ts },
  }
}
