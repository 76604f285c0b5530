// The driver for an OCI runtime without an engine: it writes its own bundle and runs it with `runsc` or `runc`.
import { randomBytes } from 'node:crypto'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { moveOutOfCgroup, removeGroups } from '../cgroup/cleanup.ts'
import { type Group, groupPath, openGroup } from '../cgroup/group.ts'
import type { Hierarchy } from '../cgroup/hierarchy.ts'
import { reasonOf } from '../cgroup/usage.ts'
import type { Driver, Exit, LaunchSpec, Sandbox } from '../driver.ts'
import { type Ending, launchProgram, type Program } from '../launch.ts'
import { openStage, type Stage, type StageMount, type StagePrograms } from '../mount-namespace.ts'
import { unpackImage } from '../rootfs/unpack.ts'
import { ownerOf, processesOf, renderBundle } from './bundle.ts'
import { callRuntime, chooseRendering, globalArguments, listContainers, type Runtime, runtimeEnvironment } from './runtime.ts'
import { stageLaunch } from './stage.ts'

export interface Spoil {
  bundle(bundle: object): object
  mounts?(mounts: readonly StageMount[]): readonly StageMount[]
}

export interface OciOptions {
  readonly runtime: Runtime
  readonly programs: StagePrograms
  readonly hierarchy: Hierarchy
  /** Private directory for bundles. */
  readonly home: string
  /** Label of trials. */
  readonly unitId: string
  /** Simulates a faulty driver, which tests of the seal expect to be refused. */
  readonly spoil?: Spoil | undefined
}

interface Made {
  readonly id: string
  readonly bundle: string
  readonly group: Group
}

const remove = async (runtime: Runtime, { id, bundle, group }: Made): Promise<void> => {
  await callRuntime(runtime, ['delete', ...(runtime.name === 'runsc' ? ['-force'] : ['--force']), id])
  await group.remove()
  await rm(bundle, { recursive: true, force: true })
}

/** Reads the kernel counters for the exit reason before the group is removed. */
const endingOf = (runtime: Runtime, made: Made): Ending => ({
  end: async () => {
    await callRuntime(runtime, ['kill', made.id, 'KILL'])
  },
  settle: async (exit): Promise<Exit> => {
    const usage = await made.group.usage()
    await remove(runtime, made)
    return reasonOf(exit, usage)
  },
  usage: () => made.group.usage(),
})

/**
 * If the unit dies, `runc` and its container are ended separately, and `runsc` ends what it started. gVisor's file server keeps the
 * session's group to access sockets that the sandbox does not own.
 */
const becoming = (runtime: Runtime, { identity }: LaunchSpec): string[] => {
  if (runtime.name === 'runc') return []
  return ['--pdeathsig', 'KILL', ...(identity === undefined ? ['--clear-groups'] : ['--groups', String(identity.gid)])]
}

const programOf = ({ runtime, programs }: OciOptions, spec: LaunchSpec, { made, stage }: { made: Made; stage: Stage }): Program => {
  const own = runtime.name === 'runc' ? ['--keep', '--bundle', made.bundle, made.id] : ['-bundle', made.bundle, made.id]
  const run = [runtime.file, ...globalArguments(runtime), 'run', ...own]
  const [file, ...inside] = stage.prefix
  const args = [...inside, programs.setpriv, ...becoming(runtime, spec), '--', ...run]
  return { file, args, env: runtimeEnvironment, started: (pid) => stage.entered(pid) }
}

const start = async (options: OciOptions, spec: LaunchSpec, { made, seccomp }: { made: Made; seccomp: object }): Promise<Sandbox> => {
  const { runtime, programs, home } = options
  const staged = await stageLaunch(spec, home)
  const rendered = renderBundle(staged.spec, { runtime, seccomp, cgroupsPath: made.group.path })
  const bundle = options.spoil?.bundle(rendered) ?? rendered
  await mkdir(made.bundle, { mode: 0o700, recursive: true })
  await writeFile(join(made.bundle, 'config.json'), JSON.stringify(bundle), { mode: 0o600 })
  const stage = await openStage(options.spoil?.mounts?.(staged.mounts) ?? staged.mounts, { programs, home, root: true })
  try {
    // gVisor joins the existing group with its limits and leaves it in place with its counters.
    if (runtime.name === 'runsc') await made.group.create({ ...spec.limits, pids: processesOf(spec, runtime) })
    const program = programOf(options, spec, { made, stage })
    const started = async (pid: number): Promise<void> => {
      await program.started?.(pid)
      if (runtime.name === 'runsc' && options.hierarchy.delegated) void moveOutOfCgroup(made.group, pid)
    }
    return await launchProgram({ ...program, started }, endingOf(runtime, made))
  } finally {
    await stage.close()
  }
}

const launchOci = async (options: OciOptions, spec: LaunchSpec, seccomp: object): Promise<Sandbox> => {
  const id = `${spec.id}-${randomBytes(3).toString('hex')}`
  const group = openGroup(options.hierarchy, groupPath(spec.unitId, id))
  const made = { id, group, bundle: join(options.home, 'bundles', id) }
  try {
    return await start(options, spec, { made, seccomp })
  } catch (error) {
    await remove(options.runtime, made)
    throw error
  }
}

const removeStrays = async ({ runtime, hierarchy, home }: OciOptions, unitId: string): Promise<number> => {
  const ids = await listContainers(runtime, unitId)
  for (const id of ids) await callRuntime(runtime, ['delete', '--force', id])
  const groups = await removeGroups(hierarchy, unitId)
  await rm(join(home, 'bundles'), { recursive: true, force: true })
  return Math.max(ids.length, groups)
}

export const createOci = (options: OciOptions): Driver => {
  let seccomp: object | undefined
  const prepare = async (rootfs: string): Promise<string> => {
    seccomp = await chooseRendering((rendering) => (spec) => launchOci(options, spec, rendering), {
      rootfs,
      unitId: options.unitId,
    })
    return rootfs
  }
  return {
    name: 'oci',
    engine: options.runtime.name,
    kernel: options.runtime.name === 'runsc' ? 'gvisor' : 'host',
    processBound: 'inside',
    missing: [],
    owner: ownerOf,
    prepare,
    prepareImage: async (image) => prepare(await unpackImage(image, options.home)),
    async launch(spec) {
      if (seccomp === undefined) throw new TypeError('launch() was called before prepare()')
      return launchOci(options, spec, seccomp)
    },
    reconcile: (unitId) => removeStrays(options, unitId),
  }
}
