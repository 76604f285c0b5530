// The pending change that asks a person about changed tool definitions: one for each group and server, updated in place.
import { Change } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Clock } from '@gatehouse/kernel'
import * as v from 'valibot'
import { hasChanged, reevaluate } from '../changes/evaluate.ts'
import { type Asked, type Asker, compose, type ComposeDeps, examine, type ExamineDeps } from '../changes/examine.ts'
import { changeLine, systemActor } from '../state/change-records.ts'
import type { GrantRow } from '../state/grants.ts'

export interface DriftChangeDeps extends ExamineDeps, ComposeDeps {
  readonly clock: Clock
  readonly boot: ExamineDeps['boot'] & ComposeDeps['boot']
}

const asker: Asker = { ...systemActor, by: 'gateway:drift' }
const reason = 'the definitions of its tools are not those that were approved'

/** Held by the gateway itself for this grant. */
export const findOpen = async ({ store }: DriftChangeDeps, { grant }: GrantRow): Promise<Change | undefined> => {
  const rows = await store.read.all<{ record: string }>(
    `SELECT record FROM changes WHERE agent_group_id = ? AND state = 'held' AND kind = 'mcp_access' AND principal = ? AND requested_by = ?`,
    [grant.agentGroupID, asker.principal, asker.by],
  )
  return rows.map(({ record }) => v.parse(Change, JSON.parse(record))).find(({ after }) => after['server'] === grant.server)
}

/** What is asked for: the grant as it is, for the tools as they are now. May wait for the broker. */
export const askAgain = (deps: DriftChangeDeps, { grant }: GrantRow): Promise<Asked> => {
  const { agentGroupID, server, tools, expiresAt, maxCalls } = grant
  const after = { server, tools, ...(expiresAt === undefined ? {} : { expiresAt }), ...(maxCalls === undefined ? {} : { maxCalls }) }
  return examine(deps, asker, { kind: 'mcp_access', agentGroupID, after, reason })
}

/** No line for what the verifier would refuse. */
export const openLines = (deps: DriftChangeDeps, asked: Asked): JournalInput[] => {
  if (asked.failure !== undefined) return []
  const change = compose(deps, { asker, origin: {} }, asked)
  return [changeLine('submit', { actor: asker, change }, { change })]
}

/** Evidence that was missing and is there now is worth showing. */
const isBetter = (change: Change, now: { readonly evidence: unknown }): boolean =>
  change.evidence?.['status'] === 'unavailable' && JSON.stringify(now.evidence) !== JSON.stringify(change.evidence)

export const updateLines = async (deps: DriftChangeDeps, change: Change): Promise<JournalInput[]> => {
  const { draft } = await reevaluate(deps, change)
  if (draft === undefined || !(hasChanged(change, draft) || isBetter(change, draft))) return []
  return [changeLine('rebased', { actor: asker, change }, { ...draft })]
}

export const withdrawLines = (deps: DriftChangeDeps, change: Change): JournalInput[] => {
  const at = new Date(deps.clock()).toISOString()
  return [changeLine('withdraw', { actor: asker, change }, { at, reason: 'there is nothing left to approve' })]
}
