// Schemas of `after` for changes of an agent group.
import * as v from 'valibot'
import { canonicalAddress, canonicalUser, Channel } from '../channel-table.ts'
import { AgentGroupID } from '../ids.ts'
import { limits } from '../limits.ts'

const Instructions = v.pipe(v.string(), v.maxBytes(limits.personaText, 'expected at most 64 KiB'))

/** `external`: a program outside the unit that uses the MCP endpoint and is not sandboxed. */
export const AgentKind = v.picklist(['mock', 'model', 'external'])
export type AgentKind = v.InferOutput<typeof AgentKind>

const label = /* @__NO_SIDE_EFFECTS__ */ (maxLength: number) =>
  v.pipe(v.string(), v.regex(/^[A-Za-z0-9][A-Za-z0-9._:/@-]*$/, 'expected letters, digits and . _ : / @ -'), v.maxLength(maxLength))

export const ModelChoice = v.strictObject({ provider: label(64), id: label(128) })
export type ModelChoice = v.InferOutput<typeof ModelChoice>

export const AgentCreate = v.strictObject({
  id: AgentGroupID,
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(128)),
  agent: AgentKind,
  persona: v.optional(Instructions),
  model: v.optional(ModelChoice),
})

export const AgentRemove = v.strictObject({})

export const Persona = v.strictObject({ instructions: Instructions })

/** Tools that the agent program itself provides. */
export const builtinTools = [
  'read_file',
  'write_file',
  'list_dir',
  'search',
  'send_message',
  'read_persona',
  'remember',
  'run_script',
  'request_capability_change',
] as const
export const BuiltinTool = v.picklist(builtinTools)
export type BuiltinTool = v.InferOutput<typeof BuiltinTool>

/** Tools that cannot be turned off: an agent needs them to answer and to request changes. */
export const alwaysOnTools = ['send_message', 'request_capability_change'] as const satisfies readonly BuiltinTool[]
/** Tools of a new group: all except the one that runs programs. */
export const defaultTools = builtinTools.filter((tool) => tool !== 'run_script')

const distinct = /* @__NO_SIDE_EFFECTS__ */ <S extends v.GenericSchema<unknown, string>>(item: S, most: number) =>
  v.pipe(
    v.array(item),
    v.maxLength(most),
    v.check((items) => new Set(items).size === items.length, 'each name must occur only once'),
  )

/** `alwaysOnTools` stay on even if they are not listed. */
export const Tools = v.strictObject({ enabled: distinct(BuiltinTool, builtinTools.length) })

/** A user or address in the channel's own format. */
const ChannelText = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(256))

export const Member = v.pipe(
  v.strictObject({ channel: Channel, user: ChannelText }),
  v.transform(({ channel, user }) => ({ channel, user: canonicalUser(channel, user) })),
)
export type Member = v.InferOutput<typeof Member>

const place = { channel: Channel, address: ChannelText }

const WiringPlace = v.pipe(
  v.strictObject(place),
  v.transform(({ channel, address }) => ({ channel, address: canonicalAddress(channel, address) })),
)

/** When an agent answers at an address. `pattern` is a regular expression, only for `engage: pattern`. */
export const WiringTerms = v.pipe(
  v.strictObject({
    ...place,
    engage: v.picklist(['all', 'mention', 'pattern']),
    pattern: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(256))),
    session: v.picklist(['shared', 'thread', 'person']),
  }),
  v.transform((terms) => ({ ...terms, address: canonicalAddress(terms.channel, terms.address) })),
  v.check(
    ({ address }) => address.length <= limits.channelText,
    `the address has over ${limits.channelText} characters in its canonical spelling: use a shorter one`,
  ),
)

export const Wiring = v.union([WiringTerms, v.strictObject({ remove: WiringPlace })])

const bound = /* @__NO_SIDE_EFFECTS__ */ (minimum: number, maximum: number) =>
  v.optional(v.pipe(v.number(), v.minValue(minimum), v.maxValue(maximum)))
const count = /* @__NO_SIDE_EFFECTS__ */ (minimum: number, maximum: number) =>
  v.optional(v.pipe(v.number(), v.integer(), v.minValue(minimum), v.maxValue(maximum)))

/** Bounds of a group's workspace in MiB. */
export const workspaceBounds = { least: 16, most: 16_777_216 } as const

/** Limits of a group, at most what one host can have. An absent limit is left unchanged. */
export const GroupLimits = v.strictObject({
  modelTokensPerDay: count(0, 1_000_000_000),
  callsPerMinute: count(1, 60_000),
  memoryMiB: count(64, 1_048_576),
  cpus: bound(0.1, 256),
  processes: count(8, 32_768),
  workspaceMiB: count(workspaceBounds.least, workspaceBounds.most),
})
export type GroupLimits = v.InferOutput<typeof GroupLimits>

/** A tool that runs at the model provider. */
const ProviderTool = label(128)

export const Permissions = v.pipe(
  v.strictObject({
    members: v.optional(v.pipe(v.array(Member), v.maxLength(1000))),
    model: v.optional(ModelChoice),
    limits: v.optional(GroupLimits),
    providerTools: v.optional(distinct(ProviderTool, 64)),
  }),
  v.check((after) => Object.keys(after).length > 0, 'expected at least one of members, model, limits and providerTools'),
)

/** A host directory or file that is mounted into a sandbox. */
export const Mount = v.strictObject({
  source: v.pipe(v.string(), v.regex(/^\/[^\0]*$/, 'expected an absolute path'), v.maxLength(4096)),
  target: v.pipe(v.string(), v.regex(/^\/mnt\/[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, 'expected /mnt/<name>')),
  mode: v.picklist(['ro', 'rw']),
})
export type Mount = v.InferOutput<typeof Mount>

/** The full list of mounts of the group. Mounts that are not listed are removed. */
export const Mounts = v.strictObject({
  mounts: v.pipe(
    v.array(Mount),
    v.maxLength(16),
    v.check((mounts) => new Set(mounts.map(({ target }) => target)).size === mounts.length, 'each target must occur only once'),
  ),
})
