// Looks at every step, makes or removes, and looks again.
import { reasonOf } from './reason.ts'
import type { Condition, Site, Step } from './step.ts'

export interface Row {
  readonly name: string
  readonly condition: Condition
}

export const lookAll = async (steps: readonly Step[], site: Site): Promise<Row[]> => {
  const rows: Row[] = []
  for (const step of steps) rows.push({ name: step.name, condition: await step.look(site) })
  return rows
}

/** What could not be made, in words: it keeps nothing from the others. */
export const makeAll = async (steps: readonly Step[], site: Site): Promise<string[]> => {
  const faults: string[] = []
  for (const step of steps) {
    const { state } = await step.look(site)
    const act = state === 'lacking' ? step.make(site) : state === 'blocked' ? step.withdraw?.(site) : undefined
    await act?.catch((error: unknown) => faults.push(`${step.name} was not made: ${reasonOf(error)}`))
  }
  return faults
}

/** What stays, in words. */
export const removeAll = async (steps: readonly Step[], site: Site): Promise<string[]> => {
  const left: string[] = []
  for (const step of steps.toReversed()) {
    const stays = await step.remove(site)
    if (stays !== undefined) left.push(stays)
  }
  return left
}

export const renderTable = (title: string, rows: readonly Row[]): string =>
  [title, ...rows.map(({ name, condition }) => `  ${name.padEnd(16)} ${condition.state.padEnd(8)} ${condition.says}`), ''].join('\n')
