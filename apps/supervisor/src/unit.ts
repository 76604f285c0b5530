// One unit from its plan to its end: state, keys, processes, and an orderly stop.
import { access, constants } from 'node:fs/promises'
import { join } from 'node:path'
import { lockWriter, privateDirectory } from '@gatehouse/kernel'
import { stopAll } from './children/spawn.ts'
import { Kept } from './children/supervise.ts'
import type { NewToken } from './plan/token.ts'
import { prepare, type Prepared, type UnitOptions } from './prepare.ts'
import { createBackupCalls, noBackups } from './status/backups.ts'
import { serveStatus, type Status, watchStatus } from './status/serve.ts'

export interface RunningUnit {
  readonly status: Status
  /** Minted and not shown yet. It is printed when the unit reports that it is ready. */
  readonly newToken: NewToken | undefined
  /** Rejects with a `Refusal` when the unit cannot go on. */
  readonly failed: Promise<never>
  /** The catalog is to be read again. */
  reload(): void
  stop(): Promise<void>
}

const writable = (path: string): Promise<boolean> =>
  access(path, constants.W_OK).then(
    () => true,
    () => false,
  )

const compileCacheOf = async (release: string, runDir: string): Promise<string> =>
  (await writable(release)) ? join(release, '.compile-cache') : join(runDir, 'compile-cache')

const statusOf = ({ plan, log, metrics }: UnitOptions, { runDirectory, secretOf, whole }: Prepared, children: readonly Kept[]) => {
  const { stateDir, split } = plan
  const place = { runDir: runDirectory.path, halves: split?.halves }
  if (whole === undefined) return watchStatus({ place, secretOf, children, metrics, log })
  const backups = split === null ? createBackupCalls({ ...whole, secretOf, metrics, log }) : noBackups
  return serveStatus({ place, stateDir, secretOf, children, others: split === null ? [] : ['runner'], metrics, backups, log })
}

/** Resolves early when the end is asked for: then not all of it runs. */
export const startUnit = async (options: UnitOptions): Promise<RunningUnit> => {
  const { plan, release, log, printer, redactor, ended } = options
  await privateDirectory(plan.stateDir)
  const lock = await lockWriter(plan.stateDir, 'supervisor')
  const prepared = await prepare(options)
  const { runDirectory, births } = prepared
  for (const { boot } of births) for (const secret of Object.values(boot.edges)) redactor.add(secret)

  const compileCache = await compileCacheOf(release, runDirectory.path)
  const children = births.map(
    (birth) =>
      new Kept({
        birth,
        entry: join(release, `${birth.name}.mjs`),
        compileCache,
        log,
        onLine: (line) => printer.line(birth.name, line),
        onSecret: (secret, isShortLived) => (isShortLived ? redactor.addShortLived(secret) : redactor.add(secret)),
      }),
  )
  const status = await statusOf(options, prepared, children)
  const failed = Promise.race(children.map((child) => child.failed))
  failed.catch(() => undefined)

  const stop = async (): Promise<void> => {
    for (const child of children) child.restartNoMore()
    await status.close()
    await stopAll(children)
    await runDirectory
      .close()
      .catch((error: Error) => log.warn('the runtime directory stays until the next start', { reason: error.message }))
    await lock.release()
  }
  try {
    await Promise.race([Promise.all(children.map((child) => child.ready)), ended])
  } catch (error) {
    await stop()
    throw error
  }
  return { status, newToken: prepared.newToken, failed, reload: () => children.find(({ name }) => name === 'gateway')?.hangUp(), stop }
}
