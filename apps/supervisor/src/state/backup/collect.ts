// Collects everything that an archive holds as of one moment, then reads it as a stream.
import { lstat, open, readdir, readFile, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { archiveFormat, archiveVersion, type Entry, computeKeyCheck, type Manifest, stateRoot } from '@gatehouse/archive'
import { hostActsFile, type Mode, runnerCredentialFile, stateFiles, stateSchema } from '@gatehouse/contracts'
import {
  backupCopyPrefix,
  type Epoch,
  hasHostIds,
  hostIdentity,
  incomingName,
  lostAndFound,
  restoringPrefix,
  wallTime,
} from '@gatehouse/kernel'
import { copyDatabases, type Source, type Taken } from './databases.ts'
import { bodyOf, type Grown, lastLine, linesEntries, openLines } from './lines.ts'
import { createRoom } from './notices.ts'
import { plainTree, type Walk } from './plain-tree.ts'

export interface BackupSource extends Source {
  readonly mode: Mode
  readonly installation: string
  readonly release: string
  readonly newest: Epoch
  readonly masterKey: 'inside' | 'outside'
  /** Path of the catalog file; null without tool servers. */
  readonly catalog: string | null
  readonly notice: Walk['notice']
}

export interface Collected {
  readonly manifest: Manifest
  /** Once. */
  readonly entries: () => AsyncGenerator<Entry>
  /** Closes what was opened for it. */
  readonly close: () => Promise<void>
}

const stems = ['audit', 'calls', 'model-calls'] as const

const database = (name: string): boolean => name.startsWith(stateFiles.database)
const ofLines = (name: string): boolean => stems.some((stem) => name.startsWith(`${stem}.`) && /\.jsonl(?:\.next)?$/.test(name))
const apart: ReadonlySet<string> = new Set([
  stateFiles.locks,
  stateFiles.auditReserve,
  stateFiles.queues,
  stateFiles.keys,
  hostActsFile,
  runnerCredentialFile,
  lostAndFound,
])

const leftOut = (name: string): boolean =>
  apart.has(name) ||
  database(name) ||
  ofLines(name) ||
  name.startsWith(backupCopyPrefix) ||
  name.startsWith(restoringPrefix) ||
  /^\..*\.tmp$/.test(name)

interface Place {
  readonly uid: number
  readonly gid: number
  readonly mtime: Date
}

async function* once(chunk: Uint8Array): AsyncGenerator<Uint8Array> {
  if (chunk.length > 0) yield chunk
}

const fileOf = (path: string, content: Uint8Array, place: Place): Entry => ({
  ...place,
  type: 'file',
  path: `${stateRoot}/${path}`,
  mode: 0o600,
  size: content.length,
  body: once(content),
})

const directoryOf = (path: string, place: Place): Entry => ({
  ...place,
  type: 'directory',
  path: path === '' ? stateRoot : `${stateRoot}/${path}`,
  mode: 0o700,
})

const copyOf = async (copies: string, name: string, { path, ...place }: Place & { path: string }): Promise<Entry> => {
  const file = await open(join(copies, name), 'r')
  const { size } = await file.stat()
  const short = (): void => {
    throw new Error(`${name}: the copy was cut while it was read`)
  }
  return { ...place, type: 'file', path: `${stateRoot}/${path}`, mode: 0o600, size, body: bodyOf(file, { size, short }) }
}

interface Top {
  readonly files: ReadonlyMap<string, Buffer>
  readonly directories: readonly string[]
}

/** The files beside the journals and databases are small. */
const readTop = async (stateDir: string): Promise<Top> => {
  const files = new Map<string, Buffer>()
  const directories: string[] = []
  for (const name of (await readdir(stateDir)).toSorted()) {
    if (leftOut(name)) continue
    const found = await lstat(join(stateDir, name)).catch(() => undefined)
    if (found?.isDirectory() === true) directories.push(name)
    else if (found?.isFile() === true) files.set(name, await readFile(join(stateDir, name)))
  }
  return { files, directories }
}

interface Moment {
  readonly wanted: BackupSource
  readonly place: Place
  readonly taken: Taken
  readonly top: Top
  readonly lines: readonly Grown[]
  /** Images of disks that are not mounted. */
  readonly images: ReadonlySet<string>
  /** Read from outside of the state directory. */
  readonly catalog: Buffer | undefined
}

/**
 * Images of disks, and names of those that setup made: their files lie where they are mounted. Those of groups that are gone are as large
 * as they ever were.
 */
const isImage = (path: string): boolean => /^state\/groups\/(?:\.disks|\.removed\/[^/]+)\/[^/]+\.(?:img|disk)(?:\.|$)/.test(path)

/** What a disk has at its root beside the files of its group. */
const isOfDisk = (path: string): boolean => /^state\/groups\/[^/.][^/]*\/(?:lost\+found|\.disk)$/.test(path)

const incoming = `${stateRoot}/${stateFiles.groups}/${incomingName}`

async function* entriesOf({ wanted, place, taken, top, lines, catalog, images }: Moment): AsyncGenerator<Entry> {
  const { stateDir, copies, notice } = wanted
  yield directoryOf('', place)
  for (const [name, content] of top.files) yield fileOf(name, content, place)
  if (catalog !== undefined) yield fileOf(stateFiles.catalog, catalog, place)
  yield* linesEntries(lines, stateRoot)
  yield await copyOf(copies, stateFiles.database, { ...place, path: stateFiles.database })
  for (const folder of [stateFiles.keys, stateFiles.queues]) {
    yield directoryOf(folder, place)
    for (const [name, content] of taken) if (name.startsWith(`${folder}/`)) yield fileOf(name, content, place)
  }
  for (const name of (await readdir(copies)).toSorted()) {
    const session = /^(.+)\.db$/.exec(name)?.[1]
    if (name === stateFiles.database || session === undefined || !taken.has(`${stateFiles.keys}/${session}.key`)) continue
    yield await copyOf(copies, name, { ...place, path: `${stateFiles.queues}/${name}` })
  }
  const leaves = (path: string): boolean => path === incoming || isOfDisk(path) || (isImage(path) && !images.has(path))
  const { bavail, bsize } = await statfs(stateDir)
  const room = createRoom(bavail * bsize)
  const refuses: Walk['refuses'] = (entry, occupied) => (images.has(entry.path) ? undefined : room(entry, occupied))
  for (const name of top.directories) yield* plainTree(join(stateDir, name), `${stateRoot}/${name}`, { notice, leaves, refuses })
}

const readCatalog = async ({ catalog, stateDir }: BackupSource, { files }: Top): Promise<Buffer | undefined> => {
  if (catalog === null || catalog.startsWith(`${stateDir}/`) || files.has(stateFiles.catalog)) return undefined
  return readFile(catalog)
}

/** What was in flight is read before the records, so that none is missing in both. */
export const collect = async (wanted: BackupSource): Promise<Collected> => {
  const { stateDir, mode, installation, release, newest, masterKey } = wanted
  const taken = await copyDatabases(wanted)
  const closed = (await wanted.queues?.openDisks()) ?? []
  const images = new Set(closed.map((group) => `${stateRoot}/groups/.disks/${group}.img`))
  const top = await readTop(stateDir)
  const lines: Grown[] = []
  for (const stem of stems) lines.push(...(await openLines(stateDir, stem)))
  const { uid, gid, mtime } = await stat(stateDir)
  const catalog = await readCatalog(wanted, top)
  const head = await lastLine(lines.filter(({ name }) => name.startsWith('audit.')))
  const manifest: Manifest = {
    format: archiveFormat,
    version: archiveVersion,
    schema: stateSchema,
    release,
    installation,
    mode,
    createdAt: wallTime(),
    head: head ?? { seq: 0, hash: '0'.repeat(64) },
    masterKey,
    keyCheck: computeKeyCheck(newest),
    owners: process.getuid?.() === 0,
    ...(process.getuid?.() !== 0 || (await hasHostIds()) ? {} : { unit: hostIdentity() }),
    catalog: catalog === undefined ? null : wanted.catalog,
  }
  return {
    manifest,
    entries: () => entriesOf({ wanted, place: { uid, gid, mtime }, taken, top, lines, catalog, images }),
    close: async () => {
      for (const { file } of lines) await file.close().catch(() => undefined)
    },
  }
}
