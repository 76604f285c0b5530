// Proves the seal with the engine and records the result in the journal and the log. The record is written however long the
// gateway takes to be available.
import { setTimeout as pause } from 'node:timers/promises'
import { type gatewayRunner, type HostIdentity, type RunnerBoot, type SealProof, Time } from '@gatehouse/contracts'
import { controlNames, controls, type Disks, type Driver, type Proof, type ProofOptions, trialName } from '@gatehouse/engine'
import { backoff, type Logger, wallTime } from '@gatehouse/kernel'
import type { Calls } from '@gatehouse/rpc'
import * as v from 'valibot'

export interface ReadyDriver {
  readonly driver: Driver
  /** What the driver made of the root file system. */
  readonly rootfs: string
  /** How groups get disks, or why they have none. */
  readonly disks: Disks
  /** What is wrong with the engine's release. */
  readonly old?: string | undefined
}

export interface SealOptions {
  readonly unitId: string
  readonly identities: RunnerBoot['identities']
  /** Private directory for the trial. */
  readonly home: string
  /** Directory of all groups, without symbolic links in its path. */
  readonly groups: string
  readonly log: Logger
  /** Aborts when the runner stops. */
  readonly closing: AbortSignal
  /** Tries each control in sandboxes of the driver. */
  readonly proveSeal: (options: ProofOptions) => Promise<Proof>
  /** Into the journal; waited for by nobody. */
  record(proof: SealProof): void
}

/** Below the first id of any group or session. */
const trialIdentity = (identities: RunnerBoot['identities']): HostIdentity | undefined =>
  identities === null ? undefined : { uid: identities.uid - 10, gid: identities.gid - 10 }

/** Nothing is tried where nothing is confined. */
const probe = async (
  { driver, rootfs, disks }: ReadyDriver,
  { unitId, identities, home, groups, closing, proveSeal }: SealOptions,
): Promise<Pick<Proof, 'lacking' | 'unseen' | 'faults'>> => {
  if (driver.name === 'none') return { lacking: controlNames, unseen: [], faults: [] }
  const disk = 'refused' in disks ? disks : { ...disks, directory: `${groups}/${trialName}` }
  return proveSeal({ driver, rootfs, unitId, identity: trialIdentity(identities), home, disk, signal: closing })
}

export interface Proved {
  readonly proof: SealProof
  /** The host was too busy to show more: no control is known to be missing, though some were not seen. */
  readonly isInconclusive: boolean
}

/** Takes seconds; rejects only when there is no room for a trial. */
export const prove = async (engaged: ReadyDriver, options: SealOptions): Promise<Proved> => {
  const since = performance.now()
  const at = v.parse(Time, wallTime())
  const { lacking, unseen, faults } = await probe(engaged, options)
  const proof: SealProof = {
    driver: engaged.driver.name,
    engine: engaged.driver.engine,
    at,
    elapsedMs: Math.round(performance.now() - since),
    walls: controlNames.map((name) => ({ name, says: controls[name], verdict: lacking.includes(name) ? 'lacking' : 'held' })),
    faults: [...faults],
    ...(engaged.old === undefined ? {} : { old: engaged.old }),
  }
  options.closing.throwIfAborted()
  options.record(proof)
  if (lacking.length === 0) options.log.info('the seal holds', { engine: proof.engine, elapsedMs: proof.elapsedMs })
  else options.log.warn('controls of the seal are missing', { engine: proof.engine, lacking, unseen, faults })
  return { proof, isInconclusive: lacking.length > 0 && lacking.every((name) => unseen.includes(name)) }
}

export const missingControls = (proof: SealProof | undefined): string[] =>
  (proof?.walls ?? []).filter(({ verdict }) => verdict === 'lacking').map(({ name }) => name)

interface RecordOptions {
  readonly gateway: Pick<Calls<typeof gatewayRunner>, 'note'>
  readonly log: Logger
  /** Aborts when the runner stops; what was not written by then is lost, and said so. */
  readonly closing: AbortSignal
}

const detailOf = (proof: SealProof) => ({
  driver: proof.driver,
  engine: proof.engine,
  held: proof.walls.filter(({ verdict }) => verdict === 'held').map(({ name }) => name),
  lacking: missingControls(proof),
  elapsedMs: proof.elapsedMs,
  faults: proof.faults,
  ...(proof.old === undefined ? {} : { old: proof.old }),
})

export const createRecord = ({ gateway, log, closing }: RecordOptions): ((proof: SealProof) => void) => {
  const write = async (proof: SealProof): Promise<void> => {
    const delays = backoff({ first: 100, most: 5_000 })
    while (!closing.aborted) {
      try {
        await gateway.note({ stage: 'seal-proof', detail: detailOf(proof) })
        return
      } catch (error) {
        log.debug('seal proof not recorded yet, will retry', { error })
        await pause(delays.next(), undefined, { signal: closing }).catch(() => undefined)
      }
    }
    log.warn('journal record lost', { stage: 'seal-proof' })
  }
  return (proof) => void write(proof)
}
