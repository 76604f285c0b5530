// Which sandbox drivers this machine can run, and what to install for those that it cannot.
import type { SandboxDriver } from '@gatehouse/contracts'
import { execa } from 'execa'

export interface Combination {
  readonly driver: SandboxDriver
  readonly runtime?: 'runc' | 'runsc'
  readonly name: string
  /** Undefined where it can run here. */
  readonly lacks?: string
}

const answers = async (command: string, args: readonly string[]): Promise<string | undefined> => {
  const { exitCode, stdout } = await execa(command, args, { reject: false, timeout: 20_000 })
  return exitCode === 0 ? stdout : undefined
}

export const findCombinations = async (): Promise<readonly Combination[]> => {
  const bubblewrap = await answers('bwrap', ['--version'])
  const runtimes = await answers('docker', ['info', '--format', '{{json .Runtimes}}'])
  const engine = (runtime: string): { lacks?: string } =>
    runtimes === undefined
      ? { lacks: 'needs a running Docker Engine, install with: apt-get install -y docker.io' }
      : runtimes.includes(`"${runtime}"`)
        ? {}
        : { lacks: `needs the runtime ${runtime} registered in /etc/docker/daemon.json, install with: apt-get install -y ${runtime}` }
  return [
    {
      name: 'bubblewrap',
      driver: 'bubblewrap',
      ...(bubblewrap === undefined ? { lacks: 'needs bwrap, install with: apt-get install -y bubblewrap' } : {}),
    },
    { name: 'docker with runc', driver: 'container', runtime: 'runc', ...engine('runc') },
    { name: 'docker with runsc', driver: 'container', runtime: 'runsc', ...engine('runsc') },
    { name: 'none', driver: 'none' },
  ]
}

export const flagsOf = ({ driver, runtime }: Combination): string[] => [
  '--sandbox',
  driver,
  ...(runtime === undefined ? [] : ['--sandbox-runtime', runtime]),
]

/** In CI what cannot run is a failure: a skip there would hide a missing install step. */
export const skipReason = ({ lacks }: Combination): string | false => {
  if (lacks === undefined) return false
  if (process.env['CI'] === 'true') throw new Error(lacks)
  return lacks
}
