// What a step of the first run is: it looks at the unit itself, so that a tour that was broken off goes on where it stopped.
import type { Client } from '@gatehouse/client'
import type { Status } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Environment } from '../command.ts'

export const OnboardNotes = v.strictObject({
  step: v.string(),
  /** `waits`: somebody else must approve. `left`: nothing was done, `type` says what would do it. */
  state: v.picklist(['done', 'now', 'would', 'waits', 'left']),
  detail: v.string(),
  /** A command line. */
  type: v.optional(v.string()),
})
export type OnboardNotes = v.InferOutput<typeof OnboardNotes>

export interface Questions {
  /** The default where nobody is asked. */
  readonly ask: (question: string, usual: string) => Promise<string>
  readonly confirm: (question: string) => Promise<boolean>
  readonly show: (text: string) => void
}

export interface Tour extends Questions {
  readonly client: Client
  readonly environment: Environment
  /** Label of whoever sits here. */
  readonly self: string
  /** Nothing is asked for and nothing approved. */
  readonly dryRun: boolean
  readonly status: () => Promise<Status>
  /** The agent group that the tour is about, once there is one. */
  group: string | undefined
}

export type Outcome = Omit<OnboardNotes, 'step'>

export interface Step {
  readonly name: string
  /** Throws what keeps the tour from going on. */
  readonly take: (tour: Tour) => Promise<Outcome>
}

export const done = (detail: string): Outcome => ({ state: 'done', detail })
export const left = (detail: string, type?: string): Outcome => ({ state: 'left', detail, ...(type !== undefined && { type }) })
