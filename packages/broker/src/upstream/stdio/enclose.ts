// Puts a local server where it can be ended whole, with all that it starts: a process namespace of its own where the host
// lets us make one. No isolation otherwise: it sees the host's files and network.
import { execa } from 'execa'
import { limits } from '@gatehouse/contracts'
import { findProgram } from './find-command.ts'

export interface Enclosure {
  /** What stands before the server's own command line. */
  readonly prefix: readonly string[]
  /** Everything that the server started ends with it, also what left its process group. */
  readonly isWhole: boolean
}

const walls = ['--dev-bind', '/', '/', '--unshare-pid', '--proc', '/proc', '--die-with-parent']

const works = async (bwrap: string): Promise<boolean> => {
  const tried = await execa(bwrap, [...walls, '--', '/bin/true'], {
    env: {},
    extendEnv: false,
    stdio: 'ignore',
    reject: false,
    timeout: limits.connectTime,
  })
  return tried.exitCode === 0
}

/** Without a namespace the kernel at least ends the server itself when the broker dies in any way. */
const find = async (): Promise<Enclosure> => {
  const bwrap = await findProgram('bwrap')
  if (bwrap !== null && (await works(bwrap))) return { prefix: [bwrap, ...walls, '--'], isWhole: true }
  const setpriv = await findProgram('setpriv')
  return { prefix: setpriv === null ? [] : [setpriv, '--pdeathsig', 'KILL', '--'], isWhole: false }
}

/** What a server computes takes no processor from those who wait for the broker. */
const behindOthers = ['-n', String(limits.sandboxNice), '--'] as const

const findAll = async (): Promise<Enclosure> => {
  const [{ prefix, isWhole }, nice] = await Promise.all([find(), findProgram('nice')])
  return { prefix: [...(nice === null ? [] : [nice, ...behindOthers]), ...prefix], isWhole }
}

let found: Promise<Enclosure> | undefined

/** The same for every server of this process. */
export const enclosure = (): Promise<Enclosure> => {
  found ??= findAll()
  return found
}
