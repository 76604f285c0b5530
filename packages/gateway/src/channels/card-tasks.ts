// Which approval cards must be sent, updated or repeated now, computed from the current changes.
import { CardReference, type CardTask, type Change, type ChannelName, limits, type Member, SessionID, Wired } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'
import { type IdentityDeps, getTokenPerson, listValidTokens, personBehind, toPrincipal } from '../auth/persons.ts'
import type { Secrets } from '../secrets.ts'
import { readChange, type ReadDeps } from '../state/changes.ts'
import { assertMayApply, hasRole, sees } from '../state/roles.ts'
import { readGroup } from '../state/unit-config.ts'
import { cardOf, type CardRow, dueCards, dueReminder, nextReminder, getVersion } from './cards.ts'

const mayApply = (...[principal, change]: Parameters<typeof assertMayApply>): boolean => {
  try {
    assertMayApply(principal, change)
    return true
  } catch {
    return false
  }
}

/** The channel users whose approval would count. @param members of the group; if empty, anyone is admitted */
const approversOn = (
  deps: IdentityDeps,
  change: Change,
  { channel, members }: { channel: ChannelName; members: readonly Member[] },
): string[] => {
  const isAdmitted = (user: string): boolean =>
    members.length === 0 || members.some((member) => member.channel === channel && member.user === user)
  const requester = personBehind(deps.tokens, change)
  const approvers = listValidTokens(deps).filter((token) => {
    const principal = toPrincipal(token)
    return (
      getTokenPerson(token) !== requester &&
      hasRole(token, 'approver') &&
      sees(principal, change.agentGroupID) &&
      mayApply(principal, change)
    )
  })
  return approvers.flatMap(({ identities = [] }) =>
    identities.filter((one) => one.channel === channel && isAdmitted(one.user)).map(({ user }) => user),
  )
}

export interface CardDeps extends ReadDeps, IdentityDeps {
  readonly secrets: Pick<Secrets, 'owns'>
  readonly log: Logger
}

/** `forget`: never shown and no longer needed. `settle`: what is shown is up to date. */
type CardAction = CardTask['act'] | 'forget' | 'settle'

const isWired = async ({ store }: CardDeps, row: CardRow, { agentGroupID }: Change): Promise<boolean> => {
  const wiring = await store.read.get<{ record: string }>('SELECT record FROM wirings WHERE channel = ? AND address = ?', [
    row.channel,
    row.address,
  ])
  return wiring !== undefined && v.parse(Wired, JSON.parse(wiring.record)).agentGroupID === agentGroupID
}

/**
 * Decides what to do with a card. If the address is now routed to another group, nothing more is sent, because other people may
 * read there. A card that was handed out may have been posted without a report, so it gets the outcome.
 */
const selectAction = async (deps: CardDeps, row: CardRow, change: Change): Promise<CardAction> => {
  const isHeld = change.state === 'held'
  if (!(await isWired(deps, row, change))) return row.reference === null ? 'forget' : 'settle'
  if (row.reference === null) return isHeld || row.shown !== null ? 'post' : 'forget'
  if (row.shown !== getVersion(change)) return 'update'
  return isHeld && dueReminder(change, deps.clock()) > row.reminded ? 'remind' : 'settle'
}

/** Marks a card as up to date, or deletes it. */
const settle = (store: Store, { id, revision, remind_at }: CardRow, action: 'forget' | 'settle'): Promise<unknown> =>
  store.write((tx) =>
    action === 'forget'
      ? tx.run('DELETE FROM cards WHERE id = ?', [id])
      : tx.run('UPDATE cards SET seen = max(seen, ?), remind_at = CASE WHEN remind_at = ? THEN NULL ELSE remind_at END WHERE id = ?', [
          revision,
          remind_at,
          id,
        ]),
  )

/** Marks a card as handed out: from now on it may be visible. */
const markHandedOut = ({ store }: CardDeps, { id }: CardRow): Promise<unknown> =>
  store.write((tx) => tx.run(`UPDATE cards SET shown = '' WHERE id = ? AND shown IS NULL`, [id]))

const getSession = ({ principal }: Change): Pick<CardTask, 'session'> => {
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
    version: getVersion(change),
    channel,
    address,
    card: cardOf(deps.secrets, change),
    ...getSession(change),
    approvers: approversOn(deps, change, { channel, members }),
    ...(reference !== null && { reference: v.parse(CardReference, JSON.parse(reference)) }),
    ...(act === 'remind' && { reminder: dueReminder(change, deps.clock()) }),
  }
}

const taskFor = async (deps: CardDeps, row: CardRow): Promise<CardTask[]> => {
  const change = await readChange(deps, row.change_id)
  const action = await selectAction(deps, row, change)
  if (action === 'forget' || action === 'settle') {
    await settle(deps.store, row, action)
    return []
  }
  if (action === 'post' && row.shown === null) await markHandedOut(deps, row)
  return [await toTask(deps, row, { change, act: action })]
}

/** Skips a card that cannot be read, so that the others are sent. */
const tryTask = (deps: CardDeps, row: CardRow): Promise<CardTask[]> =>
  taskFor(deps, row).catch((error: unknown) => {
    deps.log.error('could not prepare an approval card', { change: row.change_id, error })
    return []
  })

export interface CardQuery {
  readonly channels: readonly ChannelName[]
  readonly skip: readonly number[]
  readonly limit: number
}

export const cardTasks = async (deps: CardDeps, query: CardQuery): Promise<{ items: CardTask[]; wait?: number }> => {
  const now = deps.clock()
  const limit = Math.min(query.limit, limits.cardLanes)
  let rows = await dueCards(deps.store.read, { ...query, limit, now })
  const items: CardTask[] = []
  // Rows without work must not hide others.
  const visited = new Set(query.skip)
  while (rows.length > 0 && items.length < limit) {
    for (const row of rows) {
      visited.add(row.id)
      items.push(...(await tryTask(deps, row)))
    }
    rows = await dueCards(deps.store.read, { channels: query.channels, skip: [...visited], limit, now })
  }
  const next = await nextReminder(deps.store.read, query.channels)
  return { items: items.slice(0, limit), ...(next !== undefined && { wait: Math.max(0, Date.parse(next) - now) }) }
}
