// The table of change kinds: each name with its definition.
import { type Change, findKind, type Kind, kindNames } from '@gatehouse/contracts'
import { invalid } from '../input.ts'
import type { Secrets } from '../secrets.ts'
import { agentCreate } from './agent-create.ts'
import { agentRemove } from './agent-remove.ts'
import type { Bound, KindRow } from './kind.ts'
import { mcpAccess } from './mcp-access.ts'
import { mcpRegister } from './mcp-register.ts'
import { mcpRevoke } from './mcp-revoke.ts'
import { mounts } from './mounts.ts'
import { packages } from './packages.ts'
import { permissions } from './permissions.ts'
import { persona } from './persona.ts'
import { tools } from './tools.ts'
import { wiring } from './wiring.ts'

export const kindTable = {
  agent_create: agentCreate,
  agent_remove: agentRemove,
  persona,
  tools,
  packages,
  wiring,
  permissions,
  mounts,
  mcp_access: mcpAccess,
  mcp_revoke: mcpRevoke,
  mcp_register: mcpRegister,
} as const satisfies { readonly [K in Kind]: KindRow<K> }

/** Returns the kind with this name or alias. Throws `invalid` at `/kind` if there is none. */
export const readKind = (name: string): Kind => {
  const kind = findKind(name)
  if (kind !== undefined) return kind
  throw invalid([{ pointer: '/kind', detail: `expected one of ${kindNames.join(', ')}, got ${JSON.stringify(name.slice(0, 64))}` }])
}

/** Parses the `after` of a submission. Throws `invalid` with pointers below `/after`. */
export const bind = (kind: Kind, after: unknown, secrets: Secrets): Bound => kindTable[kind].read(after, secrets)

/** Parses the `after` of a stored change. */
export const rebind = ({ kind, after }: Pick<Change, 'kind' | 'after'>, secrets: Secrets): Bound =>
  kindTable[kind].readStored(after, secrets)
