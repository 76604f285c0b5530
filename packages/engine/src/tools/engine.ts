// Selects the container engine for tool servers, and starts and ends their containers.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ContainerEngine, containerEngines, type HostIdentity, limits, ServiceError } from '@gatehouse/contracts'
import { endsWithin, findProgram } from '@gatehouse/kernel'
import * as v from 'valibot'
import { callEngine, type Engine, removeContainers } from '../container-client/client.ts'
import { describeDocker, describePodman } from '../container-client/describe.ts'
import { ensureImage } from '../container-client/images.ts'
import { removeOrphans } from '../container/arguments.ts'
import { assembleRootfs, type RootfsOptions } from '../rootfs/assemble.ts'
import { watches } from '../seccomp/calls.ts'
import { renderOci } from '../seccomp/filter.ts'
import { initArguments, toolArguments, type ToolHost, toolOwner, toolsLabel } from './arguments.ts'
import { runTool, type ToolOrder, type ToolRun, type ToolStreams } from './run.ts'

/** The system call filter of tool servers: the list for agents, and what the init process of a container needs. */
const Profile = v.looseObject({ syscalls: v.array(v.looseObject({ names: v.array(v.string()), action: v.string() })) })

/** The init process creates a process group for the server and tries to set a terminal. */
const TIOCSPGRP = 0x5410
const forInit = [
  { names: ['setpgid', 'setsid'], action: 'SCMP_ACT_ALLOW' },
  { names: ['ioctl'], action: 'SCMP_ACT_ALLOW', args: [{ index: 1, value: TIOCSPGRP, valueTwo: 0, op: 'SCMP_CMP_EQ' }] },
]

/** Allowed because a person approved the server, and many servers watch files. */
const forServers = Object.keys(watches)

/**
 * An old gVisor returns EPERM instead of ENOSYS for a filtered call, and then no program can create a thread. Its own kernel does not
 * have this call, so it may be allowed.
 */
const passedOf = ({ gvisor }: Pick<Engine, 'gvisor'>): string[] => [...forServers, ...(gvisor ? ['clone3'] : [])]

const renderToolProfile = (engine: Pick<Engine, 'gvisor'>): object => {
  const { syscalls, ...rest } = v.parse(Profile, renderOci({ passed: passedOf(engine) }))
  return { ...rest, syscalls: [...syscalls, ...forInit] }
}

export const writeToolProfile = (path: string, engine: Pick<Engine, 'gvisor'>): Promise<void> =>
  writeFile(path, `${JSON.stringify(renderToolProfile(engine))}\n`, { mode: 0o644 })

export interface ToolEngine {
  readonly name: ContainerEngine
  /** False where memory, processors and processes are not limited. */
  readonly limits: boolean
  /** Owner of a directory that a server writes to. */
  readonly owner: HostIdentity | undefined
  /** Writes the system call filter for its runtime. */
  writeProfile(path: string): Promise<void>
  /** Resolves to the id of an image on this host, by name or id; null where it is missing. Rejects with `no-sandbox` if the engine fails. */
  findImage(reference: string): Promise<string | null>
  run(order: ToolOrder, streams: ToolStreams): ToolRun
  /** Ends a container by name, in any state. Resolves when `run` has ended. */
  end(name: string, run: ToolRun): Promise<void>
  /** Removes what an earlier start of this unit left, and nothing of other units. Resolves to the number. */
  removeStrays(unitId: string): Promise<number>
}

/** Retries, because a container that is still being created cannot be killed. */
const killEvery = 300

/** Resolves to whether it has ended. */
const isOver = ({ exited }: ToolRun, milliseconds: number): Promise<boolean> => endsWithin(exited, milliseconds)

const end = async (engine: Engine, name: string, run: ToolRun): Promise<void> => {
  const deadline = performance.now() + limits.toolStopTime
  while (performance.now() < deadline) {
    await callEngine(engine, ['kill', name])
    if (await isOver(run, killEvery)) return
  }
  await removeContainers(engine, [name])
  run.abandon()
  await run.exited
}

