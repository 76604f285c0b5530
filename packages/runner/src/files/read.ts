// A part of a file of a group. Every part is of the same state of the same file, or there is none.
import { createHash } from 'node:crypto'
import type { BigIntStats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { Digest, limits, type Params, type Result, type runnerControlPlane, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import { NotPlain, openBeneath } from '../groups/plain.ts'
import { namesIn, placeOf } from './place.ts'
import { refusing } from './refusal.ts'

type Edge = typeof runnerControlPlane
type Wanted = Params<Edge, 'fileRead'>

/** Any write, and any other file in its place, gives another one. */
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

/** Throws where it is no plain file of one name within the limit. */
export const lookAt = async (file: FileHandle, path: string): Promise<Look> => {
  const found = await file.stat({ bigint: true })
  check(found, path)
  return { size: Number(found.size), tag: tagOf(found) }
}

/** At most `limits.filePart` bytes of what was looked at, and of no other state of it. */
export const readPiece = async (
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
