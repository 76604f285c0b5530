// Asks Slack who the bot is, and whether the app may open connections. Nobody there sees it.
import * as v from 'valibot'
import { ChannelFault } from '../channel.ts'
import type { App } from './app.ts'
import { faultOf, permissionForFiles } from './faults.ts'

const Me = v.object({
  user_id: v.string(),
  bot_id: v.optional(v.string()),
  user: v.optional(v.string(), 'bot'),
  team_id: v.string(),
  team: v.optional(v.string(), 'workspace'),
  /** Then one token serves many workspaces. */
  is_enterprise_install: v.optional(v.boolean(), false),
  /** What the token of the bot may, as far as Slack says it. */
  response_metadata: v.optional(v.object({ scopes: v.optional(v.array(v.string())) })),
})
export type Me = v.InferOutput<typeof Me>

/** Rejects with `ChannelFault`. */
export const introduce = async (app: App, signal: AbortSignal): Promise<Me> => {
  try {
    const answer = v.safeParse(Me, await app.asBot(signal).auth.test())
    if (answer.success) return answer.output
  } catch (error) {
    throw faultOf(error)
  }
  throw new ChannelFault('away', 'Slack does not say who the bot is')
}

/** The url that it answers with is never used: it goes by itself. */
export const mayConnect = async (app: App, signal: AbortSignal): Promise<void> => {
  try {
    await app.asApp(signal).apps.connections.open()
  } catch (error) {
    throw faultOf(error)
  }
}

export const accountOf = ({ user, team }: Me): string => `@${user} in ${team}`.slice(0, 200)

/** Undefined where nothing is known to lack. The rest works without it, so it is no refusal. */
export const lackOf = ({ response_metadata: { scopes } = {} }: Me): string | undefined =>
  scopes === undefined || scopes.includes(permissionForFiles)
    ? undefined
    : `the service takes the credentials, but no files: the app lacks the permission ${permissionForFiles}, add it and install the app again`
