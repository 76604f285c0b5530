// One change for people: what it would do, who asked, what is known about it, what was decided.
import { styleText } from 'node:util'
import type { Change, ChangeView, Preview } from '@gatehouse/contracts'
import { age } from './age.ts'
import { diffLines } from './diff.ts'
import { evidenceLines } from './evidence.ts'
import { visible } from './visible.ts'

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
