// Asks Slack who the bot is, and whether the app may open connections. Nobody there sees it.
import * as v from 'valibot'
import { ChannelFault } from '../channel.ts'
import type { App } from './app.ts'
import { faultOf } from './faults.ts'

const Me = v.object({
  user_id: v.string(),
  bot_id: v.optional(v.string()),
  user: v.optional(v.string(), 'bot'),
  team_id: v.string(),
  team: v.optional(v.string(), 'workspace'),
  /** Then one token serves many workspaces. */
  is_enterprise_install: v.optional(v.boolean(), false),
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
