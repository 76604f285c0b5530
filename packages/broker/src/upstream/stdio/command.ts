// The command line of a local server: its program, and what encloses it. Where the host allows a process namespace, the server ends with
// everything that it started. There is no other isolation: it sees the host's files and network.
import { access, constants, stat } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { limits } from '@gatehouse/contracts'
import { execa } from 'execa'
import { UpstreamFailure } from '../base/failure.ts'

/** `PATH` of a local server: the host's own directories. */
export const serverPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => null))?.isFile() ?? false

const isExecutable = async (path: string): Promise<boolean> => {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The absolute path of a program, or null. */
const findProgram = async (name: string, path = serverPath): Promise<string | null> => {
  for (const directory of path.split(':')) {
    const candidate = join(directory, name)
    if (isAbsolute(candidate) && (await isFile(candidate)) && (await isExecutable(candidate))) return candidate
  }
  return null
}

/** An absolute path is taken as it is; a bare name is looked up; a relative path has no meaning on a host. */
export const findCommand = async (command: string, path: string): Promise<string> => {
  if (!command.includes('/')) {
    const found = await findProgram(command, path)
    if (found !== null) return found
    throw new UpstreamFailure('command-not-found')
  }
  if (!isAbsolute(command) || !(await isFile(command))) throw new UpstreamFailure('command-not-found')
  if (!(await isExecutable(command))) throw new UpstreamFailure('not-executable')
  return command
}

export interface Enclosure {
  /** Goes before the server's own command line. */
  readonly prefix: readonly string[]
  /** Everything that the server started ends with it, also what left its process group. */
  readonly isWhole: boolean
}

const namespaceFlags = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent']

const works = async (bwrap: string): Promise<boolean> => {
  const tried = await execa(bwrap, [...namespaceFlags, '--', '/bin/true'], {
    env: {},
    extendEnv: false,
    stdio: 'ignore',
    reject: false,
    timeout: limits.connectTime,
  })
  return tried.exitCode === 0
}

/** Without a namespace the kernel at least ends the server itself when the broker dies in any way. */
const findNamespace = async (): Promise<Enclosure> => {
  const bwrap = await findProgram('bwrap')
  if (bwrap !== null && (await works(bwrap))) return { prefix: [bwrap, ...namespaceFlags, '--'], isWhole: true }
  const setpriv = await findProgram('setpriv')
  return { prefix: setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--'], isWhole: false }
}

/** Arguments of `nice`: the work of a server must not slow down the broker. */
const deprioritize = ['-n', String(limits.sandboxNice), '--'] as const

const buildEnclosure = async (): Promise<Enclosure> => {
  const [{ prefix, isWhole }, nice] = await Promise.all([findNamespace(), findProgram('nice')])
  return { prefix: [...(nice === null ? [] : [nice, ...deprioritize]), ...prefix], isWhole }
}

let shared: Promise<Enclosure> | undefined

/** The same for every server of this process. */
export const findEnclosure = (): Promise<Enclosure> => {
  shared ??= buildEnclosure()
  return shared
}
