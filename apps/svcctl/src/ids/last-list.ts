// The ids of the last lists that a person saw, kept in the user's state directory with mode 0600, so that `@1` names the first row.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Environment } from '../command.ts'

export const idKinds = ['change', 'session', 'group', 'server', 'token'] as const
export type IdKind = (typeof idKinds)[number]

const LastLists = v.record(v.string(), v.object({ address: v.string(), ids: v.array(v.string()) }))
type LastLists = v.InferOutput<typeof LastLists>

/** Where svcctl keeps what outlives a command. */
const stateDirectory = (environment: Environment): string =>
  join(environment['XDG_STATE_HOME'] || join(environment['HOME'] || homedir(), '.local/state'), 'svcctl')

const fileOf = (environment: Environment): string => join(stateDirectory(environment), 'last-list.json')

const read = async (environment: Environment): Promise<LastLists> => {
  try {
    return v.parse(LastLists, JSON.parse(await readFile(fileOf(environment), 'utf8')))
  } catch {
    return {}
  }
}

export interface ListedIDs {
  readonly kind: IdKind
  /** Of the unit. */
  readonly address: string
  readonly ids: readonly string[]
}

/** A home that cannot be written is no reason to fail: `@1` is then not known. */
export const rememberList = async (environment: Environment, { kind, address, ids }: ListedIDs): Promise<void> => {
  const file = fileOf(environment)
  try {
    const lists = { ...(await read(environment)), [kind]: { address, ids: [...ids] } }
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, JSON.stringify(lists), { mode: 0o600 })
  } catch {
    // Nothing is kept.
  }
}

const listCommands: Readonly<Record<IdKind, string>> = {
  change: 'svcctl change pending',
  session: 'svcctl session list',
  group: 'svcctl group list',
  server: 'svcctl mcp list',
  token: 'svcctl token list',
}

export interface IdQuestion {
  readonly kind: IdKind
  readonly address: string
  readonly text: string
}

/** The id of the row that `@N` names; any other text as it is. */
export const readRow = async (environment: Environment, { kind, address, text }: IdQuestion): Promise<string> => {
  const number = /^@(\d{1,6})$/.exec(text)?.[1]
  if (number === undefined) return text
  const last = (await read(environment))[kind]
  const id = last?.address === address ? last.ids[Number(number) - 1] : undefined
  if (id !== undefined) return id
  const why = last === undefined ? `no ${kind} was listed yet` : `the last list has ${last.ids.length} rows`
  throw new ServiceError('not-found', {
    detail: last !== undefined && last.address !== address ? `${text}: the last list came from ${last.address}` : `${text}: ${why}`,
    hint: listCommands[kind],
  })
}
