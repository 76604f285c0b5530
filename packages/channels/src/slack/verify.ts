// Checks with Slack who the bot is and whether the app can open connections. Nothing is posted.
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
  /** One token serves several workspaces. */
  is_enterprise_install: v.optional(v.boolean(), false),
  /** Scopes of the bot token, if Slack reports them. */
  response_metadata: v.optional(v.object({ scopes: v.optional(v.array(v.string())) })),
})
export type Me = v.InferOutput<typeof Me>

/** Rejects with `ChannelFault`. */
export const identifyBot = async (app: App, signal: AbortSignal): Promise<Me> => {
  try {
    const answer = v.safeParse(Me, await app.asBot(signal).auth.test())
    if (answer.success) return answer.output
  } catch (error) {
    throw faultOf(error)
  }
  throw new ChannelFault('away', 'Slack did not return the bot user')
}

/** The returned URL is not used; it expires. */
export const checkSocketAccess = async (app: App, signal: AbortSignal): Promise<void> => {
  try {
    await app.asApp(signal).apps.connections.open()
  } catch (error) {
    throw faultOf(error)
  }
}

export const accountOf = ({ user, team }: Me): string => `@${user} in ${team}`.slice(0, 200)

/** Undefined if no scope is known to be missing. Messages work without it, so it is not an error. */
export const describeMissingScope = ({ response_metadata: { scopes } = {} }: Me): string | undefined =>
  scopes === undefined || scopes.includes(permissionForFiles)
    ? undefined
    : `the service accepts the credentials, but not files: the app is missing the permission ${permissionForFiles}, add it and reinstall the app`
