// An event as Slack sends it, as far as we look at it.
import * as v from 'valibot'

export const Id = v.pipe(v.string(), v.regex(/^[A-Z0-9]{1,40}$/))
export const Stamp = v.pipe(v.string(), v.regex(/^\d{1,20}\.\d{1,10}$/))

export const SlackFile = v.object({
  name: v.optional(v.nullable(v.string())),
  size: v.optional(v.number()),
  url_private_download: v.optional(v.string()),
})
export type SlackFile = v.InferOutput<typeof SlackFile>

export const SlackMessage = v.object({
  type: v.picklist(['message', 'app_mention']),
  subtype: v.optional(v.string()),
  channel: Id,
  channel_type: v.optional(v.string()),
  user: v.optional(Id),
  bot_id: v.optional(v.string()),
  text: v.optional(v.string(), ''),
  /** The message's own id within its place. */
  ts: Stamp,
  thread_ts: v.optional(Stamp),
  files: v.optional(v.array(SlackFile), []),
})
export type SlackMessage = v.InferOutput<typeof SlackMessage>

export const SlackEvent = v.object({ type: v.literal('event_callback'), team_id: v.string(), event: SlackMessage })
