// Ids as people type them: `@1` for a row of the last list, or any beginning that only one change or session has.
// The last lists that a person saw are kept in the user's state directory with mode 0600.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Client } from '@gatehouse/client'
import { ChangeID, limits, ServiceError, SessionID } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Environment } from '../command.ts'
import { readAllPages } from '../connection/pages.ts'

const lists = { change: 'svcctl change pending', session: 'svcctl session list' } as const

const choose = (kind: keyof typeof lists, text: string, ids: readonly string[]): string => {
  const matches = [...new Set(ids)].filter((id) => id.startsWith(text))
  const [only] = matches
  if (only !== undefined && matches.length === 1) return only
  if (only === undefined) throw new ServiceError('not-found', { detail: `${kind} ${text} not found`, hint: lists[kind] })
  const shown = matches.slice(0, 3).join(', ')
  throw new ServiceError('invalid', {
    detail: `${text} is the beginning of ${matches.length} ${kind}s: ${shown}${matches.length > 3 ? ', …' : ''}`,
    hint: 'type more of the id',
  })
}

/** First and last instant that the digits of an id can mean, so that only changes of that time are read. */
const spanOf = (digits: string): { readonly since?: string; readonly until?: string } => {
  // Only whole parts of a time bound it: a day, an hour, a minute, a second.
  const whole = [14, 12, 10, 8].find((length) => digits.length >= length)
  if (whole === undefined) return {}
  const first = Date.parse(
    digits
      .slice(0, whole)
      .padEnd(14, '0')
      .replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  const length = { 14: 1_000, 12: 60_000, 10: 3_600_000, 8: 86_400_000 }[whole] ?? 0
  if (Number.isNaN(first)) return {}
  return { since: new Date(first).toISOString(), until: new Date(first + length).toISOString() }
}

export const resolveChange = async (client: Client, text: string): Promise<string> => {
  if (v.safeParse(ChangeID, text).success) return text
  const digits = /^chg_(\d{1,14}(?:\.\d{0,9})?)$/.exec(text.startsWith('chg_') ? text : `chg_${text}`)?.[1]
  if (digits === undefined) return choose('change', text, [])
  const span = spanOf(digits.slice(0, 14))
  const [pending, history] = await Promise.all([
    readAllPages((cursor) => client.changes.pending({ ...span, cursor })),
    readAllPages((cursor) => client.changes.history({ ...span, cursor })),
  ])
  return choose(
    'change',
    `chg_${digits}`,
    [...pending, ...history].map(({ id }) => id),
  )
}

export const resolveSession = async (client: Client, text: string): Promise<string> => {
  if (v.safeParse(SessionID, text).success) return text
  const prefix = text.startsWith('ses_') ? text : `ses_${text}`
  const sessions = await readAllPages((cursor) => client.sessions.list({ cursor, limit: limits.pageSizeMost }))
  return choose(
    'session',
    prefix,
    sessions.map(({ id }) => id),
  )
}

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
