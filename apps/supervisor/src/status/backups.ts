// Backup calls of the supervisor, which alone holds the master key. Everything that leaves it is encrypted.
import { edgeSocket, isServiceError, runnerBackup, ServiceError, type supervisorControlPlane } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import { connectEdge, type EdgeClient, type Handlers } from '@gatehouse/rpc'
import type { Unit } from '../children/roster.ts'
import { type Epochs, newestOf, subkeysOf } from '../keys/keyring.ts'
import { loadState } from '../late.ts'
import type { Backups } from '../state/backup/backups.ts'
import type { Queues } from '../state/backup/databases.ts'

/** Groups stay on their disks while a backup reads their files: the runner hears that it goes on, and when it has ended. */
type DiskCalls = Pick<EdgeClient<typeof runnerBackup>['calls'], 'openDisks' | 'keepDisks' | 'leaveDisks'>

export class KeptDisks {
  readonly #calls: DiskCalls
  #reading: string | undefined

  constructor(calls: DiskCalls) {
    this.#calls = calls
  }

  /** Gives the groups whose files are in an image alone. */
  async open(): Promise<readonly string[]> {
    const { closed, reading } = await this.#calls.openDisks({})
    this.#reading = reading
    return closed
  }

  /** Rejects where a group may have moved since: what was read may not be whole. */
  async keep(): Promise<void> {
    if (this.#reading === undefined || (await this.#calls.keepDisks({ reading: this.#reading })).still) return
    throw new ServiceError('unavailable', {
      detail: 'the runner restarted or was not reached for too long: files of groups may be missing in this backup',
      hint: 'take it again',
    })
  }

  /** Whatever is not heard ends by itself. */
  async leave(): Promise<void> {
    const reading = this.#reading
    this.#reading = undefined
    if (reading !== undefined) await this.#calls.leaveDisks({ reading }).catch(() => undefined)
  }
}

/** Each piece is given only when all groups are still where they were, so that the last one vouches for the whole. */
export const keepingDisks = (backups: Backups, disks: KeptDisks, log: Pick<Logger, 'warn'>): Backups => {
  let current: string | undefined
  const end = async (id: string): Promise<void> => {
    await backups.end(id)
    if (id === current) await disks.leave()
  }
  return {
    begin: async (order) => {
      try {
        const begun = await backups.begin(order)
        current = begun.id
        return begun
      } catch (error) {
        // The other backup goes on.
        if (!isServiceError(error) || error.code !== 'conflict') await disks.leave()
        throw error
      }
    },
    read: async (id) => {
      try {
        const bytes = await backups.read(id)
        await disks.keep()
        return bytes
      } catch (error) {
        // The answer is cut: whoever reads it is told no more than that.
        if (id === current) log.warn('could not read a backup to its end', { error })
        await end(id)
        throw error
      }
    },
    end,
    close: () => backups.close(),
  }
}

type Calls = Handlers<typeof supervisorControlPlane>

export interface BackupCallsOptions {
  readonly unit: Unit
  readonly epochs: Epochs
  readonly secretOf: (edge: { readonly name: string }) => string
  readonly metrics: Metrics
  readonly log: Logger
}

export interface BackupCalls {
  readonly handlers: Pick<Calls, 'backup' | 'readBackup' | 'endBackup'>
  close(): Promise<void>
}

const queuesOf = ({ calls }: EdgeClient<typeof runnerBackup>, disks: KeptDisks): Queues => ({
  touched: async () => (await calls.touched({})).sessions,
  hold: () => calls.hold({}),
  openDisks: () => disks.open(),
  release: async (hold) => (await calls.release({ hold })).still,
})

export const createBackupCalls = ({ unit, epochs, secretOf, metrics, log }: BackupCallsOptions): BackupCalls => {
  const runner = connectEdge(runnerBackup, { path: edgeSocket(unit.runDir, runnerBackup), secret: secretOf(runnerBackup), log, metrics })
  const disks = new KeptDisks(runner.calls)
  const newest = newestOf(epochs)
  const open = async () => {
    const { createBackups } = await loadState(unit.release)
    const { stateDir, mode, catalog, masterKeyFile, version } = unit.plan
    const whole = createBackups({
      stateDir,
      mode,
      catalog,
      installation: unit.installation,
      release: version,
      newest,
      keys: subkeysOf(newest),
      masterKey: masterKeyFile === null ? 'inside' : 'outside',
      queues: queuesOf(runner, disks),
      log,
    })
    return keepingDisks(whole, disks, log)
  }
  let opened: ReturnType<typeof open> | undefined
  const backups = (): ReturnType<typeof open> => (opened ??= open())
  return {
    handlers: {
      backup: async (order) => (await backups()).begin(order),
      readBackup: async ({ id }) => {
        const bytes = await (await backups()).read(id)
        return { bytes: bytes === null ? null : Buffer.from(bytes).toString('base64') }
      },
      endBackup: async ({ id }) => (await backups()).end(id).then(() => ({})),
    },
    close: async () => {
      await (await opened)?.close()
      runner.close()
    },
  }
}

const refuse = async (): Promise<never> => {
  throw new ServiceError('conflict', {
    detail: 'expected a whole unit, got one that is split: neither half may read the state of the other, so neither can take a backup',
    hint: 'stop both halves and archive both state directories: docs/how-to/split-host.md',
  })
}

/** Of one half of a split unit. */
export const noBackups: BackupCalls = { handlers: { backup: refuse, readBackup: refuse, endBackup: refuse }, close: async () => undefined }
