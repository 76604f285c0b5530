// The built svcctl, run as an operator runs it against a unit.
import { join } from 'node:path'
import { execa } from 'execa'
import { release } from './unit.ts'

export interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Where {
  readonly address: string
  readonly token?: string
  readonly home: string
  readonly input?: string
  readonly env?: Readonly<Record<string, string>>
}

export const runSvcctl = async (args: readonly string[], { address, token, home, input, env }: Where): Promise<Ran> => {
  const { exitCode, stdout, stderr } = await execa(process.execPath, [join(release, 'svcctl/svcctl.mjs'), ...args], {
    env: { HOME: home, SERVICE_API_URL: address, ...(token !== undefined && { SERVICE_API_TOKEN: token }), ...env },
    extendEnv: false,
    reject: false,
    input: input ?? '',
  })
  return { code: exitCode ?? -1, stdout, stderr }
}
