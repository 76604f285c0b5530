// Whether this unit can launch sandboxes, and with what. The choice is made beside everything else: nothing waits for it but launches.
import { setTimeout as pause } from 'node:timers/promises'
import { isServiceError, limits, type SandboxPosture, type SealProof, ServiceError } from '@gatehouse/contracts'
import { closeOrphans, type Disks, type Driver, prepareDisks } from '@gatehouse/engine'
import { abortable, type Metrics } from '@gatehouse/kernel'
import { refusalOf, type SandboxStatusOptions, type State, toPosture } from './state.ts'
import { missingControls, prove, type Proved, type ReadyDriver } from './seal.ts'

const showLaunches = (metrics: Metrics, driver: string): void => {
  for (const outcome of ['ok', 'failed']) metrics.touch('sandbox_launches_total', { driver, outcome })
  metrics.touch('sandbox_launch_duration_seconds', { driver })
}

/** An agent without isolation can write wherever the unit can. */
const disksFor = async (driver: Driver, { groups, groupDisks, log }: SandboxStatusOptions): Promise<Disks> => {
  if (driver.name === 'none') return { refused: 'the driver none provides no isolation' }
  const disks = await prepareDisks(groups, groupDisks)
  if ('refused' in disks) log.warn('groups have no separate disks: one group can fill the disk of the host', { reason: disks.refused })
  return disks
}

const prepare = async (driver: Driver, { rootfs, image, verifyImage }: SandboxStatusOptions): Promise<string> => {
  if (image === null) return driver.prepare(rootfs)
  // Before anything of it is fetched or unpacked.
  await verifyImage(image)
  return driver.prepareImage(image)
}

/** Strays of an earlier boot are gone before the first launch. */
const engage = async (options: SandboxStatusOptions): Promise<State> => {
  const { wanted, choose, leftovers, groups, log, metrics } = options
  await closeOrphans(groups)
  // Also where nothing is launched now.
  await leftovers.remove()
  if (wanted === 'off') return { status: 'off' }
  const chosen = await choose(wanted)
  if ('refused' in chosen) return { status: 'refused', reason: chosen.refused, mayPass: true }
  const { driver, old } = chosen
  const prepared = await prepare(driver, options)
  let strays = 0
  for (const unitId of leftovers.unitIds) strays += await driver.reconcile(unitId)
  if (strays > 0) log.info('sandboxes of an earlier start removed', { driver: driver.name, strays })
  showLaunches(metrics, driver.name)
  return { status: 'ok', engaged: { driver, old, rootfs: prepared, disks: await disksFor(driver, options) } }
}

export interface SandboxStatus {
  status(): SandboxPosture
  /** False while the driver is being selected. */
  isChosen(): boolean
  /** False once it is clear that nothing is launched. */
  launches(): boolean
  /** Why no message is taken, if none is. */
  refusal(): ServiceError | undefined
  /** Waits for the choice, and in production for the proof of the seal; `no-sandbox` when it is negative. */
  engaged(signal: AbortSignal): Promise<ReadyDriver>
  /** Waits as well. How groups get disks, also where launches are refused; undefined without a driver. */
  disks(signal: AbortSignal): Promise<Disks | undefined>
  /** Proves the seal again, by the driver that was chosen; one proof at a time. */
  prove(): Promise<SealProof>
  /** Resolves when no trial is running. */
  settled(): Promise<void>
  /** Removes what is left of every sandbox of this unit, when no trial is running; for its end. Gives how many were left. */
  clear(): Promise<number>
}

const reasonOf = (error: unknown): string => {
  if (isServiceError(error) && error.hint !== undefined) return `${error.detail}; ${error.hint}`
  return error instanceof Error ? error.message : 'unknown error'
}

/** A control that is missing or was not observed refuses every launch, except in the modes for testing. */
const afterProof = (engaged: ReadyDriver, { proof: seal, isInconclusive }: Proved, { mode }: SandboxStatusOptions): State => {
  const lacking = missingControls(seal)
  if (mode !== 'production' || lacking.length === 0) return { status: 'ok', engaged, seal }
  const faults = seal.faults.length === 0 ? '' : ` (${seal.faults.join('; ')})`
  const reason = isInconclusive
    ? `the host is too busy to prove the seal, these controls could not be observed: ${lacking.join(', ')}${faults}`
    : `the seal does not hold, these controls are missing: ${lacking.join(', ')}${faults}`
  return { status: 'refused', reason, engaged, seal, mayPass: isInconclusive }
}

/** They may be had now. Where a proof without them refused everything nothing was ever launched, so nothing is ended by another choice. */
const lacksDisks = ({ disks }: ReadyDriver): boolean => 'refused' in disks && disks.again !== undefined

class Choice implements SandboxStatus {
  readonly #options: SandboxStatusOptions
  /** The present attempt, or the last. */
  #settled: Promise<void>
  #state: State
  /** Why nothing can be launched, as it was said last. */
  #said: string | undefined
  #isTrying = false
  #proving: Promise<SealProof> | undefined

  constructor(options: SandboxStatusOptions) {
    this.#options = options
    this.#state = { status: options.wanted === 'off' ? 'off' : 'choosing' }
    this.#settled = this.#settle()
  }

