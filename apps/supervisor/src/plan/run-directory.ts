// The directory that holds the sockets of one boot, locked for as long as the unit runs.
import { access, chmod, lstat, mkdir, readdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exits, isServiceError, limits } from '@gatehouse/contracts'
import {
  getRunDirectoryName,
  hasHostIds,
  type Lock,
  lockUnit,
  makeDirectory,
  readUnitRecord,
  Refusal,
  runnerLockName,
  unitLockName,
  unitRecordName,
  waitFor,
  writeUnitRecord,
} from '@gatehouse/kernel'
import { removeUnmounted } from './cleanup.ts'
import type { Plan } from './plan.ts'

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Undefined while another unit holds it, and when its holder has just removed it. */
const attempt = async (path: string): Promise<Lock | undefined> => {
  await makeDirectory(path, 0o711)
  return lockUnit(path, { create: true }).catch((error: unknown) => {
    if (isAbsent(error)) return undefined
    throw error
  })
}

const toRefusal = async (path: string, hint: string, cause: unknown): Promise<Refusal> => {
  const { stateDir, cleaner } = (await readUnitRecord(path)) ?? {}
  if (cleaner !== undefined)
    return new Refusal(exits.stateInUse, {
      detail: `the unit with the state directory ${cleaner} is removing what an earlier unit left, and still uses the runtime directory ${path}`,
      hint: 'start this unit again in a minute; the log of the other unit says what it removes',
      cause,
    })
  return new Refusal(exits.stateInUse, {
    detail: `${path} is the runtime directory of another unit that is running${stateDir === undefined ? '' : `, with the state directory ${stateDir}`}`,
    hint,
    cause,
  })
}

/** Makes the directory. `Refusal` 75 when another unit still holds it after `patience` milliseconds. */
const lockRunDirectory = (path: string, { hint, patience }: { readonly hint: string; readonly patience: number }): Promise<Lock> =>
  waitFor(() => attempt(path), { what: 'the lock', deadline: patience, every: 50 }).catch(async (error: unknown) => {
    throw isServiceError(error) && error.code === 'deadline' ? await toRefusal(path, hint, error) : error
  })

export interface UnitIdentity {
  readonly installation: string
  readonly unitId: string
  readonly stateDir: string
}

export interface RunDirectory {
  readonly path: string
  /** Units that held the directory before, all of them ended: what they left is to be removed. */
  readonly formerUnitIds: readonly string[]
  /** Removes what may be removed, then releases the lock. Rejects where something is still mounted. */
  close(): Promise<void>
}

const runBase = async (env: Readonly<Record<string, string | undefined>>): Promise<string> => {
  // Root of a user namespace has of the host what systemd made for it.
  if (process.getuid?.() === 0) return (await hasHostIds()) ? '/run/gatehouse' : (env['RUNTIME_DIRECTORY'] ?? '/run/gatehouse')
  const own = env['XDG_RUNTIME_DIR']
  return own === undefined ? `/tmp/gatehouse-${process.getuid?.() ?? 0}` : join(own, 'gatehouse')
}

/** Several units of one user share it; somebody else's is refused, since /tmp is everybody's. */
const openBase = async (base: string): Promise<void> => {
  await makeDirectory(base, 0o711)
  const found = await lstat(base)
  if (!found.isDirectory() || found.uid !== process.geteuid?.()) {
    throw new Refusal(exits.noPermission, {
      detail: `expected ${base} to be an own directory, got one of uid ${found.uid}`,
      hint: `remove ${base}`,
    })
  }
  await chmod(base, 0o711)
}

/** More than that many units have not ended in one directory since the last boot of the host. */
const maxFormerUnits = 16

const takeOver = async (path: string, { installation, unitId, stateDir }: UnitIdentity, isHalf: boolean): Promise<string[]> => {
  const record = await readUnitRecord(path)
  const engines = record?.engines ?? []
  const formerUnitIds = (record?.unitIds ?? []).filter((id) => id !== unitId).slice(0, maxFormerUnits)
  await writeUnitRecord(path, { installation, stateDir, unitIds: [unitId, ...formerUnitIds], engines, isHalf })
  return formerUnitIds
}

const clear = async (path: string, kept: ReadonlySet<string>): Promise<void> => {
  for (const name of await readdir(path)) if (!kept.has(name)) await removeUnmounted(join(path, name))
}

const own: readonly string[] = [unitLockName, unitRecordName]

/** The runner did not end, or not everything that it started. */
const mayHaveLeft = (path: string): Promise<boolean> =>
  access(join(path, runnerLockName)).then(
    () => true,
    () => false,
  )

const removeAllButRecord = async (path: string): Promise<never> => {
  await clear(path, new Set([...own, runnerLockName]))
  throw new Error('not everything of this unit has ended')
}

/** The lock file goes before the lock, so that nobody ever holds the lock of a directory that is being removed. */
const remove = async (path: string, lock: Lock): Promise<void> => {
  try {
    if (await mayHaveLeft(path)) await removeAllButRecord(path)
    await clear(path, new Set([unitLockName]))
    await rm(join(path, unitLockName))
    await rmdir(path)
  } finally {
    await lock.release()
  }
}

/** Short, since socket paths are. Sandboxes of other uids pass through it, so it can be entered but not read. */
export const openRunDirectory = async (
  unit: UnitIdentity,
  env: Readonly<Record<string, string | undefined>>,
  patience: number = limits.drainTime,
): Promise<RunDirectory> => {
  const path = join(await runBase(env), getRunDirectoryName(unit.unitId))
  await openBase(dirname(path))
  const lock = await lockRunDirectory(path, { hint: 'stop that unit', patience })
  await clear(path, new Set(own))
  await chmod(path, 0o711)
  const formerUnitIds = await takeOver(path, unit, false)
  await mkdir(join(path, 'edges'), { mode: 0o700 })
  return { path, formerUnitIds, close: () => remove(path, lock) }
}

/** Sandboxes of the other half have directories in the first two mounted, which must outlive a restart of ours. */
const lasting: ReadonlySet<string> = new Set(['tools', 'model', 'compile-cache', ...own])

/** Of one half of a split unit. `edges` is for its own processes, `shared` for those of the group that both halves are of. */
export const openHalf = async (
  { only, halves }: NonNullable<Plan['split']>,
  unit: UnitIdentity,
  patience: number = limits.drainTime,
): Promise<RunDirectory> => {
  const path = halves[only]
  await openBase(path)
  const hint = 'stop that unit, or set another SERVICE_RUN_DIR for both halves of this one'
  const lock = await lockRunDirectory(path, { hint, patience })
  await clear(path, lasting)
  const formerUnitIds = await takeOver(path, unit, true)
  await mkdir(join(path, 'edges'), { mode: 0o700 })
  await mkdir(join(path, 'shared'))
  await chmod(join(path, 'shared'), 0o750)
  // The other half may continue to run, with what lies there.
  return { path, formerUnitIds, close: () => lock.release() }
}
