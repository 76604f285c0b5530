// What a choice of driver rests on, and what it comes to.
import type { ContainerEngine, Mode } from '@gatehouse/contracts'
import type { Logger } from '@gatehouse/kernel'
import type { Driver } from './driver.ts'

export interface ChooseOptions {
  readonly mode: Mode
  /** The only container engine to try; null: each in turn. */
  readonly engine: ContainerEngine | null
  /** OCI runtime name for the container engine; null: the engine's default. */
  readonly runtime: string | null
  /** Path of the agent's bundle on the host, for the driver that has no root file system. */
  readonly agent: string
  /** Private directory, not on a network, for bundles and mount tables. Made when it is needed. */
  readonly home: string
  /** What a trial carries, so that the next start finds what is left of it. */
  readonly unitId: string
  /** Called before the first container is made by an engine. */
  readonly onEngine?: (engine: ContainerEngine) => Promise<void>
  /** Accepts releases of engines that are older than the oldest that is trusted. */
  readonly allowOldEngine: boolean
  readonly log: Logger
}

/** A driver, or why there is none and what to do about it. */
export type Choice =
  | { readonly driver: Driver; /** What is wrong with its release. */ readonly old?: string }
  | { readonly refused: string }
