// A channel at its door of a gateway, in words short enough for a test.
import { type CardTask, ChangeID, type Decided } from '@gatehouse/contracts'
import * as v from 'valibot'
import { carry, group, read, submit, type Wanted } from '../fixtures/people.ts'
import { context, type Unit } from '../fixtures/unit.ts'

export const room = '#room'

export const wire = (unit: Unit, agentGroupID: string, address = room) =>
  carry(unit, ['wiring', agentGroupID, { channel: 'webhook', address, engage: 'all', session: 'shared' }])

export const tasks = async (unit: Unit, skip: number[] = []) =>
  unit.gateway.channels.cards({ channels: ['webhook'], limit: 16, skip }, context)

export const tasksOf = async (unit: Unit, id: string): Promise<CardTask[]> =>
  (await tasks(unit)).items.filter(({ card }) => card.changeID === id)

/** Does what is asked, as a channel that works. */
export const done = async (unit: Unit, task: CardTask, more: { failed?: boolean } = {}) => {
  const { id, act, revision, version, reminder } = task
  const reference = { message: `m-${id}` }
  await unit.gateway.channels.carded(
    { id, act, revision, version, reference, ...(reminder !== undefined && { reminder }), failed: false, ...more },
    context,
  )
}

/** Everything that is due, in rounds until nothing is. */
export const showAll = async (unit: Unit): Promise<CardTask[]> => {
  const { items } = await tasks(unit)
  for (const task of items) await done(unit, task)
  return items.length === 0 ? [] : [...items, ...(await showAll(unit))]
}

export interface Word {
  readonly user: string
  readonly change: string
  readonly digest?: string
  readonly address?: string
  readonly outcome?: 'approve' | 'reject'
}

export const say = async (unit: Unit, { user, change, digest, address = room, outcome = 'approve' }: Word): Promise<Decided> => {
  const shown = digest ?? (await read(unit, v.parse(ChangeID, change))).digest
  return unit.gateway.channels.decideAs({ channel: 'webhook', address, user, change, digest: shown, outcome }, context)
}

/** The outcome, or the code of the refusal. */
export const heard = async (unit: Unit, word: Word): Promise<string> => {
  const decided = await say(unit, word)
  return decided.outcome === 'refused' ? decided.code : decided.outcome
}

export const hold = async (unit: Unit, wanted: Wanted): Promise<string> => (await submit(unit, wanted)).id

export const persona = (agentGroupID: string, text: string): Wanted => ['persona', agentGroupID, { instructions: text }]

export const admitMembers = (unit: Unit, agentGroupID: string, users: readonly string[]) =>
  carry(unit, ['permissions', group(agentGroupID), { members: users.map((user) => ({ channel: 'webhook', user })) }])
