// What an approver is shown beside a change: what its witness reported, or what the change itself says in plain words.
import * as v from 'valibot'
import { Channel } from './channel-table.ts'
import { Digest, ServerName, Time } from './ids.ts'
import { dictionary } from './json.ts'
import { PackageLock, PackageName, TreeRefusal } from './kinds/packages.ts'
import { MountSighting, ToolDefinition } from './registry.ts'

/** A tool that is no longer what was approved. A member is absent where that definition is not known or not there. */
export const Drift = v.strictObject({ tool: v.string(), was: v.optional(ToolDefinition), now: v.optional(ToolDefinition) })
export type Drift = v.InferOutput<typeof Drift>

const seen = {
  server: ServerName,
  entryDigest: Digest,
  at: Time,
  /** Seconds between the observation and the change. */
  age: v.number(),
  /** Tools asked for that the server did not declare. */
  missing: v.array(v.string()),
}

/** What a new tool server is and what it will be given, in full. */
const Described = v.strictObject({
  status: v.literal('described'),
  server: ServerName,
  transport: v.picklist(['stdio', 'http']),
  command: v.optional(v.string()),
  args: v.optional(v.array(v.string())),
  image: v.optional(v.string()),
  url: v.optional(v.string()),
  sharing: v.optional(v.string()),
  reach: v.optional(v.string()),
  /** One sentence for each value that leaves the host or reaches the program. */
  sends: v.array(v.string()),
})
export type Described = v.InferOutput<typeof Described>

/** Who will be heard at the addresses that it is about, as the registry has it. */
const Heard = v.strictObject({
  status: v.literal('heard'),
  places: v.array(v.strictObject({ channel: Channel, address: v.string(), people: v.union([v.literal('anyone'), v.array(v.string())]) })),
})
export type Heard = v.InferOutput<typeof Heard>

export const Evidence = v.variant('status', [
  v.strictObject({ status: v.literal('observed'), ...seen, tools: v.array(ToolDefinition), drift: v.optional(v.array(Drift), []) }),
  /** More than `limits.evidence`: names and digests; the whole is kept under `definitions`. */
  v.strictObject({
    status: v.literal('too-large'),
    ...seen,
    names: v.array(v.string()),
    drifted: v.optional(v.array(v.string()), []),
    definitions: Digest,
    pins: v.optional(dictionary(v.string(), Digest), {}),
  }),
  /** What the runner found at each path. */
  v.strictObject({ status: v.literal('sighted'), at: Time, age: v.number(), mounts: v.array(v.omit(MountSighting, ['at'])) }),
  /** What the names resolve to: the whole tree. */
  v.strictObject({
    status: v.literal('resolved'),
    at: Time,
    age: v.number(),
    names: v.array(PackageName),
    tree: Digest,
    lock: PackageLock,
  }),
  /** Why the runner could not resolve them. */
  v.strictObject({ status: v.literal('unresolved'), at: Time, age: v.number(), names: v.array(PackageName), refused: TreeRefusal }),
  Described,
  Heard,
  /** No witness in time. `entryDigest` says which server it would have been, `sources` which paths, `names` which packages. */
  v.strictObject({
    status: v.literal('unavailable'),
    server: v.optional(ServerName),
    entryDigest: v.optional(Digest),
    sources: v.optional(v.array(v.string())),
    names: v.optional(v.array(PackageName)),
  }),
])
export type Evidence = v.InferOutput<typeof Evidence>
