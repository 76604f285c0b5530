// Asks the unit at an address who it is. That it does not answer is a finding like any other.
import { type Client, createClient } from '@gatehouse/client'
import type { Status } from '@gatehouse/contracts'
import type { Environment } from '../command.ts'
import { checkAddress } from './address.ts'
import { createFetch } from './node-fetch.ts'
import { readToken } from './token.ts'

export interface UnitAddress {
  readonly environment: Environment
  readonly address: string
  /** Of the flag. */
  readonly tokenFile: string | undefined
  readonly insecure: boolean
}

/** What is known of the unit: asked for once, by all that want to know. */
export type Unit =
  | { readonly reached: true; readonly client: Client; readonly status: Status }
  | { readonly reached: false; readonly error: unknown }

export const askUnit = async ({ environment, address, tokenFile, insecure }: UnitAddress): Promise<Unit> => {
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
