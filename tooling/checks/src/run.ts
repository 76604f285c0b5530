// Runs checks one after the other, says how each went, and stops at the first that fails.
import { styleText } from 'node:util'
import type { Check, CheckContext, Outcome } from './check.ts'

export type Write = (text: string) => void

const seconds = (from: number): string => `${((performance.now() - from) / 1000).toFixed(1)} s`

const attempt = async (check: Check, context: CheckContext): Promise<Outcome> => {
  try {
    return await check.run(context)
  } catch (error) {
    return { ok: false, report: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** Gives the name of the check that failed, or undefined. Nothing is printed after the output of a loud check. */
export const runChecks = async (checks: readonly Check[], context: CheckContext, write: Write): Promise<string | undefined> => {
  for (const check of checks) {
    if (check.loud === true) write(`${styleText('dim', '▸')} ${check.name}\n`)
    const began = performance.now()
    const outcome = await attempt(check, context)
    if (!outcome.ok) {
      if (check.loud === true && outcome.report === '') return check.name
      write(`${outcome.report}\n`)
      write(`${styleText('red', '✗')} ${check.name} failed after ${seconds(began)}\n`)
      return check.name
    }
    if (check.loud !== true)
      write(`${styleText('green', '✓')} ${check.name.padEnd(12)} ${seconds(began)}${outcome.figures ? `, ${outcome.figures}` : ''}\n`)
  }
  return undefined
}
