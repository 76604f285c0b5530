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

export interface RouteRequest {
  readonly route: PermitRoute
  readonly agentGroupID?: AgentGroupID | undefined
  readonly session?: SessionID | undefined
  readonly file?: PutFile | RemovedFile | undefined
}

/** Routes of one group. A token that is limited to some groups must name the group. */
const groupRoutes: ReadonlySet<PermitRoute> = new Set(['chat', 'cancel', 'resume', 'logs', 'files', 'files-put', 'files-remove', 'purge'])

const stages: Partial<Record<PermitRoute, JournalInput['stage']>> = {
  resume: 'resume',
  purge: 'purge',
  backup: 'backup',
  'files-put': 'files-put',
  'files-remove': 'files-remove',
}

const unknown = (what: string): ServiceError =>
  new ServiceError('not-found', { detail: `${what} not found`, hint: 'list the groups and sessions' })

/** Also finds closed sessions, whose files still belong to their group. */
const findSessionGroup = async (rows: Rows, session: SessionID): Promise<string | undefined> =>
  (await rows.get<{ id: string }>('SELECT agent_group_id AS id FROM sessions WHERE id = ?', [session]))?.id

/** The group that the request is for; undefined if it is for none. */
const findGroup = async (rows: Rows, principal: Principal, { agentGroupID, session }: RouteRequest): Promise<string | undefined> => {
  if (session === undefined) {
    if (agentGroupID === undefined) return undefined
    if (sees(principal, agentGroupID) && (await readGroup(rows, agentGroupID)) !== undefined) return agentGroupID
    throw unknown(`agent group ${agentGroupID}`)
  }
  const group = await findSessionGroup(rows, session)
  const isOther = agentGroupID !== undefined && agentGroupID !== group
  if (group === undefined || isOther || !sees(principal, group)) throw unknown(`session ${session}`)
  return group
}

/** Authorizes a request, and journals it if its route changes something. @param actor the principal with its edge */
export const permit = async (
  deps: PermitDeps,
  { actor, principal }: { actor: Actor; principal: Principal },
  request: RouteRequest,
): Promise<Principal> => {
  const group = await findGroup(deps.store.read, principal, request)
  if (group === undefined && principal.groups !== undefined && groupRoutes.has(request.route)) throw wholeUnitOnly(request.route)
  const stage = stages[request.route]
  if (stage !== undefined) {
    const detail = { ...(request.session !== undefined && { session: request.session }), ...request.file }
    await deps.ledger.commit([{ stage, edge: actor.edge, principal: actor.principal, agentGroupID: group, detail }])
  }
  return principal
}
