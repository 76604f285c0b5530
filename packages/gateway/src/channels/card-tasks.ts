// Which approval cards must be sent, updated or repeated now, computed from the current changes.
import { CardReference, type CardTask, type Change, type ChannelName, limits, type Member, SessionID, Wired } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { type IdentityDeps, personBehind, personOfToken, principalOf, standing } from '../auth/persons.ts'
import type { Secrets } from '../secrets.ts'
import { readChange, type ReadDeps } from '../state/changes.ts'
import { assertMayApply, hasRole, sees } from '../state/roles.ts'
import { readGroup } from '../state/unit-config.ts'
import { cardOf, type CardRow, dueCards, dueReminder, nextReminder, versionOf } from './cards.ts'

/** The people of a channel whose decision on a change would count. */
const mayApply = (...[principal, change]: Parameters<typeof assertMayApply>): boolean => {
  try {
    assertMayApply(principal, change)
    return true
  } catch {
    return false
  }
}

/** @param members of the group; none: it is open to everybody */
const approversOn = (
  deps: IdentityDeps,
  change: Change,
  { channel, members }: { channel: ChannelName; members: readonly Member[] },
): string[] => {
  const hears = (user: string): boolean =>
    members.length === 0 || members.some((member) => member.channel === channel && member.user === user)
  const requester = personBehind(deps.tokens, change)
  const able = standing(deps).filter((token) => {
    const principal = principalOf(token)
    return (
      personOfToken(token) !== requester &&
      hasRole(token, 'approver') &&
      sees(principal, change.agentGroupID) &&
      mayApply(principal, change)
    )
  })
  return able.flatMap(({ identities = [] }) =>
    identities.filter((one) => one.channel === channel && hears(one.user)).map(({ user }) => user),
  )
}

export interface CardDeps extends ReadDeps, IdentityDeps {
  readonly secrets: Pick<Secrets, 'owns'>
  readonly log: Logger
}

/** `forget`: it was never shown, and has nothing to say any more. `settle`: what stands there says what is. */
type Judgement = CardTask['act'] | 'forget' | 'settle'

const isWired = async ({ store }: CardDeps, row: CardRow, { agentGroupID }: Change): Promise<boolean> => {
  const found = await store.read.get<{ record: string }>('SELECT record FROM wirings WHERE channel = ? AND address = ?', [
    row.channel,
    row.address,
  ])
  return found !== undefined && v.parse(Wired, JSON.parse(found.record)).agentGroupID === agentGroupID
}

/**
 * Where an address leads elsewhere by now, nothing more is said, not even how it ended: others may listen there. What was given out
 * to be posted may stand there without a note of it, such as when its channel was killed: it is told how it ended.
 */
const judge = async (deps: CardDeps, row: CardRow, change: Change): Promise<Judgement> => {
  const isHeld = change.state === 'held'
  if (!(await isWired(deps, row, change))) return row.reference === null ? 'forget' : 'settle'
  if (row.reference === null) return isHeld || row.shown !== null ? 'post' : 'forget'
  if (row.shown !== versionOf(change)) return 'update'
  return isHeld && dueReminder(change, deps.clock()) > row.reminded ? 'remind' : 'settle'
}

/** Nothing is left to be told of it. */
const settle = (store: Store, { id, revision, remind_at }: CardRow, judged: 'forget' | 'settle'): Promise<unknown> =>
  store.write((tx) =>
    judged === 'forget'
      ? tx.run('DELETE FROM cards WHERE id = ?', [id])
      : tx.run('UPDATE cards SET seen = max(seen, ?), remind_at = CASE WHEN remind_at = ? THEN NULL ELSE remind_at END WHERE id = ?', [
          revision,
          remind_at,
          id,
        ]),
  )

/** Before it is given out: from then on it may be seen. */
const giveOut = ({ store }: CardDeps, { id }: CardRow): Promise<unknown> =>
  store.write((tx) => tx.run(`UPDATE cards SET shown = '' WHERE id = ? AND shown IS NULL`, [id]))

const askedIn = ({ principal }: Change): Pick<CardTask, 'session'> => {
  const session = v.safeParse(SessionID, principal.replace(/^session:/, ''))
  return session.success && principal.startsWith('session:') ? { session: session.output } : {}
}

const toTask = async (deps: CardDeps, row: CardRow, { change, act }: { change: Change; act: CardTask['act'] }): Promise<CardTask> => {
  const { id, channel, address, revision, reference } = row
  const members = (await readGroup(deps.store.read, change.agentGroupID))?.members ?? []
  return {
    id,
    act,
    revision,
    version: versionOf(change),
    channel,
    address,
    card: cardOf(deps.secrets, change),
    ...askedIn(change),
    approvers: approversOn(deps, change, { channel, members }),
    ...(reference !== null && { reference: v.parse(CardReference, JSON.parse(reference)) }),
    ...(act === 'remind' && { reminder: dueReminder(change, deps.clock()) }),
  }
}

const taskFor = async (deps: CardDeps, row: CardRow): Promise<CardTask[]> => {
  const change = await readChange(deps, row.change_id)
  const judged = await judge(deps, row, change)
  if (judged === 'forget' || judged === 'settle') {
    await settle(deps.store, row, judged)
    return []
  }
  if (judged === 'post' && row.shown === null) await giveOut(deps, row)
  return [await toTask(deps, row, { change, act: judged })]
}

/** A card that cannot be read now hides no other. */
const taskOf = (deps: CardDeps, row: CardRow): Promise<CardTask[]> =>
  taskFor(deps, row).catch((error: unknown) => {
    deps.log.error('a card cannot be shown', { change: row.change_id, error })
    return []
  })

export interface Asked {
  readonly channels: readonly ChannelName[]
  readonly skip: readonly number[]
  readonly limit: number
}

export const cardTasks = async (deps: CardDeps, asked: Asked): Promise<{ items: CardTask[]; wait?: number }> => {
  const now = deps.clock()
  const limit = Math.min(asked.limit, limits.cardLanes)
  let rows = await dueCards(deps.store.read, { ...asked, limit, now })
  const items: CardTask[] = []
  // Those with nothing to be done hide no other.
  const looked = new Set(asked.skip)
  while (rows.length > 0 && items.length < limit) {
    for (const row of rows) {
      looked.add(row.id)
      items.push(...(await taskOf(deps, row)))
    }
    rows = await dueCards(deps.store.read, { channels: asked.channels, skip: [...looked], limit, now })
  }
  const next = await nextReminder(deps.store.read, asked.channels)
  return { items: items.slice(0, limit), ...(next !== undefined && { wait: Math.max(0, Date.parse(next) - now) }) }
}
