// Authorizes routes that other processes serve, and records what they change before it happens.
import {
  type AgentGroupID,
  type PermitRoute,
  type Principal,
  type PutFile,
  type RemovedFile,
  ServiceError,
  type SessionID,
} from '@gatehouse/contracts'
import type { JournalInput } from '@gatehouse/journal'
import type { Rows, Store } from '@gatehouse/store'
import type { Ledger } from '../ledger/ledger.ts'
import type { Actor } from '../state/change-records.ts'
import { sees, wholeUnitOnly } from '../state/roles.ts'
import { readGroup } from '../state/unit-config.ts'

export interface PermitDeps {
  readonly store: Store
  readonly ledger: Ledger
}

export interface Passage {
  readonly route: PermitRoute
  readonly agentGroupID?: AgentGroupID | undefined
  readonly session?: SessionID | undefined
  readonly file?: PutFile | RemovedFile | undefined
}

/** Routes that lead to one group: without its name a token of some groups is not let through. */
const placed: ReadonlySet<PermitRoute> = new Set(['chat', 'cancel', 'resume', 'logs', 'files', 'files-put', 'files-remove', 'purge'])

const stages: Partial<Record<PermitRoute, JournalInput['stage']>> = {
  resume: 'resume',
  purge: 'purge',
  backup: 'backup',
  'files-put': 'files-put',
  'files-remove': 'files-remove',
}

const unknown = (what: string): ServiceError =>
  new ServiceError('not-found', { detail: `there is no ${what}`, hint: 'list the groups and sessions' })

/** Of a closed session too: what it left behind is still its group's. */
const groupOfSession = async (rows: Rows, session: SessionID): Promise<string | undefined> =>
  (await rows.get<{ id: string }>('SELECT agent_group_id AS id FROM sessions WHERE id = ?', [session]))?.id

/** The group that the route leads to; undefined where it leads to none. */
const placeOf = async (rows: Rows, principal: Principal, { agentGroupID, session }: Passage): Promise<string | undefined> => {
  if (session === undefined) {
    if (agentGroupID === undefined) return undefined
    if (sees(principal, agentGroupID) && (await readGroup(rows, agentGroupID)) !== undefined) return agentGroupID
    throw unknown(`agent group ${agentGroupID}`)
  }
  const group = await groupOfSession(rows, session)
  const other = agentGroupID !== undefined && agentGroupID !== group
  if (group === undefined || other || !sees(principal, group)) throw unknown(`session ${session}`)
  return group
}

/** @param actor the same as the principal, with the door that it came through */
export const permit = async (
  deps: PermitDeps,
  { actor, principal }: { actor: Actor; principal: Principal },
  passage: Passage,
): Promise<Principal> => {
  const group = await placeOf(deps.store.read, principal, passage)
  if (group === undefined && principal.groups !== undefined && placed.has(passage.route)) throw wholeUnitOnly(passage.route)
  const stage = stages[passage.route]
  if (stage !== undefined) {
    const detail = { ...(passage.session !== undefined && { session: passage.session }), ...passage.file }
    await deps.ledger.commit([{ stage, edge: actor.edge, principal: actor.principal, agentGroupID: group, detail }])
  }
  return principal
}
