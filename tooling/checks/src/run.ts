// Runs checks two at a time, says in their order how each went, and starts no more once one has failed.
import { styleText } from 'node:util'
import type { Check, CheckContext, Outcome } from './check.ts'

export type Write = (text: string) => void

interface Result {
  readonly check: Check
  readonly outcome: Outcome
  readonly took: string
}

const lanes = 2

const seconds = (from: number): string => `${((performance.now() - from) / 1000).toFixed(1)} s`

const attempt = async (check: Check, context: CheckContext): Promise<Result> => {
  const began = performance.now()
  try {
    return { check, outcome: await check.run(context), took: seconds(began) }
  } catch (error) {
    const report = error instanceof Error ? (error.stack ?? error.message) : String(error)
    return { check, outcome: { ok: false, report }, took: seconds(began) }
  }
}

/** Nothing is printed after the output of a loud check. */
const describe = ({ check, outcome, took }: Result): string => {
  const { ok, report, figures } = outcome
  if (check.loud === true && (ok || report === '')) return ''
  return ok
    ? `${styleText('green', '✓')} ${check.name.padEnd(12)} ${took}${figures ? `, ${figures}` : ''}\n`
    : `${report}\n${styleText('red', '✗')} ${check.name} failed after ${took}\n`
}

/** Checks that may run at the same time; one that runs alone waits for all before it. */
const groupChecks = (checks: readonly Check[]): Check[][] => {
  const groups: Check[][] = []
  for (const check of checks) {
    const last = groups.at(-1)
    if (check.alone === true || last === undefined || last[0]?.alone === true) groups.push([check])
    else last.push(check)
  }
  return groups
}

const runGroup = async (group: readonly Check[], context: CheckContext, write: Write): Promise<string | undefined> => {
  const waiting = group.values()
  const results = new Map<Check, Result>()
  let [written, isStopped] = [0, false]
  const writeInOrder = (): void => {
    for (let next = results.get(group[written]!); next !== undefined; next = results.get(group[written]!)) {
      write(describe(next))
      written = next.outcome.ok ? written + 1 : group.length
    }
  }
  const runLane = async (): Promise<void> => {
    for (const check of waiting) {
      if (isStopped) return
      if (check.loud === true) write(`${styleText('dim', '▸')} ${check.name}\n`)
      const result = await attempt(check, context)
      results.set(check, result)
      if (!result.outcome.ok) isStopped = true
      writeInOrder()
    }
  }
  await Promise.all(Array.from({ length: lanes }, runLane))
  return group.find((check) => results.get(check)?.outcome.ok === false)?.name
}

/** Gives the name of the first check that failed, or undefined. */
export const runChecks = async (checks: readonly Check[], context: CheckContext, write: Write): Promise<string | undefined> => {
  for (const group of groupChecks(checks)) {
    const failed = await runGroup(group, context, write)
    if (failed !== undefined) return failed
  }
  return undefined
}
