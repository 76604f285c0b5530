// The shapes of `after` for tool servers: a grant, its end, a new entry of the catalog.
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

/** Without `tools` the whole grant goes. */
export const McpRevoke = v.strictObject({
  server: ServerName,
  tools: v.optional(v.pipe(v.array(ToolName), v.minLength(1), v.maxLength(limits.listTools))),
})

/** A catalog entry under its name. Paths of the host are added by an operator alone. */
export const McpRegister = v.variant('transport', [
  v.strictObject({ name: ServerName, ...v.omit(LocalEntry, ['imageID', 'volumes']).entries }),
  v.strictObject({ name: ServerName, ...RemoteEntry.entries }),
])