  /** A registry may be away, an engine start later, a machine be too busy for a proof. Ends with a success or with the runner. */
  async #keepTrying(): Promise<void> {
    const { closing, retry } = this.#options
    this.#isTrying = true
    let proofs = 0
    for (let wait = retry.first; ; wait = Math.min(wait * 2, retry.most)) {
      await this.#settled
      if (this.#state.status !== 'refused') break
      const { engaged, mayPass } = this.#state
      if (!mayPass && proofs === limits.postureProofs) break
      await pause(wait, undefined, { signal: closing, ref: false }).catch(() => undefined)
      // Another call may have proved it in the meantime.
      if (closing.aborted || this.status().status === 'ok') break
      if (!mayPass) proofs += 1
      this.#settled = engaged !== undefined && !lacksDisks(engaged) ? this.#tryProof().then(() => undefined) : this.#settle()
    }
    this.#isTrying = false
  }

  /** By the driver that was chosen: what another attempt would end may be in use by then. False where there was no room for a trial. */
  async #tryProof(): Promise<boolean> {
    const { closing, log } = this.#options
    try {
      await this.prove()
      return true
    } catch (error) {
      if (!closing.aborted) log.warn('the seal could not be proved; it is tried again', { reason: reasonOf(error) })
      return false
    }
  }

  /** Where no launch waits for the proof. A busy host may have no loop device for a moment, and the seal must not stay unproved for that. */
  async #proveBeside(): Promise<void> {
    const { closing, retry } = this.#options
    for (let wait = retry.first; !closing.aborted; wait = Math.min(wait * 2, retry.most)) {
      if (await this.#tryProof()) return
      await pause(wait, undefined, { signal: closing, ref: false }).catch(() => undefined)
      // Another call may have proved it in the meantime.
      if (this.status().seal !== 'proving') return
    }
  }

  #become(state: State): void {
    const { log } = this.#options
    this.#state = state
    if (state.status === 'refused') {
      if (state.reason !== this.#said) log.error('no sandbox can be launched', { reason: state.reason })
      this.#said = state.reason
      if (!this.#isTrying) void this.#keepTrying()
    } else if (state.status === 'ok' && this.#said !== undefined) {
      this.#said = undefined
      log.info('sandboxes can be launched again', { driver: state.engaged.driver.name })
      this.#options.onReady()
    }
  }

  async #settle(): Promise<void> {
    const { mode, closing } = this.#options
    try {
      const found = await engage(this.#options)
      this.#become(found.status === 'ok' && mode === 'production' ? { status: 'proving', engaged: found.engaged } : found)
      if (found.status === 'ok' && !closing.aborted) {
        if (mode === 'production') await this.prove()
        else void this.#proveBeside()
      }
    } catch (error) {
      if (!closing.aborted) this.#become({ status: 'refused', reason: reasonOf(error), mayPass: true })
    }
  }

  status(): SandboxPosture {
    return toPosture(this.#state, this.#options.wanted)
  }

  isChosen(): boolean {
    return this.#state.status !== 'choosing' && this.#state.status !== 'proving'
  }

  launches(): boolean {
    return !this.isChosen() || this.#state.status === 'ok'
  }

  refusal(): ServiceError | undefined {
    return refusalOf(this.#state)
  }

  async engaged(signal: AbortSignal): Promise<ReadyDriver> {
    await this.#chosen(signal)
    if (this.#state.status === 'ok') return this.#state.engaged
    throw this.refusal() ?? new TypeError('expected a settled posture')
  }

  async disks(signal: AbortSignal): Promise<Disks | undefined> {
    await this.#chosen(signal)
    const engaged = this.#engaged()
    if (engaged === undefined || this.#state.status === 'ok' || !('refused' in engaged.disks)) return engaged?.disks
    // Whoever refuses launches tries disks again by itself, and that unmounts whatever is mounted by then.
    return { refused: engaged.disks.refused }
  }

  async #chosen(signal: AbortSignal): Promise<void> {
    if (!this.isChosen()) await abortable(this.#settled, signal)
    signal.throwIfAborted()
  }

  #engaged(): ReadyDriver | undefined {
    return 'engaged' in this.#state ? this.#state.engaged : undefined
  }

  prove(): Promise<SealProof> {
    this.#proving ??= this.#proveOnce().finally(() => {
      this.#proving = undefined
    })
    return this.#proving
  }

  async settled(): Promise<void> {
    await this.#settled
    await this.#proving?.catch(() => undefined)
  }

  async clear(): Promise<number> {
    await this.settled()
    return (await this.#engaged()?.driver.reconcile(this.#options.unitId)) ?? 0
  }

  async #proveOnce(): Promise<SealProof> {
    const engaged = this.#engaged()
    if (engaged === undefined)
      throw (
        this.refusal() ?? new ServiceError('unavailable', { detail: 'The sandbox driver is being chosen.', hint: 'Try again in a moment.' })
      )
    const proved = await prove(engaged, this.#options)
    this.#become(afterProof(engaged, proved, this.#options))
    return proved.proof
  }
}

export const createSandboxStatus = (options: SandboxStatusOptions): SandboxStatus => new Choice(options)
