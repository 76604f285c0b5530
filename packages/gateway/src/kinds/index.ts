// The table of kinds: one line a kind.
import { type Change, Kind, kindAliases } from '@gatehouse/contracts'
import * as v from 'valibot'
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
} as const satisfies Record<Kind, KindRow>

/** The kind by its name or another spelling. Throws `invalid` at `/kind` for a kind that does not exist. */
export const readKind = (kind: string): Kind => {
  const result = v.safeParse(Kind, Object.hasOwn(kindAliases, kind) ? kindAliases[kind] : kind)
  if (!result.success)
    throw invalid([
      { pointer: '/kind', detail: `expected one of ${Object.keys(kindTable).join(', ')}, got ${JSON.stringify(kind.slice(0, 64))}` },
    ])
  return result.output
}

/** What was submitted. Throws `invalid` with pointers below `/after`. */
export const bind = (kind: Kind, after: unknown, secrets: Secrets): Bound => kindTable[kind].read(after, secrets)

/** A change that was kept. */
export const rebind = ({ kind, after }: Pick<Change, 'kind' | 'after'>, secrets: Secrets): Bound => kindTable[kind].readKept(after, secrets)
