// Reads files of a group in parts, all of the same state of the same file, and attaches files that an agent sends.
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import {
  type AgentGroupID,
  Digest,
  FilePlace,
  isServiceError,
  limits,
  type Params,
  type Result,
  type runnerControlPlane,
  ServiceError,
} from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Attached } from '../queue/copies.ts'
import { NotPlain, openBeneath, reach } from '../safe-fs.ts'
import { namesIn, placeOf, refusing } from './refusal.ts'

type Edge = typeof runnerControlPlane
type Wanted = Params<Edge, 'fileRead'>

/** Changes with any write and any replacement of the file. */
const tagOf = ({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): Digest =>
  v.parse(Digest, createHash('sha256').update([dev, ino, size, mtimeNs, ctimeNs].join(' ')).digest('hex'))

const check = (found: BigIntStats, path: string): void => {
  const name = JSON.stringify(path)
  if (!found.isFile()) throw new NotPlain(`expected a plain file at ${name}, got a directory`)
  if (found.nlink !== 1n) throw new NotPlain(`expected one name of ${name}, got ${found.nlink}`)
  if (found.size > BigInt(limits.file))
    throw new ServiceError('too-large', { detail: `expected a file of at most ${limits.file} bytes at ${name}, got ${found.size}` })
}

const moved = (path: string): ServiceError =>
  new ServiceError('conflict', { detail: `${JSON.stringify(path)} was changed while it was read`, hint: 'fetch it again' })

export interface Look {
  readonly size: number
  readonly tag: Digest
}

/** Throws unless it is a regular file with one link within the size limit. */
const lookAt = async (file: FileHandle, path: string): Promise<Look> => {
  const found = await file.stat({ bigint: true })
  check(found, path)
  return { size: Number(found.size), tag: tagOf(found) }
}

/** At most `limits.filePart` bytes of what was looked at, and of no other state of it. */
const readPiece = async (
  file: FileHandle,
  { size, tag }: Look,
  { path, offset, length: wanted }: Pick<Wanted, 'path' | 'offset' | 'length'>,
): Promise<Buffer> => {
  const length = Math.max(0, Math.min(wanted, limits.filePart, size - offset))
  const { bytesRead, buffer } = await file.read(Buffer.alloc(length), 0, length, offset)
  if (bytesRead !== length || tagOf(await file.stat({ bigint: true })) !== tag) throw moved(path)
  return buffer
}

const readPart = async (file: FileHandle, wanted: Wanted): Promise<Result<Edge, 'fileRead'>> => {
  const look = await lookAt(file, wanted.path)
  if (wanted.tag !== undefined && wanted.tag !== look.tag) throw moved(wanted.path)
  return { data: (await readPiece(file, look, wanted)).toString('base64'), ...look }
}

export const readFilePart = (context: { readonly stateDir: string }, wanted: Wanted): Promise<Result<Edge, 'fileRead'>> =>
  refusing(wanted.path, () => openBeneath(placeOf(context, wanted), namesIn(wanted.path), (file) => readPart(file, wanted)))

/** The files that an agent sends with a message: each opened and looked at before any is read, and read as it was then or not at all. */
export interface Sending {
  readonly stateDir: string
  readonly agentGroupID: AgentGroupID
  /** As the agent named them: below /workspace or /memory. */
  readonly paths: readonly string[]
}

const hints: Readonly<Record<string, string>> = {
  'not-found': 'name an existing file; nothing was sent',
  conflict: 'nothing was sent: write the file again under another name and send that, or send it again if it was being written',
  'too-large': `nothing was sent: a file may have ${limits.file} bytes, all of a message ${limits.sentBytes}`,
}

/** For the agent, which can act on it; `index`: which of its files it is. */
const named = async <T>(path: string, index: number, act: () => Promise<T>): Promise<T> => {
  try {
    return await refusing(path, act)
  } catch (error) {
    if (!isServiceError(error) || !Object.hasOwn(hints, error.code)) throw error
    const { code, detail } = error
    throw new ServiceError(code, { detail, hint: hints[code], errors: [{ pointer: `/files/${index}`, detail }], cause: error })
  }
}

interface Seen {
  readonly path: string
  readonly index: number
}

const attach = async (file: FileHandle, { path, index }: Seen): Promise<Attached> => {
  const look = await lookAt(file, path)
  const pieces = async function* (): AsyncGenerator<Buffer> {
    for (let offset = 0; offset < look.size; offset += limits.filePart)
      yield await named(path, index, () => readPiece(file, look, { path, offset, length: limits.filePart }))
  }
  return { name: path.split('/').at(-1) ?? '', path, size: look.size, pieces }
}

const checkTogether = (files: readonly Attached[]): void => {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes <= limits.sentBytes) return
  throw new ServiceError('too-large', {
    detail: `expected at most ${limits.sentBytes} bytes in all files of a message, got ${bytes}`,
    hint: 'nothing was sent: send them with more messages',
  })
}

/** `act` gets them all while they are open. */
export const withSentFiles = async <T>(sending: Sending, act: (files: readonly Attached[]) => Promise<T>): Promise<T> => {
  const opened: FileHandle[] = []
  const openOne = async (path: string, index: number): Promise<Attached> => {
    const [, place = '', ...names] = path.split('/')
    const file = await reach(placeOf(sending, { ...sending, place: v.parse(FilePlace, place) }), names)
    opened.push(file)
    return attach(file, { path, index })
  }
  try {
    const files: Attached[] = []
    for (const [index, path] of sending.paths.entries()) files.push(await named(path, index, () => openOne(path, index)))
    checkTogether(files)
    return await act(files)
  } finally {
    for (const file of opened) await file.close()
  }
}
