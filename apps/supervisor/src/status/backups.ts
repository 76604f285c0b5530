// The supervisor's calls that take a backup. It alone holds the master key; what leaves it is encrypted.
import { edgeSocket, runnerBackup, ServiceError, type supervisorControlPlane } from '@gatehouse/contracts'
import type { Logger, Metrics } from '@gatehouse/kernel'
import { connectEdge, type EdgeClient, type Handlers } from '@gatehouse/rpc'
import type { Unit } from '../children/roster.ts'
import { type Epochs, newestOf, subkeysOf } from '../keys/keyring.ts'
import { loadState } from '../late.ts'
import { KeptDisks, keepingDisks } from './kept-disks.ts'
import type { Queues } from '../state/backup/databases.ts'

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
