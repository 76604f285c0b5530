// One unit from plan to end: state, keys, processes, and the way back down.
import { access, constants, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { lockWriter, privateDirectory, type Logger, type Metrics } from '@gatehouse/kernel'
import { Kept } from './children/keep.ts'
import { createEdgeSecrets, createRoster, type Unit } from './children/roster.ts'
import { type Epochs, loadEpochs, subkeysOfAll } from './keys/keyring.ts'
import type { Printer } from './log-printer/print.ts'
import type { Redactor } from './log-printer/redact.ts'
import { secretsOf } from './plan/channels.ts'
import { openInstallation } from './plan/installation.ts'
import type { Plan } from './plan/plan.ts'
import { openRunDirectory } from './plan/run-directory.ts'
import { sweep } from './plan/sweep.ts'
import { resolveToken } from './plan/token.ts'
import { createBackupCalls } from './status/backups.ts'
import { serveStatus, type Status } from './status/serve.ts'

export interface UnitOptions {
  readonly plan: Plan
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory of the bundles. */
  readonly release: string
  readonly log: Logger
  readonly metrics: Metrics
  readonly printer: Printer
  readonly redactor: Redactor
}

export interface RunningUnit {
  readonly status: Status
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

const prepare = async ({ plan, env, release, printer, redactor }: UnitOptions): Promise<{ unit: Unit; epochs: Epochs }> => {
  await sweep(plan.stateDir)
  const installation = await openInstallation(plan.stateDir, plan.mode)
  const epochs = await loadEpochs(plan.stateDir, plan.masterKeyFile)
  const keys = subkeysOfAll(epochs)
  const token = await resolveToken(plan)
  if (token.minted) printer.unredacted({ message: 'admin token minted; it is shown this once', token: token.value })
  for (const subkey of [keys.database, keys.journal, keys.secrets, keys.queues, ...keys.formerSecrets]) redactor.add(subkey)
  if (token.value !== null) redactor.add(token.value)
  if (plan.outbound.proxy !== null) redactor.add(plan.outbound.proxy)
  for (const secret of secretsOf(plan.channels)) redactor.add(secret)
  for (const { key } of plan.models) if (key !== null) redactor.add(key)
  const unit = {
    plan,
    installation,
    runDir: await openRunDirectory(installation, env),
    release,
    keys,
    token: token.value,
    isRoot: process.getuid?.() === 0,
    sampleCommand: plan.mode === 'dev' ? { command: process.execPath, args: [join(release, 'mcp-sample.mjs')] } : null,
  }
  return { unit, epochs }
}

const compileCacheOf = async ({ release, runDir }: Unit): Promise<string> =>
  (await writable(release)) ? join(release, '.compile-cache') : join(runDir, 'compile-cache')

export const startUnit = async (options: UnitOptions): Promise<RunningUnit> => {
  const { plan, log, metrics, printer, redactor } = options
  await privateDirectory(plan.stateDir)
  const lock = await lockWriter(plan.stateDir, 'supervisor')
  const { unit, epochs } = await prepare(options)
  const secrets = createEdgeSecrets()
  const roster = createRoster(unit, secrets)
  for (const { boot } of roster) for (const secret of Object.values(boot.edges)) redactor.add(secret)

  const compileCache = await compileCacheOf(unit)
  const children = roster.map(
    (birth) =>
      new Kept({
        birth,
        entry: join(options.release, `${birth.name}.mjs`),
        compileCache,
        log,
        onLine: (line) => printer.line(birth.name, line),
        onSecret: (secret) => redactor.add(secret),
      }),
  )
  const secretOf = (edge: { readonly name: string }): string => secrets(edge)[edge.name] ?? ''
  const backups = createBackupCalls({ unit, epochs, secretOf, metrics, log })
  const status = await serveStatus({ runDir: unit.runDir, stateDir: unit.plan.stateDir, secretOf, children, metrics, backups, log })
  const failed = Promise.race(children.map((child) => child.failed))
  failed.catch(() => undefined)

  const stop = async (): Promise<void> => {
    for (const child of children) child.restartNoMore()
    await status.close()
    // The listener goes first, the ground last: nobody calls a process that is gone.
    for (const child of children.toReversed()) await child.stop()
    await rm(unit.runDir, { recursive: true, force: true })
    await lock.release()
  }
  try {
    await Promise.all(children.map((child) => child.ready))
  } catch (error) {
    await stop()
    throw error
  }
  return { status, failed, reload: () => children.find(({ name }) => name === 'gateway')?.hangUp(), stop }
}
