// The container engine for tool servers: how it is chosen, and how a container starts and ends.
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

/** The system call filter of tool servers: our own list of agents, and what the first process of a container needs beside it. */
const Profile = v.looseObject({ syscalls: v.array(v.looseObject({ names: v.array(v.string()), action: v.string() })) })

/** It puts the server into a process group of its own, and offers it a terminal, where there is none. */
const TIOCSPGRP = 0x5410
const forInit = [
  { names: ['setpgid', 'setsid'], action: 'SCMP_ACT_ALLOW' },
  { names: ['ioctl'], action: 'SCMP_ACT_ALLOW', args: [{ index: 1, value: TIOCSPGRP, valueTwo: 0, op: 'SCMP_CMP_EQ' }] },
]

/** A person approved the server, and many of them watch their files. */
const forServers = Object.keys(watches)

/**
 * An old gVisor answers EPERM where it should say that a call does not exist, and then no program can make a thread; its own
 * kernel does not know this call, so there it may be asked.
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
  /** False where memory, processors and processes are not really bounded here. */
  readonly limits: boolean
  /** Whom a directory that a server writes must belong to. */
  readonly owner: HostIdentity | undefined
  /** Writes the system call filter that its runtime takes. */
  writeProfile(path: string): Promise<void>
  /** The id of an image that is on this host, by name or id; null where there is none. Throws `no-sandbox` where nobody can tell. */
  findImage(reference: string): Promise<string | null>
  run(order: ToolOrder, streams: ToolStreams): ToolRun
  /** Ends a container by its name, however far it has come; resolves when `run` has ended. */
  end(name: string, run: ToolRun): Promise<void>
  /** Removes what an earlier start of this unit left, and nobody else's; returns how many. */
  removeStrays(unitId: string): Promise<number>
}

/** A container that is still being made cannot be killed yet. */
const killEvery = 300

/** Resolves with whether it has ended. */
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

/** How this engine is, by its own word. */
export const describeEngine = async (name: ContainerEngine, runtime: string | null): Promise<Found> => {
  if (name === 'nerdctl') return { refused: 'nerdctl runs sandboxes, but no tool servers in this version: take docker or podman' }
  const file = await findProgram(name)
  if (file === null) return { refused: `${name} not found: apt-get install ${packages[name]}` }
  const described = await (name === 'podman' ? describePodman(file, runtime) : describeDocker(file, runtime))
  if ('refused' in described) return described
  const init = await initArguments(described.engine)
  return 'refused' in init ? init : { engine: described.engine, init }
}

/** `wanted` null: the first that answers. */
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

interface ImageParts extends Pick<RootfsOptions, 'node' | 'files'> {
  /** Without a tag, which is of the content. */
  readonly name: string
  /** Null: the first that works. */
  readonly engine: ContainerEngine | null
}

export interface MadeImage {
  readonly engine: ContainerEngine
  /** What a catalog entry names. */
  readonly image: string
  readonly id: string
}

/** Made once for one content. Throws `no-sandbox` where no engine can take it. */
export const makeImage = async ({ name, engine: wanted, node, files }: ImageParts): Promise<MadeImage> => {
  const found = await findEngine(wanted, null)
  if ('refused' in found) throw new ServiceError('no-sandbox', { detail: found.refused, hint: 'install a container engine and start it' })
  const { engine } = found
  const directory = await mkdtemp(join(tmpdir(), 'gatehouse-image-'))
  try {
    const target = join(directory, 'rootfs')
    const { digest } = await assembleRootfs({ target, node, files })
    const image = `${name}:${digest.slice(0, 12)}`
    const id = await ensureImage(engine, { tag: image, directory: target, entries: ['.'] })
    return { engine: engine.name, image, id }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
