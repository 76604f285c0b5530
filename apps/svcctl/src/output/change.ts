// One change for people: what it would do, who asked, what is known about it, what was decided.
import { styleText } from 'node:util'
import type { Change } from '@gatehouse/contracts'
import { age } from './age.ts'
import { diffLines } from './diff.ts'
import { visible, visibleLines } from './visible.ts'

const field = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [`${name.padEnd(10)} ${visible(value)}`])

const section = (name: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', name, ...lines.map((line) => `  ${line}`)]

const decisionLines = (change: Change): string[] =>
  change.decisions.map(({ outcome, by, principal, at, reason }) => {
    const because = reason === undefined ? '' : `: ${visible(reason)}`
    return `${outcome} by ${visible(by)} (${visible(principal)}) ${at}${because}`
  })

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

export const renderChange = (change: Change, stream: NodeJS.WritableStream): string => {
  const { failure } = change
  const evidence = change.evidence === null ? ['none'] : visibleLines(JSON.stringify(change.evidence, null, 2)).split('\n')
  const lines = [
    `${change.id}  ${styleText(stateColours[change.state], change.state, { stream })}  ${change.risk} risk`,
    visible(change.summary),
    '',
    ...field('kind', change.kind),
    ...field('group', change.agentGroupID),
    ...field('requested', `by ${change.requestedBy} (${change.principal}) ${change.createdAt}, ${age(change.createdAt)} ago`),
    ...field('reason', change.reason),
    ...field('digest', change.digest),
    ...field('applied', change.appliedAt),
    ...field('failure', failure === undefined ? undefined : `${failure.rule}: ${failure.reason}`),
    ...section('Diff', diffLines(change, stream)),
    ...section('Evidence', evidence),
    ...section('Decisions', decisionLines(change)),
  ]
  return `${lines.join('\n')}\n`
}
