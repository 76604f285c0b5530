// Renders one change for people: what it does, why its risk is what it is, what it alters, its evidence, and the next command to type.
import { styleText } from 'node:util'
import {
  type Change,
  type ChangeView,
  isRetryable,
  type Power,
  type PowerMark,
  type Preview,
  type Reach,
  reservedPrincipals,
} from '@gatehouse/contracts'
import { riskStyles, stateStyles } from './change-table.ts'
import { diffLines, type Meaning } from './diff.ts'
import { evidenceLines } from './evidence.ts'
import { wrap } from './table.ts'
import { relative, visible } from './values.ts'

const marks: Readonly<Record<PowerMark, string>> = {
  destructive: 'DESTRUCTIVE',
  'read-only': 'read-only',
  writes: 'WRITES',
  'runs-programs': 'RUNS PROGRAMS',
  every: 'EVERY TOOL, ALSO LATER ONES',
  undeclared: 'not declared now',
  'server-gone': 'server not in the catalog',
  anybody: 'OPEN TO STRANGERS',
}

const keyOf = ({ area, name }: Power): string => `${area} ${name}`
const termsOf = ({ detail, marks: own }: Power): string => JSON.stringify([detail, own])

const describe = ({ area, name, detail, marks: own }: Power): string => {
  const terms = detail === undefined ? '' : `, ${visible(detail)}`
  return `${area} ${visible(name)}${terms}${own.length === 0 ? '' : `  [${own.map((mark) => marks[mark]).join(', ')}]`}`
}

const accessTitle = (group: string): string => `Effective access of ${visible(group)}`

/** Empty for a change that is no longer pending. */
const accessLines = ({ can, could }: Pick<Reach, 'can' | 'could'>, stream: NodeJS.WritableStream): string[] => {
  if (could === undefined) return []
  const had = new Map((can ?? []).map((power) => [keyOf(power), power]))
  const has = new Set((could ?? []).map(keyOf))
  const added = (could ?? []).filter((power) => !had.has(keyOf(power)))
  const removed = (can ?? []).filter((power) => !has.has(keyOf(power)))
  const altered = (could ?? []).flatMap((power) => {
    const old = had.get(keyOf(power))
    return old === undefined || termsOf(old) === termsOf(power) ? [] : [{ old, power }]
  })
  const kept = (could ?? []).length - added.length - altered.length
  const colour = (style: 'green' | 'red' | 'yellow', text: string): string => styleText(style, text, { stream })
  return [
    `${added.length} added, ${removed.length} removed, ${altered.length} changed, ${kept} unchanged`,
    ...added.map((power) => colour('green', `+ ${describe(power)}`)),
    ...removed.map((power) => colour('red', `- ${describe(power)}`)),
    ...altered.map(({ old, power }) => colour('yellow', `~ ${describe(power)} (was ${visible(old.detail ?? 'without terms')})`)),
    ...(could === null ? [colour('red', 'The group is removed, with all its access.')] : []),
  ]
}

type Stream = NodeJS.WritableStream & Partial<Pick<NodeJS.WriteStream, 'isTTY' | 'columns'>>

const field = (name: string, value: string | undefined, stream: Stream): string[] =>
  value === undefined ? [] : [`${name.padEnd(10)} ${wrap(visible(value), 11, stream)}`]

const section = (name: string, lines: readonly string[], stream: Stream): string[] =>
  lines.length === 0 ? [] : ['', styleText('bold', name, { stream }), ...lines.map((line) => (line === '' ? '' : `  ${line}`))]

const decisionLines = (change: Change): string[] =>
  change.decisions.map(({ outcome, by, principal, via, at, reason }) => {
    const place = via === undefined ? '' : `, in ${via.channel} as ${visible(via.user)}`
    const because = reason === undefined ? '' : `: ${visible(reason)}`
    return `${outcome} by ${visible(by)} (authenticated as ${visible(principal)}${place}) ${relative(at)}${because}`
  })

const conditionLines = (change: Change | ChangeView): string[] =>
  'conditions' in change
    ? change.conditions.map(({ session, status, reason }) => `${session} ${status}${reason === undefined ? '' : `: ${visible(reason)}`}`)
    : []

/** No named tool in a grant means every tool of the server. */
const meaningOf =
  ({ kind }: Pick<Change, 'kind'>): Meaning =>
  (name, value) =>
    kind === 'mcp_access' && name === 'tools' && Array.isArray(value) && value.length === 0
      ? 'every tool the server declares, now and later'
      : undefined

const count = (number: number, word: string): string => `${number} ${word}${number === 1 ? '' : 's'}`

