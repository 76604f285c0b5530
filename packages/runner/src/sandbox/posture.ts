// Whether this unit can launch sandboxes, and with what. The choice is made beside everything else: nothing waits for it but launches.
import { isServiceError, type RunnerBoot, type SandboxPosture, ServiceError } from '@gatehouse/contracts'
import type { Driver } from '@gatehouse/engine'
import type { Logger, Metrics } from '@gatehouse/kernel'

interface Engaged {
  readonly driver: Driver
  /** What the driver made of the root file system. */
  readonly rootfs: string
}

export interface Posture {
  status(): SandboxPosture
  /** False while the driver is being chosen. */
  isChosen(): boolean
  /** False once it is clear that nothing is launched. */
  launches(): boolean
  /** Why no message is taken, if none is. */
  refusal(): ServiceError | undefined
  /** Waits for the choice; `no-sandbox` when it is negative. */
  engaged(signal: AbortSignal): Promise<Engaged>
}

type Wanted = RunnerBoot['sandbox']

export type Choose = (wanted: Exclude<Wanted, 'off'>) => Promise<{ driver: Driver } | { refused: string }>

export interface PostureOptions {
  readonly wanted: Wanted
  readonly installation: string
  readonly rootfs: string
  readonly log: Logger
  readonly metrics: Metrics
  readonly choose: Choose
}

type State =
  | { readonly status: 'off' | 'choosing' }
  | { readonly status: 'refused'; readonly reason: string }
  | ({ readonly status: 'ok' } & Engaged)

const off = 'this unit was started with --sandbox off'

/** Strays of an earlier boot are gone before the first launch. */
const showLaunches = (metrics: Metrics, driver: string): void => {
  for (const outcome of ['ok', 'failed']) metrics.touch('sandbox_launches_total', { driver, outcome })
  metrics.touch('sandbox_launch_duration_seconds', { driver })
}

const engage = async ({ wanted, choose, rootfs, installation, log, metrics }: PostureOptions): Promise<State> => {
  if (wanted === 'off') return { status: 'off' }
  const chosen = await choose(wanted)
  if ('refused' in chosen) return { status: 'refused', reason: chosen.refused }
  const { driver } = chosen
  const engaged = { driver, rootfs: await driver.prepare(rootfs) }
  const strays = await driver.reconcile(installation)
  if (strays > 0) log.info('sandboxes of an earlier start removed', { driver: driver.name, strays })
  showLaunches(metrics, driver.name)
  return { status: 'ok', ...engaged }
}

const reasonOf = (error: unknown): string => {
  if (isServiceError(error) && error.hint !== undefined) return `${error.detail}; ${error.hint}`
  return error instanceof Error ? error.message : 'unknown error'
}

const toPosture = (state: State, wanted: string): SandboxPosture => {
  switch (state.status) {
    case 'ok':
      return { driver: state.driver.name, status: 'ok', missing: [...state.driver.missing] }
    case 'off':
      return { driver: 'off', status: 'off', reason: off, missing: [] }
    case 'choosing':
      return { driver: wanted, status: 'refused', reason: 'the sandbox driver is being chosen', missing: [] }
    case 'refused':
      return { driver: wanted, status: 'refused', reason: state.reason, missing: [] }
  }
}

const refusalOf = (state: State): ServiceError | undefined => {
  if (state.status === 'off') {
    return new ServiceError('no-sandbox', {
      detail: `Nothing would answer: ${off}.`,
      hint: 'Start the unit with another --sandbox to talk to agents.',
    })
  }
  if (state.status !== 'refused') return undefined
  return new ServiceError('no-sandbox', {
    detail: `Nothing would answer: ${state.reason}.`,
    hint: 'Install what is missing and restart the unit.',
  })
}

export const createPosture = (options: PostureOptions): Posture => {
  let state: State = { status: options.wanted === 'off' ? 'off' : 'choosing' }
  const settle = async (): Promise<void> => {
    state = await engage(options).catch((error: unknown): State => ({ status: 'refused', reason: reasonOf(error) }))
    if (state.status === 'refused') options.log.error('no sandbox can be launched', { reason: state.reason })
  }
  const settled = settle()
  return {
    status: () => toPosture(state, options.wanted),
    isChosen: () => state.status !== 'choosing',
    launches: () => state.status === 'choosing' || state.status === 'ok',
    refusal: () => refusalOf(state),
    async engaged(signal) {
      await Promise.race([settled, new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))])
      signal.throwIfAborted()
      if (state.status === 'ok') return state
      throw refusalOf(state) ?? new TypeError('expected a settled posture')
    },
  }
}
