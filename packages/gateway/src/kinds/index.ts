// The table of kinds: one line a kind.
import { Kind } from '@gatehouse/contracts'
import * as v from 'valibot'
import { invalid } from '../input/parse.ts'
import { agentCreate } from './agent-create.ts'
import type { Bound, KindRow } from './kind.ts'
import { mcpAccess } from './mcp-access.ts'
import { mcpRevoke } from './mcp-revoke.ts'
import { persona } from './persona.ts'

export const kindTable = {
  agent_create: agentCreate,
  persona,
  mcp_access: mcpAccess,
  mcp_revoke: mcpRevoke,
} as const satisfies Record<Kind, KindRow>

/** Throws `invalid` at `/kind` for a kind that does not exist. */
export const readKind = (kind: string): Kind => {
  const result = v.safeParse(Kind, kind)
  if (!result.success)
    throw invalid([
      { pointer: '/kind', detail: `expected one of ${Object.keys(kindTable).join(', ')}, got ${JSON.stringify(kind.slice(0, 64))}` },
    ])
  return result.output
}

export const bind = (kind: Kind, after: unknown): Bound => kindTable[kind].read(after)