/** Who can decide, and what is missing. The gateway decides in the end. */
const approvalLines = ({ state, kind, approvals: { needed, given }, principal }: Change): string[] => {
  if (state !== 'held') return []
  const unnamed = reservedPrincipals.some((name) => name === principal)
  const ownAllowed = needed === 1 && (unnamed || kind === 'mcp_revoke')
  const requester = ownAllowed ? `including ${principal}, who requested it` : `except ${principal}, who requested it`
  return [
    `${count(needed, 'approval')} needed, ${given} given, ${needed - given} missing`,
    `who may approve: the roles approver and admin, ${visible(requester)}`,
  ]
}

/** `by` is the label that the reader would give. */
const nextLines = (change: Change, by: string): string[] => {
  const { id, state, kind } = change
  switch (state) {
    case 'held':
      return [`svcctl change approve ${id} --by ${by}`, `svcctl change reject ${id} --by ${by} --reason TEXT`]
    case 'approved':
      return [`svcctl change reject ${id} --by ${by}`]
    case 'apply_failed':
      return isRetryable(change) ? [`svcctl change retry ${id} --by ${by}`] : [`svcctl change reject ${id} --by ${by}`]
    case 'applied':
      return kind === 'mcp_register' ? [] : [`svcctl change revert ${id}`]
    default:
      return []
  }
}

interface ChangeOptions {
  readonly stream: Stream
  /** Label of the reader, for the next command; absent where the reader is asked instead. */
  readonly by?: string | undefined
  /** Why the risk is high, and the effective access; absent where it could not be read. */
  readonly reach?: Reach | undefined
}

const headOf = ({ id, state, risk }: Change, stream: Stream): string =>
  `${id}  ${styleText(stateStyles[state], state, { stream })}  ${styleText(riskStyles[risk], `${risk} risk`, { stream })}`

const requestedOf = ({ requestedBy, principal, createdAt }: Change): string =>
  `by ${requestedBy} (authenticated as ${principal}) ${relative(createdAt)}`

export const renderChange = (change: Change | ChangeView, { stream, by, reach }: ChangeOptions): string => {
  const { failure, risk, expiresAt, appliedAt } = change
  const bullets = (reach?.why ?? []).map((sentence) => `- ${wrap(visible(sentence), 4, stream)}`)
  const lines = [
    headOf(change, stream),
    wrap(visible(change.summary), 0, stream),
    '',
    ...field('kind', change.kind, stream),
    ...field('group', change.agentGroupID, stream),
    ...field('requested', requestedOf(change), stream),
    ...field('reason', change.reason, stream),
    ...field('warning', change.afterToolOutput === true ? 'requested by an agent after it had read output of a tool' : undefined, stream),
    ...field('expires', change.state === 'held' && expiresAt !== undefined ? relative(expiresAt) : undefined, stream),
    ...field('applied', appliedAt === undefined ? undefined : relative(appliedAt), stream),
    ...field('failure', failure === undefined ? undefined : `${failure.rule}: ${failure.reason}`, stream),
    ...field('digest', change.digest, stream),
    ...(reach?.moved === true
      ? ['', styleText('red', 'The state has changed since this was requested: an approval is refused.', { stream })]
      : []),
    ...section(`Why ${risk} risk`, bullets, stream),
    ...section('Changes', diffLines(change, { stream, meaning: meaningOf(change) }), stream),
    ...section(accessTitle(change.agentGroupID), reach === undefined ? [] : accessLines(reach, stream), stream),
    ...section('Evidence', evidenceLines(change.evidence, stream), stream),
    ...section('Decisions', decisionLines(change), stream),
    ...section(
      'Approval',
      approvalLines(change).map((line) => wrap(line, 2, stream)),
      stream,
    ),
    ...section('Sessions', conditionLines(change), stream),
    ...section('Next', by === undefined ? [] : nextLines(change, by), stream),
  ]
  return `${lines.join('\n')}\n`
}

interface PreviewOptions {
  readonly stream: Stream
  readonly kind: string
}

/** The result that a submission would have. */
export const renderPreview = (preview: Preview, { stream, kind }: PreviewOptions): string => {
  const { failure } = preview
  const lines = [
    `${styleText(stateStyles[preview.state], `would be ${preview.state}`, { stream })}  ${preview.risk} risk`,
    wrap(visible(preview.summary), 0, stream),
    ...field('failure', failure === undefined ? undefined : `${failure.rule}: ${failure.reason}`, stream),
    ...section('Changes', diffLines(preview, { stream, meaning: meaningOf({ kind: kind as Change['kind'] }) }), stream),
    ...section('Evidence', evidenceLines(preview.evidence, stream), stream),
  ]
  return `${lines.join('\n')}\n`
}
