// Who may do what: the least role for each act. What is not in this table nobody may do.
import { type gatewayControlPlane, type permitRoutes, type Principal, roles, ServiceError } from '@gatehouse/contracts'

type Role = (typeof roles)[number]
export type Act = Exclude<keyof (typeof gatewayControlPlane)['calls'], 'permit'> | (typeof permitRoutes)[number]

const least = {
  pending: 'auditor',
  history: 'auditor',
  change: 'auditor',
  audit: 'auditor',
  groups: 'auditor',
  grants: 'auditor',
  servers: 'auditor',
  server: 'auditor',
  status: 'auditor',
  metrics: 'auditor',
  sessions: 'auditor',
  chat: 'requester',
  submit: 'requester',
  decide: 'approver',
  probe: 'approver',
  putServer: 'admin',
  removeServer: 'admin',
} as const satisfies Record<Act, Role>

/** Roles stand in ascending order: each may do what those before it may. */
export const assertMay = (principal: Principal, act: Act): void => {
  if (roles.indexOf(principal.role) >= roles.indexOf(least[act])) return
  throw new ServiceError('forbidden', {
    detail: `expected the role ${least[act]} or more for ${act}, got ${principal.role}`,
    hint: 'use a token of that role',
  })
}
