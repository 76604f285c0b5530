// The pending change for changed tool definitions: one for each group and server, updated in place.
import { Change } from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Clock } from '@gatehouse/kernel'
import * as v from 'valibot'
import { hasChanged, reevaluate } from '../changes/evaluate.ts'
import { type ChangeRequester, compose, type ComposeDeps, type Examined, examine, type ExamineDeps } from '../changes/examine.ts'
import { changeLine, systemActor } from '../state/change-records.ts'
import type { GrantRow } from '../state/grants.ts'

export interface DriftChangeDeps extends ExamineDeps, ComposeDeps {
  readonly clock: Clock
  readonly boot: ExamineDeps['boot'] & ComposeDeps['boot']
}

const requester: ChangeRequester = { ...systemActor, by: 'gateway:drift' }
const reason = 'tool definitions changed since they were approved'

/** The pending drift change of this grant. */
export const findOpen = async ({ store }: DriftChangeDeps, { grant }: GrantRow): Promise<Change | undefined> => {
  const rows = await store.read.all<{ record: string }>(
    `SELECT record FROM changes WHERE agent_group_id = ? AND state = 'held' AND kind = 'mcp_access' AND principal = ? AND requested_by = ?`,
    [grant.agentGroupID, requester.principal, requester.by],
  )
  return rows.map(({ record }) => v.parse(Change, JSON.parse(record))).find(({ after }) => after['server'] === grant.server)
}

/** Examines a request for the same grant with the current definitions. May wait for the broker. */
export const examineDrift = (deps: DriftChangeDeps, { grant }: GrantRow): Promise<Examined> => {
  const { agentGroupID, server, tools, expiresAt, maxCalls } = grant
  const after = { server, tools, ...(expiresAt === undefined ? {} : { expiresAt }), ...(maxCalls === undefined ? {} : { maxCalls }) }
  return examine(deps, requester, { kind: 'mcp_access', agentGroupID, after, reason })
}

/** The record of a new drift change; none if the verifier would refuse it. */
export const openRecords = (deps: DriftChangeDeps, examined: Examined): JournalInput[] => {
  if (examined.failure !== undefined) return []
  const change = compose(deps, { requester, origin: {} }, examined)
  return [changeLine('submit', { actor: requester, change }, { change })]
}

/** Whether evidence is available now that was missing before. */
const hasNewEvidence = (change: Change, now: { readonly evidence: unknown }): boolean =>
  change.evidence?.['status'] === 'unavailable' && JSON.stringify(now.evidence) !== JSON.stringify(change.evidence)

export const updateRecords = async (deps: DriftChangeDeps, change: Change): Promise<JournalInput[]> => {
  const { draft } = await reevaluate(deps, change)
  if (draft === undefined || !(hasChanged(change, draft) || hasNewEvidence(change, draft))) return []
  return [changeLine('rebased', { actor: requester, change }, { ...draft })]
}

export const withdrawRecords = (deps: DriftChangeDeps, change: Change): JournalInput[] => {
  const at = new Date(deps.clock()).toISOString()
  return [
    changeLine('withdraw', { actor: requester, change }, { at, reason: 'the definitions are as approved again, or the grant has ended' }),
  ]
}
