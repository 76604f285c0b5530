// The catalog: a JSON file that only the gateway writes, 0600, read at start.
import { readFile, stat } from 'node:fs/promises'
import {
  Catalog as CatalogFile,
  type CatalogEntry,
  exits,
  type FieldIssue,
  isServiceError,
  ServerName,
  ServiceError,
} from '@gatehouse/contracts'
import { Refusal, writeAtomically } from '@gatehouse/kernel'
import * as v from 'valibot'
import { parse } from '../input/parse.ts'
import { checkEntry } from './check.ts'

type Entries = ReadonlyMap<ServerName, CatalogEntry>

export interface Catalog {
  /** False on a unit without tool servers. */
  readonly enabled: boolean
  get(name: ServerName): CatalogEntry | undefined
  names(): ServerName[]
  /** On disk when it resolves; if it rejects, the entries are what they were. */
  set(name: ServerName, entry: CatalogEntry): Promise<void>
  remove(name: ServerName): Promise<void>
}

export interface CatalogOptions {
  /** Null on a unit without tool servers. */
  readonly path: string | null
  /** What a new file holds. */
  readonly initial: Readonly<Record<string, CatalogEntry>>
}

const refuse = (detail: string, hint: string, cause?: unknown): Refusal => new Refusal(exits.configuration, { detail, hint, cause })

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')

const exists = async (path: string): Promise<boolean> => {
  try {
    const found = await stat(path)
    if (!found.isFile()) throw refuse(`expected the catalog file at ${path}, got something else`, `move ${path} away`)
    const mode = found.mode & 0o777
    if ((mode & 0o077) === 0) return true
    throw refuse(`expected mode 0600 on the catalog file ${path}, got ${mode.toString(8).padStart(4, '0')}`, `run: chmod 600 ${path}`)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

const write = (path: string, entries: Entries): Promise<void> =>
  writeAtomically(path, `${JSON.stringify(Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`)

const parseJson = (path: string, text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    // The parser's own message repeats the text around the fault, which may be a secret.
    throw refuse(`expected JSON in the catalog file ${path}, got something else`, 'an empty catalog is {}', error)
  }
}

const refuseFields = (path: string, issues: readonly FieldIssue[]): Refusal =>
  refuse(
    `the catalog file ${path} cannot be used: ${issues.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; ')}`,
    'correct these fields',
  )

const read = async (path: string): Promise<Entries> => {
  const json = parseJson(path, await readFile(path, 'utf8'))
  if (Array.isArray(json)) throw refuseFields(path, [{ pointer: '', detail: 'expected an object of entries by name, got a list' }])
  try {
    const entries = Object.entries(parse(CatalogFile, json, '')).map(([name, entry]) => [v.parse(ServerName, name), entry] as const)
    const issues = entries.flatMap(([name, entry]) => checkEntry(entry).map((issue) => ({ ...issue, pointer: `/${name}${issue.pointer}` })))
    if (issues.length > 0) throw refuseFields(path, issues)
    return new Map(entries)
  } catch (error) {
    if (!isServiceError(error)) throw error
    throw refuseFields(path, error.errors ?? [])
  }
}

const create = async (path: string, entries: Entries): Promise<Entries> => {
  try {
    await write(path, entries)
    return entries
  } catch (error) {
    throw refuse(`the catalog file ${path} cannot be made (${codeOf(error)})`, 'make its directory, and let this user write to it', error)
  }
}

const none: Catalog = {
  enabled: false,
  get: () => undefined,
  names: () => [],
  set: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to write')),
  remove: () => Promise.reject(new TypeError('a unit without tool servers has no catalog to write')),
}

/** Throws a `Refusal` that names the field or the chmod. */
export const openCatalog = async ({ path, initial }: CatalogOptions): Promise<Catalog> => {
  if (path === null) return none
  const first = new Map(Object.entries(initial).map(([name, entry]) => [v.parse(ServerName, name), entry]))
  let entries = (await exists(path)) ? await read(path) : await create(path, first)
  const replace = async (next: Entries): Promise<void> => {
    await write(path, next).catch((error: unknown) => {
      throw new ServiceError('unavailable', {
        detail: `the catalog file ${path} cannot be written (${codeOf(error)})`,
        hint: 'let this user write to its directory, and free disk space',
        cause: error,
      })
    })
    entries = next
  }
  return {
    enabled: true,
    get: (name) => entries.get(name),
    names: () => [...entries.keys()].toSorted(),
    set: (name, entry) => replace(new Map([...entries, [name, entry]])),
    remove: (name) => replace(new Map([...entries].filter(([key]) => key !== name))),
  }
}
