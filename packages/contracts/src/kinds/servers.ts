// Schemas of `after` for tool servers: grants, revocations and new catalog entries.
import * as v from 'valibot'
import { LocalEntry, RemoteEntry } from '../catalog.ts'
import { ServerName, Time } from '../ids.ts'
import { usableName } from '../json.ts'
import { limits } from '../limits.ts'

export const ToolName = v.pipe(v.string(), v.minLength(1), v.maxLength(128))

/** An empty `tools` grants every tool that the server declares. */
export const McpAccess = v.strictObject({
  server: ServerName,
  tools: v.pipe(v.array(v.pipe(ToolName, usableName)), v.maxLength(limits.listTools)),
  expiresAt: v.optional(Time),
  maxCalls: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1_000_000_000))),
})

/** Without `tools`, the whole grant is revoked. */
export const McpRevoke = v.strictObject({
  server: ServerName,
  tools: v.optional(v.pipe(v.array(ToolName), v.minLength(1), v.maxLength(limits.listTools))),
})

/** A catalog entry with its name. Only an operator can add volumes. */
export const McpRegister = v.variant('transport', [
  v.strictObject({ name: ServerName, ...v.omit(LocalEntry, ['imageID', 'volumes']).entries }),
  v.strictObject({ name: ServerName, ...RemoteEntry.entries }),
])
