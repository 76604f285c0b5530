// What a unit lacks of a declaration, as lines that begin with + or -.
import { styleText } from 'node:util'
import type { Step } from '../declaration/step.ts'
import { visible, visibleLines } from './visible.ts'

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
