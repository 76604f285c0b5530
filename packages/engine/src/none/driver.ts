// No sandbox: a plain child process under Node's permission model, for the mock agent on a developer's machine. It has network access.
import { dirname, join } from 'node:path'
import { sandboxSockets, ServiceError } from '@gatehouse/contracts'
import { findProgram } from '@gatehouse/kernel'
import type { Choice, ChooseOptions } from '../choice.ts'
import { controlNames, type Driver, type LaunchSpec } from '../driver.ts'
import { launchProgram, type Program } from '../launch.ts'

export interface NoneOptions {
  /** The Node that runs the agent. */
  readonly node: string
  /** Used instead of `/agent/agent.mjs`. */
  readonly agent: string
  /** Ends the child with its parent; null where util-linux is not installed. */
  readonly setpriv: string | null
}

const variables = { session: 'GATEHOUSE_SESSION_SOCKET', tools: 'GATEHOUSE_TOOLS_SOCKET' } as const

/** Nothing is mounted, so the agent gets the host paths of the sockets and its memory. */
const places = (spec: LaunchSpec): Record<string, string> => {
  const source = (target: string): string | undefined => spec.mounts.find((mount) => mount.target === target)?.source
  const found: Record<string, string> = {}
  for (const surface of ['session', 'tools'] as const) {
    const directory = source(dirname(sandboxSockets[surface]))
    if (directory !== undefined) found[variables[surface]] = join(directory, `${surface}.sock`)
  }
  const memory = source('/memory')
  return memory === undefined ? found : { ...found, GATEHOUSE_MEMORY: memory }
}

const programPath = (argument: string, spec: LaunchSpec, agent: string): string => {
  if (argument === '/agent/agent.mjs') return agent
  return argument.startsWith('/agent/') ? join(spec.rootfs, argument) : argument
}

const toProgram = (spec: LaunchSpec, { node, agent, setpriv }: NoneOptions): Program => {
  const [file, ...args] = spec.command
  if (file !== '/bin/node') throw new TypeError(`the driver none runs only /bin/node, not ${file}`)
  const programs = args.map((argument) => programPath(argument, spec, agent))
  const allowed = [
    '--permission',
    ...programs.slice(0, 1).map((path) => `--allow-fs-read=${path}`),
    ...spec.mounts.map(({ source }) => `--allow-fs-read=${source}`),
    ...spec.mounts.filter(({ mode }) => mode === 'rw').map(({ source }) => `--allow-fs-write=${source}`),
  ]
  const command = [node, ...allowed, `--max-old-space-size=${spec.limits.memoryMiB}`, ...programs]
  const [first = node, ...rest] = setpriv === null ? command : [setpriv, '--pdeathsig', 'KILL', '--no-new-privs', '--', ...command]
  return { file: first, args: rest, env: { ...places(spec), GATEHOUSE_HOST: String(process.pid), ...spec.env } }
}

/** The kernel ends a child with its parent, so there is nothing to reconcile. */
const createNone = (options: NoneOptions): Driver => ({
  name: 'none',
  engine: 'node',
  kernel: 'host',
  processBound: 'group',
  missing: controlNames,
  owner: () => undefined,
  prepare: async (rootfs) => rootfs,
  prepareImage: async () => {
    throw new ServiceError('no-sandbox', {
      detail: 'the driver none cannot run an image (SERVICE_SANDBOX_IMAGE)',
      hint: 'unset it, or use another driver',
    })
  },
  launch: async (spec) => launchProgram(toProgram(spec, options)),
  reconcile: async () => 0,
})

/** Always available, because it uses the Node that runs the unit. */
export const detectNone = async ({ agent, log }: ChooseOptions): Promise<Choice> => {
  log.warn('sandbox driver `none`: agents run as plain processes of this user, with network access; for testing only')
  return { driver: createNone({ node: process.execPath, agent, setpriv: await findProgram('setpriv') }) }
}
