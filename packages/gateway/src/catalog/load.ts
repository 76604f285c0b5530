// Reads a catalog file that anyone may have written. Throws a `Refusal` that names the field or the chmod to run.
import { readFile, stat } from 'node:fs/promises'
import {
  Catalog as CatalogFile,
  type CatalogEntry,
  exits,
  type FieldIssue,
  isServiceError,
  jsonBounds,
  ServerName,
} from '@gatehouse/contracts'
import { describeJsonFault, ifPresent, JsonRefused, parseJson, Refusal, sha256 } from '@gatehouse/kernel'
import * as v from 'valibot'
import { parse } from '../input.ts'
import { checkEntry } from './entry.ts'

export type Entries = ReadonlyMap<ServerName, CatalogEntry>

export interface Loaded {
  readonly entries: Entries
  /** SHA-256 of the file. */
  readonly digest: string
}

export const refuse = (detail: string, hint: string, cause?: unknown): Refusal => new Refusal(exits.configuration, { detail, hint, cause })

export const getErrorCode = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : 'unknown')

const exists = async (path: string): Promise<boolean> => {
  try {
    const status = await stat(path)
    if (!status.isFile()) throw refuse(`${path} is not a regular file, so it cannot be the catalog file`, `move ${path} away`)
    const mode = status.mode & 0o777
    if ((mode & 0o077) === 0) return true
    throw refuse(`the catalog file ${path} must have mode 0600, not ${mode.toString(8).padStart(4, '0')}`, `run: chmod 600 ${path}`)
  } catch (error) {
    if (getErrorCode(error) === 'ENOENT') return false
    throw error
  }
}

const readJson = (path: string, text: string): unknown => {
  try {
    return parseJson(text, jsonBounds.catalogFile)
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error
    if (error.fault === 'syntax') throw refuse(`the catalog file ${path} is not JSON`, 'an empty catalog is {}')
    throw refuse(`the catalog file ${path} ${describeJsonFault(error.fault, error.bounds)}`, 'an empty catalog is {}')
  }
}

const refuseFields = (path: string, issues: readonly FieldIssue[]): Refusal =>
  refuse(
    `the catalog file ${path} cannot be used: ${issues.map(({ pointer, detail }) => `${pointer || '/'}: ${detail}`).join('; ')}`,
    'correct these fields',
  )

const sameNames = (names: readonly string[]): FieldIssue[] => {
  const first = new Map<string, string>()
  return names.flatMap((name) => {
    const other = first.get(name.toLowerCase())
    first.set(name.toLowerCase(), name)
    return other === undefined ? [] : [{ pointer: `/${name}`, detail: `the names ${other} and ${name} differ only in case` }]
  })
}

const parseEntries = (path: string, text: string): Entries => {
  const json = readJson(path, text)
  if (Array.isArray(json)) throw refuseFields(path, [{ pointer: '', detail: 'must be an object with entries by name, not a list' }])
  try {
    const entries = Object.entries(parse(CatalogFile, json, '')).map(([name, entry]) => [v.parse(ServerName, name), entry] as const)
    const issues = [
      ...sameNames(entries.map(([name]) => name)),
      ...entries.flatMap(([name, entry]) => checkEntry(entry).map((issue) => ({ ...issue, pointer: `/${name}${issue.pointer}` }))),
    ]
    if (issues.length > 0) throw refuseFields(path, issues)
    return new Map(entries)
  } catch (error) {
    if (!isServiceError(error)) throw error
    throw refuseFields(path, error.errors ?? [])
  }
}

/** Reads the catalog file; undefined if there is none. */
export const loadCatalog = async (path: string): Promise<Loaded | undefined> => {
  if (!(await exists(path))) return undefined
  const bytes = await readFile(path)
  return { entries: parseEntries(path, bytes.toString('utf8')), digest: sha256(bytes) }
}

/** Digest of the file; undefined if there is none. */
export const fileDigest = (path: string): Promise<string | undefined> => ifPresent(readFile(path).then(sha256))
