// What all checks look at, made once.
import { existsSync } from 'node:fs'
import { createClient } from '@gatehouse/client'
import type { Environment } from '../command.ts'
import { checkAddress } from '../connection/address.ts'
import { createFetch } from '../connection/node-fetch.ts'
import { readToken } from '../connection/token.ts'
import { stateDirectories } from '../journal/find-journal.ts'
import { loginName } from '../submission/login-name.ts'
import type { Site, Unit } from './check.ts'

export interface SiteOptions {
  readonly environment: Environment
  readonly address: string
  readonly tokenFile: string | undefined
  readonly insecure: boolean
  readonly stateDir: string | undefined
}

const reach = async ({ environment, address, tokenFile, insecure }: SiteOptions): Promise<Unit> => {
  try {
    const token = await readToken(environment, tokenFile)
    const client = createClient({
      address: checkAddress(address, { token: token !== undefined, insecure }),
      token,
      fetch: createFetch(environment),
    })
    return { reached: true, client, status: await client.status({ timeout: 5_000 }) }
  } catch (error) {
    return { reached: false, error }
  }
}

export const createSite = (options: SiteOptions): Site => {
  const found = stateDirectories(options.environment).filter((path) => existsSync(path))
  return {
    ...options,
    stateDir: options.stateDir ?? (found.length === 1 ? found[0] : undefined),
    self: loginName(),
    unit: reach(options),
  }
}
