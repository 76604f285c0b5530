// Checks of what happens on the unit: changes, channels, sessions, freezes and tokens.
import { type ChannelCheck, type ChannelName, type ChannelView, isRetryable, isServiceError, limits } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { readAllPages } from '../connection/pages.ts'
import { type Check, fail, notAnswered, notChecked, pass, quoted, type Verdict, warn } from './check.ts'

const long = 3 * 24 * 3_600_000

export const changes: Check = {
  name: 'changes',
  run: async ({ unit, self }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { client } = found
    const [failed, held] = await Promise.all([
      readAllPages((cursor) => client.changes.history({ cursor, state: 'apply_failed' }), 20),
      readAllPages((cursor) => client.changes.pending({ cursor })),
    ])
    const late = held.filter(({ createdAt }) => wallMs() - Date.parse(createdAt) > long)
    const verdicts = [
      ...failed.map((change) =>
        warn(
          `${change.id} was approved and could not be applied: ${change.failure?.reason ?? 'no reason was given'}`,
          `svcctl change ${isRetryable(change) ? 'retry' : 'reject'} ${change.id} --by ${quoted(self)}`,
        ),
      ),
      ...late.map(({ id, createdAt }) => warn(`${id} pending since ${createdAt}`, `svcctl change approve ${id} --by ${quoted(self)}`)),
    ]
    return verdicts.length === 0 ? [pass(`${held.length} held, none waits for long`)] : verdicts
  },
}

/** Channels that are away or whose credentials are refused, addresses that lead nowhere for want of credentials, dead letters. */
const check = (name: ChannelName): string => `svcctl registry channels check ${name}`

const credentials = (name: ChannelName): { advice: string } => ({
  advice: `give the unit credentials for ${name} that hold, and start it again; then try: ${check(name)}`,
})

const verdictOf = async ({ name, state, reason }: ChannelView, ask: () => Promise<ChannelCheck>): Promise<Verdict> => {
  if (state === 'refused') return fail(`${name}: ${reason ?? 'refused'}`, credentials(name))
  if (state === 'down')
    return warn(`${name}: ${reason ?? 'down'}`, {
      advice: `fix the connection to ${name}; the unit tries again by itself, or ask at once: ${check(name)}`,
    })
  try {
    const { accepted, detail } = await ask()
    return accepted ? pass(`${name}: ${detail}`) : fail(`${name}: ${detail}`, credentials(name))
  } catch (error) {
    if (isServiceError(error) && error.code === 'forbidden') return pass(`${name} is ${state}; only an approver may ask its service`)
    throw error
  }
}

export const channels: Check = {
  name: 'channels',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { client } = found
    const [{ items }, wirings] = await Promise.all([client.channels.list(), readAllPages((cursor) => client.wirings.list({ cursor }))])
    const mute = new Set(wirings.map(({ channel }) => channel).filter((channel) => !items.some(({ name }) => name === channel)))
    const verdicts = await Promise.all(items.map((item) => verdictOf(item, () => client.channels.check(item.name))))
    const dead = items.filter((item) => item.dead > 0)
    const all = [
      ...verdicts,
      ...dead.map((item) => warn(`${item.dead} messages to ${item.name} could not be delivered`, 'svcctl registry channels letters')),
      ...[...mute].map((name) => warn(`${name} is wired, and the unit has no credentials for it`, credentials(name))),
    ]
    return all.length === 0 ? [pass('this unit has no channels')] : all
  },
}

/** Sessions that gave up. */
export const sessions: Check = {
  name: 'sessions',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { client } = found
    const all = await readAllPages((cursor) => client.sessions.list({ cursor, limit: limits.pageSizeMost }))
    const parked = all.filter(({ state }) => state === 'parked')
    if (parked.length === 0) return [pass(`${all.length}, none is parked`)]
    return parked.map(({ id, agentGroupID, lastExit = 'parked', fix }) =>
      warn(`${id} of ${agentGroupID} is ${lastExit}${fix === undefined ? '' : `; first ${fix}`}`, `svcctl session resume ${id}`),
    )
  },
}

/** What was stopped and not set free again. */
export const freezes: Check = {
  name: 'freezes',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { frozen } = found.status
    if (frozen.length === 0) return [pass('nothing is frozen')]
    return frozen.map(({ agentGroupID, reason, by }) => {
      const what = agentGroupID === undefined ? 'the unit' : `the group ${agentGroupID}`
      return warn(
        `${what} is frozen by ${by}: ${reason}`,
        `svcctl unfreeze${agentGroupID === undefined ? '' : ` --group ${quoted(agentGroupID)}`} --reason "fixed"`,
      )
    })
  },
}

/** Named tokens that are good for nothing any more. */
export const tokens: Check = {
  name: 'tokens',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    try {
      const all = await readAllPages((cursor) => found.client.tokens.list({ cursor }))
      const ended = all.filter(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) < wallMs())
      if (ended.length === 0) return [pass(`${all.length}, none has expired`)]
      return ended.map(({ name, expiresAt }) => warn(`${name} expired at ${expiresAt}`, `svcctl token revoke ${name} --yes`))
    } catch (error) {
      if (isServiceError(error) && error.code === 'forbidden')
        return [notChecked('only an admin sees tokens', { advice: 'use the token of an admin: --token-file PATH' })]
      throw error
    }
  },
}
