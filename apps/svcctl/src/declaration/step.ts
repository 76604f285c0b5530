// One step of a plan: a change to submit, one that depends on another, or one that no change can make.
import { styleText } from 'node:util'
import type { Kind } from '@gatehouse/contracts'
import { visible, visibleLines } from '../output/values.ts'

export interface Step {
  readonly kind: Kind
  readonly group: string
  readonly after: Record<string, unknown>
  /** What is there now, for people; null for nothing. */
  readonly before: Record<string, unknown> | null
  /** What must be there first. */
  readonly waitsFor?: string
}

export interface Plan {
  readonly steps: readonly Step[]
  /** Differences that only somebody with the right to it can mend, each a sentence with the command. */
  readonly others: readonly string[]
}

/** What a unit lacks of a declaration, as lines that begin with + or -. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const linesOf = (sign: string, name: string, value: unknown): string[] => {
  const [first = '', ...rest] = visibleLines(textOf(value)).split('\n')
  return [`  ${sign} ${visible(name)}: ${first}`, ...rest.map((line) => `  ${sign}   ${line}`)]
}

const stepLines = ({ kind, group, before, after, waitsFor }: Step, stream: NodeJS.WritableStream): string[] => {
  const head = `${kind} ${visible(group)}${waitsFor === undefined ? '' : ` (waits for ${visible(waitsFor)})`}`
  const changed = Object.entries(after).filter(([name, value]) => !isEqual(value, before?.[name]))
  const gone = Object.entries(before ?? {}).filter(([name]) => !isEqual(after[name], before?.[name]))
  return [
    head,
    ...gone.flatMap(([name, value]) => linesOf('-', name, value)).map((line) => styleText('red', line, { stream })),
    ...changed.flatMap(([name, value]) => linesOf('+', name, value)).map((line) => styleText('green', line, { stream })),
  ]
}

/** The empty string where nothing is missing. */
export const renderSteps = (steps: readonly Step[], stream: NodeJS.WritableStream): string =>
  steps.flatMap((step) => stepLines(step, stream)).join('\n')
