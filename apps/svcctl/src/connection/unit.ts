// The unit that commands talk to: its address, the token for it, and what it says of itself. A unit that does not answer is no error here.
import { readFile } from 'node:fs/promises'
import { type Client, createClient } from '@gatehouse/client'
import { ServiceError, type Status } from '@gatehouse/contracts'
import type { Environment } from '../command.ts'
import { createFetch } from './node-fetch.ts'

/** Which addresses a token may be sent to. */
export interface AddressOptions {
  /** Whether a token would be sent. */
  readonly token: boolean
  readonly insecure: boolean
}

/** The URL parser has already written every IPv4 address in four decimal parts. */
const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)

const refuse = (detail: string, hint: string): ServiceError => new ServiceError('invalid', { detail, hint })

/** Gives the address back when it is one that may be asked. */
export const checkAddress = (address: string, { token, insecure }: AddressOptions): string => {
  const url = URL.parse(address)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') {
    throw refuse('expected the address of a unit as an http or https URL without a user', 'such as --addr http://127.0.0.1:8787')
  }
  if (token && !insecure && url.protocol === 'http:' && !isLoopback(url.hostname)) {
    throw refuse(
      `expected https for ${url.hostname}, which is not this machine; over http everybody on the way could read the token, so it was not sent`,
      'use https, or --insecure-http if the network itself is private',
    )
  }
  return address
}

/** The bearer token, from the environment or a file. Never from a flag, which every user of the machine could read. */
const fromFile = async (path: string): Promise<string> => {
  try {
    const token = (await readFile(path, 'utf8')).trim()
    if (token !== '') return token
  } catch (error) {
    throw new ServiceError('invalid', {
      detail: `expected a file with the token at ${path}, it cannot be read`,
      hint: 'check the path and its mode',
      cause: error,
    })
  }
  throw new ServiceError('invalid', { detail: `expected a file with the token at ${path}, it is empty` })
}

/** `--token-file` is stronger than the environment. Undefined where nothing names a token. */
export const readToken = async (environment: Environment, path: string | undefined): Promise<string | undefined> => {
  const token = environment['SERVICE_API_TOKEN']?.trim() || undefined
  const twin = environment['SERVICE_API_TOKEN_FILE'] || undefined
  if (path !== undefined) return await fromFile(path)
  if (token !== undefined && twin !== undefined) {
    throw new ServiceError('invalid', {
      detail: 'expected SERVICE_API_TOKEN or SERVICE_API_TOKEN_FILE, got both',
      hint: 'unset one of them',
    })
  }
  return twin === undefined ? token : await fromFile(twin)
}

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
