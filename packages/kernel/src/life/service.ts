// What a process is given when it is born, and what it gives back.
import type { GatewayBoot } from '@gatehouse/contracts'
import type { Logger } from '../log/logger.ts'
import type { Metrics } from '../metrics/create-metrics.ts'

/** The members that every boot document has. */
export type CommonBoot = Pick<GatewayBoot, 'mode' | 'version' | 'installation' | 'stateDir' | 'runDir' | 'logLevel' | 'edges'>

export interface Lifeline<B> {
  readonly boot: B
  readonly log: Logger
  readonly metrics: Metrics
  /** A secret learnt after boot: the supervisor redacts it from then on. */
  readonly secret: (value: string) => void
}

export interface Running {
  /** Lets what runs end, then releases everything. */
  stop(): Promise<void>
}
