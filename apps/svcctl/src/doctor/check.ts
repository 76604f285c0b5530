// A check of `svcctl doctor`, the context that it reads, and the runner of all checks. No check writes anything.
import { existsSync } from 'node:fs'
import * as v from 'valibot'
import type { Environment } from '../command.ts'
import { askUnit, type Unit, type UnitAddress } from '../connection/unit.ts'
import { findUnitDirectory, stateDirectories, type UnitDirectory } from '../journal/unit-directory.ts'
import { loginName } from '../submission/login-name.ts'

export type { Unit }

export const Finding = v.strictObject({
  check: v.string(),
  status: v.picklist(['pass', 'warn', 'fail']),
  detail: v.string(),
  /** A command line that mends it when typed. */
  fix: v.optional(v.string()),
  /** What to do where no line mends it. */
  advice: v.optional(v.string()),
})
export type Finding = v.InferOutput<typeof Finding>

export type Verdict = Omit<Finding, 'check'>

export interface CheckContext {
  readonly environment: Environment
  readonly address: string
  /** Of the flag. */
  readonly tokenFile: string | undefined
  readonly insecure: boolean
  /** How the state directory was found. */
  readonly place: UnitDirectory
  /** The state directory that is meant; undefined where none may be read for this unit. */
  readonly stateDir: string | undefined
  /** Label under which fixes act. */
  readonly self: string
  readonly unit: Unit
}

export interface Check {
  /** In kebab case. */
  readonly name: string
  /** No verdict: it does not apply here. */
  readonly run: (site: CheckContext) => Promise<Verdict[]>
}

export const pass = (detail: string): Verdict => ({ status: 'pass', detail })

/** A line to type, or advice. */
type Remedy = string | { readonly advice: string }

const remedied = (remedy: Remedy): Pick<Verdict, 'fix' | 'advice'> => (typeof remedy === 'string' ? { fix: remedy } : remedy)
export const warn = (detail: string, remedy: Remedy): Verdict => ({ status: 'warn', detail, ...remedied(remedy) })
export const fail = (detail: string, remedy: Remedy): Verdict => ({ status: 'fail', detail, ...remedied(remedy) })

/** What every detail of such a warning begins with. */
export const notCheckedPrefix = 'not checked: '
/** Nothing is known of it, so it is no pass. */
export const notChecked = (why: string, remedy: Remedy): Verdict => warn(`${notCheckedPrefix}${why}`, remedy)
export const notAnswered: Verdict = notChecked('the unit does not answer', { advice: 'start the unit, or name its address with --addr' })
export const noStateDirectory: Verdict = notChecked('no state directory of this unit may be read', {
  advice: 'see the check state-directory',
})

/** With `--sandbox off` neither agents nor local tool servers are started here: there is no runner. */
export const launchesNothing = (unit: Unit): boolean => unit.reached && unit.status.sandbox.status === 'off'

/** A word of a command line that a shell takes as it is. */
export const quoted = (word: string): string => (/^[A-Za-z0-9_./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

/** Runs every check at once. One that hangs or breaks is a finding like any other. */
const patience = 20_000

const inTime = (check: Check, site: CheckContext): Promise<Verdict[]> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Verdict[]>((resolve) => {
    timer = setTimeout(() => resolve([{ status: 'fail', detail: `it did not end within ${patience / 1000} s` }]), patience)
  })
  return Promise.race([check.run(site), late]).finally(() => clearTimeout(timer))
}

const examineOne = async (check: Check, site: CheckContext): Promise<Finding[]> => {
  try {
    return (await inTime(check, site)).map((verdict) => ({ check: check.name, ...verdict }))
  } catch (error) {
    return [{ check: check.name, status: 'fail', detail: `it broke: ${error instanceof Error ? error.message : String(error)}` }]
  }
}

/** In the order of the checks. */
export const runChecks = async (site: CheckContext, checks: readonly Check[]): Promise<Finding[]> =>
  (await Promise.all(checks.map((check) => examineOne(check, site)))).flat()

/** What all checks look at, made once. */
export interface CheckContextOptions extends UnitAddress {
  /** Somebody named the address; else it is the default one. */
  readonly addressGiven: boolean
  readonly stateDir: string | undefined
}

export const createCheckContext = async (options: CheckContextOptions): Promise<CheckContext> => {
  const unit = await askUnit(options)
  const usual = stateDirectories(options.environment).filter((path) => existsSync(path))
  const place = await findUnitDirectory({ ...options, unit, named: options.stateDir, usual })
  return { ...options, unit, place, stateDir: 'directory' in place ? place.directory : undefined, self: loginName() }
}
