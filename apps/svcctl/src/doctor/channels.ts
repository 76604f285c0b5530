// Channels that are away or whose credentials are refused, addresses that lead nowhere for want of credentials, dead letters.
import { type ChannelCheck, type ChannelName, type ChannelView, isServiceError } from '@gatehouse/contracts'
import { everyPage } from '../connection/every-page.ts'
import { type Check, fail, pass, notAnswered, type Verdict, warn } from './check.ts'

const check = (name: ChannelName): string => `svcctl registry channels check ${name}`

const credentials = (name: ChannelName): { advice: string } => ({
  advice: `give the unit credentials for ${name} that hold, and start it again; then try: ${check(name)}`,
})

const verdictOf = async ({ name, state, reason }: ChannelView, ask: () => Promise<ChannelCheck>): Promise<Verdict> => {
  if (state === 'refused') return fail(`${name}: ${reason ?? 'refused'}`, credentials(name))
  if (state === 'down')
    return warn(`${name}: ${reason ?? 'down'}`, {
      advice: `mend the way to ${name}; the unit tries again by itself, or ask at once: ${check(name)}`,
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
    const [{ items }, wirings] = await Promise.all([client.channels.list(), everyPage((cursor) => client.wirings.list({ cursor }))])
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
