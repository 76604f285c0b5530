// What is known of the sandbox driver at a moment, and how that reads to others.
import { type Mode, type RunnerBoot, type SandboxPosture, type SealProof, ServiceError } from '@gatehouse/contracts'
import type { Driver } from '@gatehouse/engine'
import type { Metrics } from '@gatehouse/kernel'
import type { Leftovers } from '../leftovers/leftovers.ts'
import { missingControls, type ReadyDriver, type SealOptions } from './seal.ts'

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

export interface RefusedState {
  readonly status: 'refused'
  readonly reason: string
  readonly engaged?: ReadyDriver
  readonly seal?: SealProof
  /** No trial has shown that it will stay so: it is tried again for as long as it takes. */
  readonly mayPass: boolean
}

export type State =
  | { readonly status: 'off' | 'choosing' }
  /** Nothing is launched before the proof. */
  | { readonly status: 'proving'; readonly engaged: ReadyDriver }
  | RefusedState
  | { readonly status: 'ok'; readonly engaged: ReadyDriver; readonly seal?: SealProof }

const off = 'this unit was started with --sandbox off'

const known = ({ driver, disks, old }: ReadyDriver, seal: SealProof | undefined): Omit<SandboxPosture, 'status' | 'reason'> => ({
  driver: driver.name,
  engine: driver.engine,
  missing: [...new Set([...driver.missing, ...('refused' in disks ? ['disk-limit'] : []), ...missingControls(seal)])],
  seal: seal === undefined ? 'proving' : missingControls(seal).length === 0 ? 'held' : 'lacking',
  ...(old === undefined ? {} : { old }),
})

export const toPosture = (state: State, wanted: string): SandboxPosture => {
  switch (state.status) {
    case 'ok':
      return { ...known(state.engaged, state.seal), status: 'ok' }
    case 'off':
      return { driver: 'off', status: 'off', reason: off, missing: [] }
    case 'choosing':
      return { driver: wanted, status: 'refused', reason: 'the sandbox driver is being chosen', missing: [], seal: 'proving' }
    case 'proving':
      return { ...known(state.engaged, undefined), status: 'refused', reason: 'the seal is being proved' }
    case 'refused': {
      const { reason, engaged, seal } = state
      if (engaged === undefined) return { driver: wanted, status: 'refused', reason, missing: [] }
      return { ...known(engaged, seal), status: 'refused', reason }
    }
  }
}

export const refusalOf = (state: State): ServiceError | undefined => {
  if (state.status === 'off') {
    return new ServiceError('no-sandbox', {
      detail: `Nothing would answer: ${off}.`,
      hint: 'Start the unit with another --sandbox to talk to agents.',
    })
  }
  if (state.status !== 'refused') return undefined
  return new ServiceError('no-sandbox', {
    detail: `Nothing would answer: ${state.reason}.`,
    hint:
      state.engaged === undefined
        ? 'It is tried again every few minutes: install what is missing, or wait for what is away. svcctl doctor shows what there is.'
        : `${state.mayPass ? 'It is proved again every few minutes. ' : ''}svcctl doctor --probe describes each control and proves the seal again.`,
  })
}
