// Renders one change for people: its effect, its requester, its evidence and its decisions.
import { styleText } from 'node:util'
import { type Change, type ChangeView, dictionary, Evidence, type Preview, type ToolDefinition } from '@gatehouse/contracts'
import * as v from 'valibot'
import { diffLines } from './diff.ts'
import { age } from './time.ts'
import { visible, visibleLines } from './visible.ts'

/** What an approver is shown beside a change, in words where words leave nothing out, else as it is. */
type Observed = Extract<Evidence, { readonly status: 'observed' }>

const asItIs = (value: unknown): string[] => visibleLines(JSON.stringify(value, null, 2)).split('\n')

const Property = v.object({ type: v.picklist(['string', 'number', 'integer', 'boolean']), description: v.optional(v.string()) })
const Plain = v.object({
  $schema: v.optional(v.pipe(v.string(), v.regex(/^https?:\/\/json-schema\.org\/[a-z0-9/-]{1,40}#?$/))),
  type: v.literal('object'),
  properties: v.optional(dictionary(v.string(), Property), {}),
  required: v.optional(v.array(v.string()), []),
  additionalProperties: v.optional(v.literal(false)),
})

/** A strict object of the library takes names such as `constructor` for known ones. */
const hasOnly = (value: unknown, { entries }: { readonly entries: object }): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).every((name) => Object.hasOwn(entries, name))

/** Undefined where a line for each argument would not tell all. */
const plainOf = (schema: ToolDefinition['inputSchema']): v.InferOutput<typeof Plain> | undefined => {
  const parsed = v.safeParse(Plain, schema)
  if (!parsed.success || !hasOnly(schema, Plain)) return undefined
  const { properties, required } = parsed.output
  const isTold = Object.values(schema['properties'] ?? {}).every((property) => hasOnly(property, Property))
  return isTold && required.every((name) => Object.hasOwn(properties, name)) ? parsed.output : undefined
}

const argumentLines = (schema: ToolDefinition['inputSchema']): string[] => {
  const plain = plainOf(schema)
  if (plain === undefined) return ['arguments', ...asItIs(schema).map((line) => `  ${line}`)]
  const lines = Object.entries(plain.properties).map(([name, { type, description }]) => {
    const about = description === undefined ? '' : `: ${visible(description)}`
    return `argument   ${visible(name)} (${type}${plain.required.includes(name) ? '' : ', may be left out'})${about}`
  })
  if (lines.length === 0) return ['argument   none']
  return plain.additionalProperties === false ? lines : [...lines, 'argument   others are not refused']
}

const toolLines = ({ name, title, description, annotations, outputSchema, inputSchema }: ToolDefinition): string[] => {
  const about = description === undefined ? ['without a description'] : visibleLines(description).split('\n')
  const lines = [
    ...(title === undefined ? [] : [`title      ${visible(title)}`]),
    ...about.map((line, index) => `${index === 0 ? 'says       ' : '           '}${line}`),
    ...argumentLines(inputSchema),
    ...(annotations === undefined ? [] : [`hints      ${visible(JSON.stringify(annotations))}`]),
    ...(outputSchema === undefined ? [] : ['answers', ...asItIs(outputSchema).map((line) => `  ${line}`)]),
  ]
  return [visible(name), ...lines.map((line) => `  ${line}`)]
}

const observedLines = ({ server, entryDigest, at, age, missing, tools, drift }: Observed): string[] => [
  `${visible(server)} declared this at ${at}, ${age}s before the change was asked for`,
  `its entry in the catalog: ${entryDigest}`,
  ...(missing.length === 0 ? [] : [`asked for, and not declared: ${visible(missing.join(', '))}`]),
  ...tools.flatMap((tool) => ['', ...toolLines(tool)]),
  ...(drift.length === 0 ? [] : ['', 'No longer what was approved', ...asItIs(drift).map((line) => `  ${line}`)]),
]

type Heard = Extract<Evidence, { readonly status: 'heard' }>

const heardLines = ({ places }: Heard): string[] =>
  places.length === 0
    ? ['it is wired nowhere']
    : places.map(({ channel, address, people }) => {
        const who = people === 'anyone' ? 'anyone who can write there' : people.map(visible).join(', ') || 'nobody'
        return `heard at ${channel} ${visible(address)}: ${who}`
      })

export const evidenceLines = (evidence: Change['evidence']): string[] => {
  if (evidence === null) return ['none']
  const parsed = v.safeParse(Evidence, evidence)
  if (!parsed.success) return asItIs(evidence)
  const { output } = parsed
  if (output.status === 'heard') return heardLines(output)
  return output.status === 'observed' ? observedLines(output) : asItIs(evidence)
}

const field = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [`${name.padEnd(10)} ${visible(value)}`])

const section = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', name, ...lines.map((line) => (line === '' ? '' : `  ${line}`))]

const decisionLines = (change: Change): string[] =>
  change.decisions.map(({ outcome, by, principal, via, at, reason }) => {
    const place = via === undefined ? '' : `, in ${via.channel} as ${visible(via.user)}`
    const because = reason === undefined ? '' : `: ${visible(reason)}`
    return `${outcome} by ${visible(by)} (${visible(principal)}${place}) ${at}${because}`
  })

const conditionLines = ({ conditions }: ChangeView): string[] =>
  conditions.map(({ session, status, reason }) => `${session} ${status}${reason === undefined ? '' : `: ${visible(reason)}`}`)

const stateColours = {
  held: 'yellow',
  applied: 'green',
  approved: 'green',
  refused: 'red',
  rejected: 'red',
  withdrawn: 'gray',
  expired: 'gray',
  apply_failed: 'red',
} as const

export const renderChange = (change: Change | ChangeView, stream: NodeJS.WritableStream): string => {
  const { failure } = change
  const lines = [
    `${change.id}  ${styleText(stateColours[change.state], change.state, { stream })}  ${change.risk} risk`,
    visible(change.summary),
    '',
    ...field('kind', change.kind),
    ...field('group', change.agentGroupID),
    ...field('requested', `by ${change.requestedBy} (${change.principal}) ${change.createdAt}, ${age(change.createdAt)} ago`),
    ...field('reason', change.reason),
    ...field('approvals', change.approvals.needed > 1 ? `${change.approvals.given} of ${change.approvals.needed}` : undefined),
    ...field('asked', change.afterToolOutput === true ? 'by an agent, after output of a tool had reached it' : undefined),
    ...field('expires', change.state === 'held' ? change.expiresAt : undefined),
    ...field('digest', change.digest),
    ...field('applied', change.appliedAt),
    ...field('failure', failure === undefined ? undefined : `${failure.rule}: ${failure.reason}`),
    ...section('Diff', diffLines(change, stream)),
    ...section('Evidence', evidenceLines(change.evidence)),
    ...section('Decisions', decisionLines(change)),
    ...section('Sessions', 'conditions' in change ? conditionLines(change) : []),
  ]
  return `${lines.join('\n')}\n`
}

/** What would become of a submission. */
export const renderPreview = (preview: Preview, stream: NodeJS.WritableStream): string => {
  const { failure } = preview
  const lines = [
    `${styleText(stateColours[preview.state], `would be ${preview.state}`, { stream })}  ${preview.risk} risk`,
    visible(preview.summary),
    ...field('failure', failure === undefined ? undefined : `${failure.rule}: ${failure.reason}`),
    ...section('Diff', diffLines(preview, stream)),
    ...section('Evidence', evidenceLines(preview.evidence)),
  ]
  return `${lines.join('\n')}\n`
}
