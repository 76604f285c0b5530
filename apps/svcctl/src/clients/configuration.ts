// The configuration file of an MCP client, with an entry for this unit. It holds a token, so that only its owner may read it.
import { randomBytes } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { jsonBounds, ServiceError } from '@gatehouse/contracts'
import { parseJson } from '@gatehouse/kernel'
import type { Environment } from '../command.ts'
import { type ClientName, type Endpoint, formatOf } from './formats.ts'

export interface Configuration {
  /** Undefined where it is printed. */
  readonly path: string | undefined
  /** The whole of it, with this token. */
  textWith(token: string): string
}

const isAbsent = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'

const readPresent = async (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((cause: unknown) => {
    if (isAbsent(cause)) return undefined
    throw new ServiceError('invalid', { detail: `expected a file that can be read at ${path}`, hint: 'check the path and its mode', cause })
  })

const parsePresent = (text: string, path: string): Record<string, unknown> => {
  try {
    return text.trim() === '' ? {} : (parseJson(text, jsonBounds.stateFile) as Record<string, unknown>)
  } catch (cause) {
    throw new ServiceError('malformed', {
      detail: `expected JSON without comments in ${path}, got something else`,
      hint: 'leave out --write, and put what is printed into the file',
      cause,
    })
  }
}

export interface ConfigurationOptions extends Omit<Endpoint, 'token'> {
  readonly client: ClientName
  readonly write: boolean
  readonly force: boolean
  readonly environment: Environment
}

/** Throws for a file that cannot take the entry, before any token is made. */
export const openConfiguration = async (options: ConfigurationOptions): Promise<Configuration> => {
  const { client, write, force, environment, name, url } = options
  const format = formatOf(client)
  const path = write ? format.path?.(environment) : undefined
  if (write && path === undefined)
    throw new ServiceError('invalid', { detail: `expected a client with a file of its own for --write, got ${client}` })
  const text = path === undefined ? undefined : await readPresent(path)
  const present = text === undefined || path === undefined || format.syntax === 'toml' ? text : parsePresent(text, path)
  const textWith = (token: string): string => format.write({ name, url, token }, { present, force })
  textWith('')
  return { path, textWith }
}

/** The file is replaced at once and whole. */
export const writeConfiguration = async (path: string, text: string): Promise<void> => {
  const place = `${path}.${randomBytes(4).toString('hex')}.part`
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(place, text, { mode: 0o600, flag: 'wx', flush: true })
    await rename(place, path)
  } catch (error) {
    await rm(place, { force: true })
    throw error
  }
}
