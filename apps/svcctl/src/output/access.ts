// Effective access of a group: what a change adds, removes and puts under other terms. What stays is only counted.
import { styleText } from 'node:util'
import type { Power, PowerMark, Reach } from '@gatehouse/contracts'
import { visible } from './visible.ts'

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

export const accessTitle = (group: string): string => `Effective access of ${visible(group)}`

/** Empty for a change that is no longer pending. */
export const accessLines = ({ can, could }: Pick<Reach, 'can' | 'could'>, stream: NodeJS.WritableStream): string[] => {
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
