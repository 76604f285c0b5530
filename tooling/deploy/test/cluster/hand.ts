// What a person with kubectl, Helm and svcctl types, in the network of the cluster.
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { release } from '@gatehouse/end-to-end'
import { execa } from 'execa'
import { putPrograms } from '../chart/helm.ts'
import type { Cluster } from '../../src/cluster/open-cluster.ts'

export interface Said {
  readonly code: number | undefined
  readonly said: string
}

export interface Hand {
  /** Where it types. */
  readonly directory: string
  readonly env: Readonly<Record<string, string>>
  /** Whatever comes of it. */
  try(line: string, input?: object): Promise<Said>
  /** Rejects where it does not end well. Returns what it said. */
  type(line: string, input?: object): Promise<string>
}

export const openHand = async ({ directory: home, kubeconfig, inside }: Cluster): Promise<Hand> => {
  const [programs, directory] = [join(home, 'bin'), join(home, 'here')]
  await mkdir(programs)
  await mkdir(directory)
  await putPrograms(programs)
  const env = {
    PATH: [programs, join(release, 'bin'), dirname(process.execPath), '/usr/sbin:/usr/bin:/sbin:/bin'].join(':'),
    HOME: home,
    KUBECONFIG: kubeconfig,
    TERM: 'dumb',
    LC_ALL: 'C.UTF-8',
  }
  const [nsenter = '', ...words] = inside
  const attempt = async (line: string, input?: object): Promise<Said> => {
    const { exitCode, all } = await execa(nsenter, [...words, 'bash', '-ec', line], {
      cwd: directory,
      env,
      extendEnv: false,
      input: input === undefined ? '' : JSON.stringify(input),
      all: true,
      reject: false,
      timeout: 300_000,
    })
    return { code: exitCode, said: all }
  }
  const type = async (line: string, input?: object): Promise<string> => {
    const { code, said } = await attempt(line, input)
    if (code !== 0) throw new Error(`${line}: ended with ${code}\n${said}`)
    return said
  }
  return { directory, env, try: attempt, type }
}
