// Roles: the least role for each act, and which acts concern all groups. Anything not in this table is denied.
import {
  type Change,
  clientRole,
  type gatewayControlPlane,
  kinds,
  type PermitRoute,
  type Principal,
  type Role,
  roles,
  ServiceError,
} from '@gatehouse/contracts'

export type Act = Exclude<keyof (typeof gatewayControlPlane)['calls'], 'permit'> | PermitRoute

interface Right {
  /** The least of those in ascending order; `client` for that role and no other. */
  readonly least: Role
  /** Not for a token that is bound to some groups. */
  readonly wholeUnit: boolean
}

const from = (least: Role): Right => ({ least, wholeUnit: false })
const unitFrom = (least: Role): Right => ({ least, wholeUnit: true })

const clientOnly: Right = { least: clientRole, wholeUnit: false }

export const rights: Readonly<Record<Act, Right>> = {
  pending: from('auditor'),
  heldCount: from('auditor'),
  history: from('auditor'),
  change: from('auditor'),
  evidence: from('auditor'),
  reach: from('auditor'),
  audit: from('auditor'),
  auditHead: from('auditor'),
  auditVerify: from('auditor'),
  news: from('auditor'),
  groups: from('auditor'),
  group: from('auditor'),
  wirings: from('auditor'),
  grants: from('auditor'),
  explain: from('auditor'),
  servers: from('auditor'),
  server: from('auditor'),
  freezes: from('auditor'),
  status: from('auditor'),
  sessions: from('auditor'),
  calls: from('auditor'),
  models: from('auditor'),
  'model-calls': from('auditor'),
  channels: from('auditor'),
  events: from('auditor'),
  metrics: unitFrom('auditor'),

  submit: from('requester'),
  preview: from('requester'),
  withdraw: from('requester'),
  revert: from('requester'),
  chat: from('requester'),
  cancel: from('requester'),
  files: from('requester'),
  'files-put': from('requester'),
  'files-remove': from('requester'),

  decide: from('approver'),
  retry: from('approver'),
  freeze: from('approver'),
  terminate: from('approver'),
  resume: from('approver'),
  probe: from('approver'),
  logs: from('approver'),

  unfreeze: from('admin'),
  purge: from('admin'),
  putServer: unitFrom('admin'),
  removeServer: unitFrom('admin'),
  reload: unitFrom('admin'),
  tokens: unitFrom('admin'),
  createToken: unitFrom('admin'),
  revokeToken: unitFrom('admin'),
  backup: unitFrom('admin'),

  mcp: clientOnly,
  clientSubmit: clientOnly,
  clientChange: clientOnly,
  clientWithdraw: clientOnly,
}

const rankOf = (role: Role): number => roles.findIndex((each) => each === role)

/** A client is below every other role and above none: what is for clients is for them alone. */
export const hasRole = ({ role }: Pick<Principal, 'role'>, least: Role): boolean =>
  role === clientRole || least === clientRole ? role === least : rankOf(role) >= rankOf(least)

export const wholeUnitOnly = (act: string): ServiceError =>
  new ServiceError('forbidden', {
    detail: `expected a token for all groups for ${act}, got one for some of them`,
    hint: 'use a token without groups',
  })

const clientsOnly = (): ServiceError =>
  new ServiceError('forbidden', {
    detail: 'expected the token of a client, which belongs to one agent group, got another one',
    hint: 'make one: svcctl connect GROUP',
  })

/** Throws `forbidden`. */
export const assertMay = (principal: Principal, act: Act): void => {
  const { least, wholeUnit } = rights[act]
  if (!hasRole(principal, least)) {
    if (least === clientRole) throw clientsOnly()
    throw new ServiceError('forbidden', {
      detail: `expected the role ${least} or more for ${act}, got ${principal.role}`,
      hint: 'use a token of that role',
    })
  }
  if (wholeUnit && principal.groups !== undefined) throw wholeUnitOnly(act)
}

/** What a token that is bound to some groups sees: the rest of the unit is not there for it. */
export const sees = ({ groups }: Principal, agentGroupID: string | undefined): boolean =>
  groups === undefined || (agentGroupID !== undefined && groups.some((group) => group === agentGroupID))

export const unknownGroup = (): ServiceError =>
  new ServiceError('not-found', {
    detail: 'there is no agent group of this id',
    hint: 'list the groups, or make one by a change of kind agent_create',
  })

/** A group outside is as unknown as one that does not exist. */
export const assertSees = (principal: Principal, agentGroupID: string): void => {
  if (!sees(principal, agentGroupID)) throw unknownGroup()
}

/** A token that is limited to some groups may not approve a change that affects other groups. Throws `forbidden`. */
export const assertMayApply = (principal: Principal, { kind }: Pick<Change, 'kind'>): void => {
  if (principal.groups !== undefined && kinds[kind].scope === 'unit') throw wholeUnitOnly(`the approval of ${kind}`)
}
