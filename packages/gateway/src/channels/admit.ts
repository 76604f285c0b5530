// Whether a person may send messages at a channel address, and whether an agent may answer there. Read for each message.
import { type Admission, type AgentGroupID, canonicalAddress, type ChannelName, limits, Wired } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import type { Freezes } from '../state/freezes.ts'
import { readGroup } from '../state/unit-config.ts'

export interface ChannelDeps {
  readonly store: Pick<Store, 'read'>
  readonly freezes: Pick<Freezes, 'of'>
}

interface Place {
  readonly channel: ChannelName
  readonly address: string
}

const findWiring = async ({ store }: ChannelDeps, { channel, address }: Place): Promise<Wired | undefined> => {
  const row = await store.read.get<{ record: string }>('SELECT record FROM wirings WHERE channel = ? AND address = ?', [
    channel,
    canonicalAddress(channel, address),
  ])
  return row === undefined ? undefined : v.parse(Wired, JSON.parse(row.record))
}

/** Admits a message. A group without members admits anyone, as its approver was told. */
export const admit = async (deps: ChannelDeps, { user, ...place }: Place & { readonly user: string }): Promise<Admission> => {
  const wired = await findWiring(deps, place)
  const group = wired === undefined ? undefined : await readGroup(deps.store.read, wired.agentGroupID)
  if (wired === undefined || group === undefined) return { admitted: false, why: 'not_routed' }
  const isMember = group.members.some((member) => member.channel === place.channel && member.user === user)
  if (group.members.length > 0 && !isMember) return { admitted: false, why: 'not_member' }
  const { engage, pattern, session } = wired
  const workspaceMiB = group.limits.workspaceMiB ?? limits.sandboxWorkspaceMiB
  return { admitted: true, agentGroupID: group.id, engage, ...(pattern !== undefined && { pattern }), session, workspaceMiB }
}

/** Whether an agent may answer at an address. Answers to a removed address are dropped. */
export const maySpeak = async (
  deps: ChannelDeps,
  { agentGroupID, ...place }: Place & { readonly agentGroupID: AgentGroupID },
): Promise<'allowed' | 'frozen' | 'not_routed'> => {
  const wired = await findWiring(deps, place)
  if (wired?.agentGroupID !== agentGroupID) return 'not_routed'
  return deps.freezes.of(agentGroupID) === undefined ? 'allowed' : 'frozen'
}
