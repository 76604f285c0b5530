// Roles: the minimum role for each act, and the acts that affect the whole unit. Acts that are not in this table are denied.
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
  /** The minimum role; `client` allows only that role. */
  readonly minimum: Role
  /** Not allowed for a token that is limited to some groups. */
  readonly wholeUnit: boolean
}

const from = (minimum: Role): Right => ({ minimum, wholeUnit: false })
const unitFrom = (minimum: Role): Right => ({ minimum, wholeUnit: true })

const clientOnly: Right = { minimum: clientRole, wholeUnit: false }

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
  declaredTools: from('auditor'),
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
  'server-login': unitFrom('admin'),
  tokens: unitFrom('admin'),
  createToken: unitFrom('admin'),
  revokeToken: unitFrom('admin'),
  backup: unitFrom('admin'),

  mcp: clientOnly,
  clientSubmit: clientOnly,
  clientChange: clientOnly,
  clientWithdraw: clientOnly,
}

const getRank = (role: Role): number => roles.findIndex((each) => each === role)

/** The role client has no rank. Its actions are only for clients. */
export const hasRole = ({ role }: Pick<Principal, 'role'>, minimum: Role): boolean =>
  role === clientRole || minimum === clientRole ? role === minimum : getRank(role) >= getRank(minimum)

export const wholeUnitOnly = (act: string): ServiceError =>
  new ServiceError('forbidden', {
    detail: `${act} needs a token for all groups, and this one is limited to some groups`,
    hint: 'use a token without groups',
  })

const clientsOnly = (): ServiceError =>
  new ServiceError('forbidden', {
    detail: 'this needs a client token, which belongs to one agent group',
    hint: 'create one: svcctl connect GROUP',
  })

/** Throws `forbidden`. */
export const assertMay = (principal: Principal, act: Act): void => {
  const { minimum, wholeUnit } = rights[act]
  if (!hasRole(principal, minimum)) {
    if (minimum === clientRole) throw clientsOnly()
    throw new ServiceError('forbidden', {
      detail: `${act} needs the role ${minimum} or higher, and this token has the role ${principal.role}`,
      hint: 'use a token with that role',
    })
  }
  if (wholeUnit && principal.groups !== undefined) throw wholeUnitOnly(act)
}

/** Whether a principal may see a group. Other groups are reported to it as not found. */
export const sees = ({ groups }: Principal, agentGroupID: string | undefined): boolean =>
  groups === undefined || (agentGroupID !== undefined && groups.some((group) => group === agentGroupID))

export const unknownGroup = (): ServiceError =>
  new ServiceError('not-found', {
    detail: 'agent group not found',
    hint: 'list the groups, or create one with a change of kind agent_create',
  })

/** Throws `not-found` for a group that the principal may not see. */
export const assertSees = (principal: Principal, agentGroupID: string): void => {
  if (!sees(principal, agentGroupID)) throw unknownGroup()
}

/** A token that is limited to some groups may not approve a change that affects other groups. Throws `forbidden`. */
export const assertMayApply = (principal: Principal, { kind }: Pick<Change, 'kind'>): void => {
  if (principal.groups !== undefined && kinds[kind].scope === 'unit') throw wholeUnitOnly(`the approval of ${kind}`)
}
