// Launches one container: prepares its mounts, starts it, reads its exit reason, and removes it.
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, rm, rmdir, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { jsonBounds, ServiceError } from '@gatehouse/contracts'
import { findProgram, jsonText, readMountsBelow, programPath } from '@gatehouse/kernel'
import { execa } from 'execa'
import * as v from 'valibot'
import { usageOfProcess } from '../cgroup/usage.ts'
import { callEngine, clientEnvironment, type Engine, removeContainers } from '../container-client/client.ts'
import type { Exit, LaunchSpec, Mount, Sandbox } from '../driver.ts'
import { launchProgram } from '../launch.ts'
import { hardened, renderFstab } from '../mount-namespace.ts'
import { type ContainerParts, runArguments } from './arguments.ts'

const State = v.looseObject({ OOMKilled: v.optional(v.boolean(), false), ExitCode: v.number(), Pid: v.optional(v.number(), 0) })

const readState = async (engine: Engine, name: string): Promise<v.InferOutput<typeof State> | null> => {
  const { ok, stdout } = await callEngine(engine, ['container', 'inspect', '--format', '{{json .State}}', name])
  const parsed = ok ? v.safeParse(v.pipe(jsonText(jsonBounds.engineOutput), State), stdout) : undefined
  return parsed?.success === true ? parsed.output : null
}

/** The exit reason. The engine knows of an out-of-memory kill only while the container exists. */
const settle = async (engine: Engine, name: string, exit: Exit): Promise<Exit> => {
  const state = await readState(engine, name)
  await removeContainers(engine, [name])
  return state?.OOMKilled === true ? { ...exit, reason: 'out-of-memory' } : exit
}

export interface LaunchParts extends Omit<ContainerParts, 'name'> {
  /** Refines the exit reason and removes everything that was created for this launch. */
  readonly after?: (exit: Exit) => Promise<Exit>
}

export const launchContainer = (engine: Engine, spec: LaunchSpec, { after, ...parts }: LaunchParts): Promise<Sandbox> => {
  const name = `gatehouse-${spec.id}-${randomBytes(3).toString('hex')}`
  return launchProgram(
    { file: engine.file, args: runArguments(engine, spec, { ...parts, name }), env: clientEnvironment, inheritEnvironment: true },
    {
      end: async () => {
        await removeContainers(engine, [name])
      },
      settle: async (exit) => {
        const settled = await settle(engine, name, exit)
        return (await after?.(settled)) ?? settled
      },
      usage: async () => usageOfProcess((await readState(engine, name))?.Pid ?? 0),
    },
  )
}

/** Mounts on the host before a container starts, for engines that cannot set mount flags: a bind mount keeps the flags of its source. */
export interface PremountPrograms {
  readonly mount: string
  readonly umount: string
}

export interface Premounted {
  readonly mounts: readonly Mount[]
  /** Must be idempotent. */
  remove(): Promise<void>
}

const environment = { env: { PATH: programPath }, extendEnv: false, cwd: '/', stdin: 'ignore', reject: false, timeout: 30_000 } as const

/** Null where this user may not mount or a program is missing. */
export const findPremount = async (): Promise<PremountPrograms | null> => {
  if (process.geteuid?.() !== 0) return null
  const [mount, umount] = await Promise.all([findProgram('mount'), findProgram('umount')])
  return mount === null || umount === null ? null : { mount, umount }
}

/** The mount point of a single file is an empty file. The kernel does not remove a mount point in use. */
const clearPoint = async (point: string): Promise<void> => {
  await rmdir(point).catch((error: NodeJS.ErrnoException) => (error.code === 'ENOTDIR' ? unlink(point) : undefined))
}

/** Never enters mounts: only empty directories are removed. */
const clear = async (programs: PremountPrograms, directory: string): Promise<void> => {
  const points = (await readMountsBelow(directory)).toReversed()
  if (points.length > 0) await execa(programs.umount, ['--no-mtab', '--lazy', '--', ...points], environment)
  for (const name of await readdir(directory).catch(() => [])) await clearPoint(join(directory, name)).catch(() => undefined)
  await rmdir(directory).catch(() => undefined)
}

/** Only writable mounts need flags. */
export const premount = async (programs: PremountPrograms, mounts: readonly Mount[], home: string): Promise<Premounted> => {
  const directory = join(home, 'mounts', randomBytes(6).toString('hex'))
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const shown = mounts.map((mount, index) => (mount.mode === 'rw' ? { ...mount, source: join(directory, String(index)) } : mount))
  const wanted = shown.flatMap(({ source: target }, index) => {
    const source = mounts[index]?.source ?? target
    const made = mounts[index]?.type === 'file' ? [] : ['X-mount.mkdir=0700']
    return source === target ? [] : [{ source, target, options: ['bind', ...made, 'rw', ...hardened] }]
  })
  for (const [index, { type, mode }] of mounts.entries())
    if (type === 'file' && mode === 'rw') await writeFile(join(directory, String(index)), '')
  const table = `${directory}.fstab`
  await writeFile(table, renderFstab(wanted), { mode: 0o600 })
  const made = await execa(programs.mount, ['--no-mtab', '--all', '--fstab', table], environment)
  await rm(table, { force: true })
  const remove = (): Promise<void> => clear(programs, directory)
  if (!made.failed) return { mounts: shown, remove }
  await remove()
  throw new ServiceError('no-sandbox', { detail: `cannot prepare the mounts of a sandbox: ${made.stderr || made.shortMessage}` })
}

/** Removes what an earlier boot left there. */
export const removePremounts = async (programs: PremountPrograms, home: string): Promise<void> => {
  const directory = join(home, 'mounts')
  for (const name of await readdir(directory).catch(() => [])) await clear(programs, join(directory, name))
}
