// The evidence of a change: what its witness reported, as tables where these leave nothing out, else as it is.
import { styleText } from 'node:util'
import { type Change, dictionary, Evidence, type ToolDefinition } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Column, type Place, type Style, table } from './table.ts'
import { relative, visible, visibleLines } from './values.ts'

type Observed = Extract<Evidence, { readonly status: 'observed' }>

const asJson = (value: unknown): string[] => visibleLines(JSON.stringify(value, null, 2)).split('\n')

const Property = v.object({ type: v.picklist(['string', 'number', 'integer', 'boolean']), description: v.optional(v.string()) })
const PlainSchema = v.object({
  $schema: v.optional(v.pipe(v.string(), v.regex(/^https?:\/\/json-schema\.org\/[a-z0-9/-]{1,40}#?$/))),
  type: v.literal('object'),
  properties: v.optional(dictionary(v.string(), Property), {}),
  required: v.optional(v.array(v.string()), []),
  additionalProperties: v.optional(v.literal(false)),
})

/** A strict object of valibot accepts names such as `constructor` as known. */
const hasOnly = (value: unknown, { entries }: { readonly entries: object }): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).every((name) => Object.hasOwn(entries, name))

/** Undefined where one line per argument would leave something out. */
const parsePlain = (schema: ToolDefinition['inputSchema']): v.InferOutput<typeof PlainSchema> | undefined => {
  const parsed = v.safeParse(PlainSchema, schema)
  if (!parsed.success || !hasOnly(schema, PlainSchema)) return undefined
  const { properties, required } = parsed.output
  const isComplete = Object.values(schema['properties'] ?? {}).every((property) => hasOnly(property, Property))
  return isComplete && required.every((name) => Object.hasOwn(properties, name)) ? parsed.output : undefined
}

const argumentLines = (schema: ToolDefinition['inputSchema']): string[] => {
  const plain = parsePlain(schema)
  if (plain === undefined) return ['arguments', ...asJson(schema).map((line) => `  ${line}`)]
  const lines = Object.entries(plain.properties).map(([name, { type, description }]) => {
    const about = description === undefined ? '' : `: ${visible(description)}`
    return `argument   ${visible(name)} (${type}${plain.required.includes(name) ? '' : ', optional'})${about}`
  })
  if (lines.length === 0) return ['argument   none']
  return plain.additionalProperties === false ? lines : [...lines, 'argument   additional arguments: allowed']
}

const toolLines = ({ name, title, description, annotations, outputSchema, inputSchema }: ToolDefinition): string[] => {
  const about = description === undefined ? ['no description'] : visibleLines(description).split('\n')
  const lines = [
    ...(title === undefined ? [] : [`title      ${visible(title)}`]),
    ...about.map((line, index) => `${index === 0 ? 'about      ' : '           '}${line}`),
    ...argumentLines(inputSchema),
    ...(annotations === undefined ? [] : [`hints      ${visible(JSON.stringify(annotations))}`]),
    ...(outputSchema === undefined ? [] : ['answers', ...asJson(outputSchema).map((line) => `  ${line}`)]),
  ]
  return [visible(name), ...lines.map((line) => `  ${line}`)]
}

type Toned = (tone: Style, text: string) => string

/** What the server itself says of a tool; nothing where it says nothing. */
const toolMark = ({ annotations = {} }: ToolDefinition): string => {
  if (annotations['destructiveHint'] === true) return 'DESTRUCTIVE'
  return annotations['readOnlyHint'] === true ? 'read-only' : '-'
}

const toolColumns: readonly Column<ToolDefinition>[] = [
  { name: 'TOOL', value: ({ name }) => name },
  { name: 'EFFECT', value: toolMark, style: (tool) => (toolMark(tool) === 'DESTRUCTIVE' ? ['bold', 'red'] : undefined) },
  { name: 'DESCRIPTION', value: ({ title, description }) => title ?? description ?? '-', flexible: true },
]

const tableLines = <R>(columns: readonly Column<R>[], rows: readonly R[], stream: NodeJS.WritableStream): string[] => {
  const place = inset(stream)
  return table(columns, rows, place)
    .trimEnd()
    .split('\n')
    .filter((line) => line !== '')
}

/** A terminal for what is shown two columns further in; a pipe is given aligned columns too, since people read a change. */
const inset = (stream: NodeJS.WritableStream): Place => {
  const { columns = 0, isTTY = false } = stream as Partial<NodeJS.WriteStream>
  return isTTY ? Object.assign(Object.create(stream) as Place, { columns: Math.max(0, columns - 2) }) : { isTTY: true }
}

const driftLines = (drift: Observed['drift'], toned: Toned): string[] =>
  drift.length === 0
    ? []
    : ['', toned('red', `Tool definitions changed since approval: ${drift.map(({ tool }) => visible(tool)).join(', ')}`), ...asJson(drift)]

const observedLines = ({ server, entryDigest, at, missing, tools, drift }: Observed, stream: NodeJS.WritableStream): string[] => {
  const toned: Toned = (tone, text) => styleText(tone, text, { stream })
  return [
    `Tools that ${visible(server)} declared ${relative(at)} (${at}).`,
    `catalog entry ${entryDigest}`,
    ...(missing.length === 0 ? [] : [toned('red', `requested, but not declared: ${visible(missing.join(', '))}`)]),
    ...tableLines(toolColumns, tools, stream),
    ...tools.flatMap((tool) => ['', ...toolLines(tool)]),
    ...driftLines(drift, toned),
  ]
}

type Of<S extends Evidence['status']> = Extract<Evidence, { readonly status: S }>

const heardLines = ({ places }: Of<'heard'>): string[] =>
  places.length === 0
    ? ['no channel address is routed to it']
    : places.map(({ channel, address, people }) => {
        const who = people === 'anyone' ? 'anyone who can write there' : people.map(visible).join(', ') || 'nobody'
        return `${channel} ${visible(address)}: ${who}`
      })

type Mount = Of<'sighted'>['mounts'][number]

const mountColumns: readonly Column<Mount>[] = [
  { name: 'PATH', value: ({ source }) => source },
  { name: 'TYPE', value: ({ type }) => type ?? 'missing', style: ({ type }) => (type === undefined ? 'red' : undefined) },
  { name: 'REAL PATH', value: ({ real }) => real ?? '-' },
  { name: 'OWNER', value: ({ owner }) => (owner === undefined ? '-' : `uid ${owner}`) },
  { name: 'MODE', value: ({ mode }) => mode ?? '-' },
  { name: 'DEVICE', value: ({ device, inode }) => (device === undefined ? '-' : `${device}:${inode ?? ''}`) },
]

type Package = Of<'resolved'>['lock']['packages'][number]

const listed = (names: readonly string[]): string => (names.length === 0 ? '-' : names.join(', '))

const packageColumns: readonly Column<Package>[] = [
  { name: 'PACKAGE', value: ({ path }) => path.replaceAll('node_modules/', '') },
  { name: 'VERSION', value: ({ version }) => version },
  { name: 'SCRIPTS', value: ({ scripts }) => listed(scripts) },
  { name: 'MACHINE CODE', value: ({ binaries }) => listed(binaries) },
]

/** The integrity of each tarball is in the JSON; the digest of the tree covers them all. */
const resolvedLines = ({ names, at, tree, lock }: Of<'resolved'>, stream: NodeJS.WritableStream): string[] => [
  `${names.map(visible).join(', ')} resolved ${relative(at)} to ${lock.packages.length} packages, ${lock.bytes} bytes, tree ${tree}`,
  ...tableLines(packageColumns, lock.packages, stream),
]

const noWitness = (evidence: Of<'unavailable'>, stream: NodeJS.WritableStream): string[] => {
  const what = evidence.server ?? evidence.sources?.join(', ') ?? evidence.names?.join(', ')
  return [
    styleText('yellow', `None: ${what === undefined ? 'nothing' : visible(what)} could not be inspected in time.`, { stream }),
    'Approve only if you know what is there.',
    ...(evidence.entryDigest === undefined ? [] : [`catalog entry ${evidence.entryDigest}`]),
  ]
}

/** Evidence of a known form as tables and sentences that leave nothing out; any other as JSON. */
export const evidenceLines = (evidence: Change['evidence'], stream: NodeJS.WritableStream): string[] => {
  if (evidence === null) return ['none']
  const parsed = v.safeParse(Evidence, evidence)
  if (!parsed.success) return asJson(evidence)
  const { output } = parsed
  switch (output.status) {
    case 'observed':
      return observedLines(output, stream)
    case 'heard':
      return heardLines(output)
    case 'sighted':
      return [`Paths as the runner found them ${relative(output.at)}`, ...tableLines(mountColumns, output.mounts, stream)]
    case 'resolved':
      return resolvedLines(output, stream)
    case 'unavailable':
      return noWitness(output, stream)
    case 'unresolved':
      return [styleText('red', `${visible(output.refused.rule)}: ${visible(output.refused.reason)}`, { stream })]
    case 'described':
    case 'too-large':
      return asJson(output)
  }
}
