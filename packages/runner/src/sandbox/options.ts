// What the choice of a sandbox driver rests on.
import type { Mode, RunnerBoot } from '@gatehouse/contracts'
import type { Driver } from '@gatehouse/engine'
import type { Metrics } from '@gatehouse/kernel'
import type { Leftovers } from '../leftovers/leftovers.ts'
import type { SealOptions } from './seal.ts'

export type Choose = (
  wanted: Exclude<RunnerBoot['sandbox'], 'off'>,
) => Promise<{ readonly driver: Driver; readonly old?: string } | { readonly refused: string }>

export interface SandboxStatusOptions extends SealOptions {
  readonly mode: Mode
  readonly wanted: RunnerBoot['sandbox']
  readonly rootfs: string
  /** Image of the sandboxes instead of `rootfs`. */
  readonly image: string | null
  /** Rejects where the image is not to be used. */
  readonly verifyImage: (image: string) => Promise<void>
  /** Where root made disks for groups; null: the unit makes them. */
  readonly groupDisks: string | null
  readonly metrics: Metrics
  readonly choose: Choose
  readonly leftovers: Leftovers
  /** Milliseconds between two attempts where nothing can be launched: doubling from the first to the most. */
  readonly retry: { readonly first: number; readonly most: number }
  /** Sandboxes can be launched, after it was said that none can. */
  onReady(): void
}