const imageID = /^(?:sha256:)?[0-9a-f]{64}$/

const notThere = /no such image|image not known|failed to find image|unable to find image/i

const findImage = async (engine: Engine, reference: string): Promise<string | null> => {
  if (reference.startsWith('-')) return null
  const { ok, stdout, stderr } = await callEngine(engine, ['image', 'inspect', '--format', '{{.Id}}', reference])
  const id = stdout.trim()
  if (ok && imageID.test(id)) return id
  if (ok || notThere.test(stderr)) return null
  throw new ServiceError('no-sandbox', { detail: `${engine.name} does not answer: ${stderr.slice(0, 300)}`, hint: `start ${engine.name}` })
}

export const toToolEngine = ({ engine, init }: ToolHost): ToolEngine => ({
  name: engine.name,
  limits: engine.limits,
  owner: toolOwner(engine),
  writeProfile: (path) => writeToolProfile(path, engine),
  findImage: (reference) => findImage(engine, reference),
  run: (order, streams) => runTool({ file: engine.file, args: toolArguments({ engine, init }, order), env: order.env }, streams),
  end: (name, run) => end(engine, name, run),
  removeStrays: (unitId) => removeOrphans(engine, unitId, toolsLabel),
})

type Found = ToolHost | { readonly refused: string }

const packages = { docker: 'docker.io', podman: 'podman' } as const

/** Describes the engine from its own information. */
export const describeEngine = async (name: ContainerEngine, runtime: string | null): Promise<Found> => {
  if (name === 'nerdctl') return { refused: 'nerdctl runs sandboxes, but not tool servers in this version: use docker or podman' }
  const file = await findProgram(name)
  if (file === null) return { refused: `${name} not found: apt-get install ${packages[name]}` }
  const described = await (name === 'podman' ? describePodman(file, runtime) : describeDocker(file, runtime))
  if ('refused' in described) return described
  const init = await initArguments(described.engine)
  return 'refused' in init ? init : { engine: described.engine, init }
}

/** @param wanted null for the first engine that responds */
const findEngine = async (wanted: ContainerEngine | null, runtime: string | null): Promise<Found> => {
  const reasons: string[] = []
  for (const name of wanted === null ? containerEngines : [wanted]) {
    const found = await describeEngine(name, runtime)
    if ('engine' in found) return found
    reasons.push(found.refused)
  }
  return { refused: reasons.join('; ') }
}

export const chooseToolEngine = async (
  wanted: ContainerEngine | null,
  runtime: string | null,
): Promise<{ readonly engine: ToolEngine } | { readonly refused: string }> => {
  const found = await findEngine(wanted, runtime)
  return 'refused' in found ? found : { engine: toToolEngine(found) }
}

interface ImageParts extends Pick<RootfsOptions, 'node' | 'libraries' | 'files'> {
  /** Name without the tag, which depends on the content. */
  readonly name: string
  /** Null for the first that works. */
  readonly engine: ContainerEngine | null
}

export interface MadeImage {
  readonly engine: ContainerEngine
  /** The image name in a catalog entry. */
  readonly image: string
  readonly id: string
}

/** Null for the first that works. Rejects with `no-sandbox`. */
export const needEngine = async (wanted: ContainerEngine | null): Promise<Engine> => {
  const found = await findEngine(wanted, null)
  if ('refused' in found) throw new ServiceError('no-sandbox', { detail: found.refused, hint: 'install a container engine and start it' })
  return found.engine
}

/** Created once per content. Rejects with `no-sandbox` where no engine can import it. */
export const makeImage = async ({ name, engine: wanted, node, libraries = [], files }: ImageParts): Promise<MadeImage> => {
  const engine = await needEngine(wanted)
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-image-'))
  try {
    const target = join(directory, 'rootfs')
    const { digest } = await assembleRootfs({ target, node, libraries, files })
    const image = `${name}:${digest.slice(0, 12)}`
    const id = await ensureImage(engine, { tag: image, directory: target, entries: ['.'] })
    return { engine: engine.name, image, id }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
