// Options of a unit's start.
import type { Logger, Metrics } from '@gatehouse/kernel'
import type { Printer, Redactor } from './log-printer.ts'
import type { Plan } from './plan/plan.ts'

export interface UnitOptions {
  readonly plan: Plan
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory of the bundles. */
  readonly release: string
  readonly log: Logger
  readonly metrics: Metrics
  readonly printer: Printer
  readonly redactor: Redactor
  /** Resolves when somebody asks for the end, which may be before all processes run. */
  readonly ended: Promise<void>
}
