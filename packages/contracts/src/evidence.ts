// Evidence that an approver is shown with a change: reports of the broker and the runner, or facts from the change itself.
import * as v from 'valibot'
import { Channel } from './channel-table.ts'
import { Digest, ServerName, Time } from './ids.ts'
import { dictionary } from './json.ts'
import { PackageLock, PackageName, TreeRefusal } from './kinds/packages.ts'
import { MountSighting, ToolDefinition } from './registry.ts'

/** A tool whose definition differs from the approved one. A definition is absent if it is unknown or does not exist. */
export const Drift = v.strictObject({ tool: v.string(), was: v.optional(ToolDefinition), now: v.optional(ToolDefinition) })
export type Drift = v.InferOutput<typeof Drift>

const observation = {
  server: ServerName,
  entryDigest: Digest,
  at: Time,
  /** Seconds between the observation and the change. */
  age: v.number(),
  /** Requested tools that the server did not declare. */
  missing: v.array(v.string()),
}

/** A new tool server with everything that it receives. */
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
  /** One sentence for each value that is sent to the server or the program. */
  sends: v.array(v.string()),
})
export type Described = v.InferOutput<typeof Described>

/** The people who can message the group at the addresses of the change. */
const Heard = v.strictObject({
  status: v.literal('heard'),
  places: v.array(v.strictObject({ channel: Channel, address: v.string(), people: v.union([v.literal('anyone'), v.array(v.string())]) })),
})
export type Heard = v.InferOutput<typeof Heard>

export const Evidence = v.variant('status', [
  v.strictObject({ status: v.literal('observed'), ...observation, tools: v.array(ToolDefinition), drift: v.optional(v.array(Drift), []) }),
  /** Larger than `limits.evidence`: only names and digests. The definitions are stored under the digest `definitions`. */
  v.strictObject({
    status: v.literal('too-large'),
    ...observation,
    names: v.array(v.string()),
    drifted: v.optional(v.array(v.string()), []),
    definitions: Digest,
    pins: v.optional(dictionary(v.string(), Digest), {}),
  }),
  /** The runner's inspection of each path. */
  v.strictObject({ status: v.literal('sighted'), at: Time, age: v.number(), mounts: v.array(v.omit(MountSighting, ['at'])) }),
  /** The package tree that the names resolve to. */
  v.strictObject({
    status: v.literal('resolved'),
    at: Time,
    age: v.number(),
    names: v.array(PackageName),
    tree: Digest,
    lock: PackageLock,
  }),
  /** The reason why the runner could not resolve the names. */
  v.strictObject({ status: v.literal('unresolved'), at: Time, age: v.number(), names: v.array(PackageName), refused: TreeRefusal }),
  Described,
  Heard,
  /** No evidence arrived in time for the server, the paths in `sources` or the packages in `names`. */
  v.strictObject({
    status: v.literal('unavailable'),
    server: v.optional(ServerName),
    entryDigest: v.optional(Digest),
    sources: v.optional(v.array(v.string())),
    names: v.optional(v.array(PackageName)),
  }),
])
export type Evidence = v.InferOutput<typeof Evidence>
