// Parses events of Slack into messages with files. Returns undefined for events without a message for the agent.
import { ServiceError } from '@gatehouse/contracts'
import { OutboundFailure } from '@gatehouse/outbound'
import * as v from 'valibot'
import type { Inbound, InboundFile } from '../channel.ts'
import type { App } from './app.ts'
import { faultOf } from './faults.ts'
import { mentions, readText, withoutName } from './markup.ts'
import type { Me } from './verify.ts'

/** The fields of Slack's events that the unit reads. */
export const Id = v.pipe(v.string(), v.regex(/^[A-Z0-9]{1,40}$/))
export const Stamp = v.pipe(v.string(), v.regex(/^\d{1,20}\.\d{1,10}$/))

const SlackFile = v.object({
  name: v.optional(v.nullable(v.string())),
  size: v.optional(v.number()),
  url_private_download: v.optional(v.string()),
})
type SlackFile = v.InferOutput<typeof SlackFile>

const SlackMessage = v.object({
  type: v.picklist(['message', 'app_mention']),
  subtype: v.optional(v.string()),
  channel: Id,
  channel_type: v.optional(v.string()),
  user: v.optional(Id),
  bot_id: v.optional(v.string()),
  text: v.optional(v.string(), ''),
  /** Id of the message within its channel. */
  ts: Stamp,
  thread_ts: v.optional(Stamp),
  files: v.optional(v.array(SlackFile), []),
})
type SlackMessage = v.InferOutput<typeof SlackMessage>

const SlackEvent = v.object({ type: v.literal('event_callback'), team_id: v.string(), event: SlackMessage })

/** Files are downloaded only for messages that are accepted. */
const gone = (): ServiceError => new ServiceError('not-found', { detail: 'Slack does not provide the file' })

/** Without the permission Slack returns its sign-in page instead of the file. */
const isPage = (response: Response): boolean => /^text\/html/i.test(response.headers.get('content-type') ?? '')

const read = async (app: App, { name, url_private_download: url }: SlackFile): Promise<Uint8Array> => {
  if (url === undefined || !URL.canParse(url)) throw gone()
  try {
    const response = await app.download(new URL(url))
    if (response.status >= 500 || response.status === 429) throw new Error(`Slack answered ${response.status}`)
    if (!response.ok || (isPage(response) && !/\.html?$/i.test(name ?? ''))) throw gone()
    return await response.bytes()
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw error instanceof OutboundFailure && error.kind !== 'proxy' ? gone() : faultOf(error)
  }
}

const filesOf = (app: App, { files }: SlackMessage): InboundFile[] =>
  files.map((file) => ({ name: file.name ?? 'file', size: file.size, read: () => read(app, file) }))

/** Other subtypes report edits, members who joined, and similar. */
const handledSubtypes = new Set([undefined, 'file_share', 'thread_broadcast', 'me_message', 'bot_message'])

const isAutomatic = ({ user, bot_id, subtype }: SlackMessage, me: Me): boolean =>
  bot_id !== undefined || subtype === 'bot_message' || user === undefined || user === me.user_id

const isMentioned = ({ type, channel_type, text }: SlackMessage, me: Me): boolean =>
  type === 'app_mention' || channel_type === 'im' || mentions(text, me.user_id)

/** A message starts a thread, except in a private chat, where replies belong beside it. */
const threadOf = ({ thread_ts, ts, channel_type }: SlackMessage): string | undefined =>
  thread_ts ?? (channel_type === 'im' ? undefined : ts)

/** `message` and `app_mention` of one message have the same id. */
export const readEvent = (input: unknown, app: App, me: Me): Inbound | undefined => {
  const { success, output } = v.safeParse(SlackEvent, input)
  if (!success || !handledSubtypes.has(output.event.subtype)) return undefined
  // An app can be installed in several workspaces; the bot token is for one.
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
