// Takes the copies of the files of one part from the runner, piece by piece, whole or not at all.
import { type Delivery, isServiceError, type Params, type runnerChannels } from '@gatehouse/contracts'
import type { Calls } from '@gatehouse/rpc'
import { type OutgoingFile, SendFailure } from '../channel.ts'
import type { CarriedFile } from './parts.ts'

export interface Shelf {
  readonly runner: Pick<Calls<typeof runnerChannels>, 'sentFile'>
  readonly signal: AbortSignal
}

/** What is not there will not come. */
const fetchPiece = async ({ runner }: Shelf, wanted: Params<typeof runnerChannels, 'sentFile'>): Promise<Buffer> => {
  try {
    return Buffer.from((await runner.sentFile(wanted)).data, 'base64')
  } catch (error) {
    if (isServiceError(error) && error.code === 'not-found') throw new SendFailure('never', 'the copy of a file of it is not there')
    throw error
  }
}

const fetchOne = async (shelf: Shelf, { session, seq }: Delivery, { number, size }: CarriedFile): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for (let bytes = 0, part = 0; bytes < size; part += 1) {
    shelf.signal.throwIfAborted()
    const piece = await fetchPiece(shelf, { session, seq, file: number, part })
    bytes += piece.length
    if (piece.length === 0 || bytes > size) throw new TypeError(`expected a copy of ${size} bytes, got another`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

export const fetchFiles = async (shelf: Shelf, delivery: Delivery, files: readonly CarriedFile[]): Promise<OutgoingFile[]> => {
  const fetched: OutgoingFile[] = []
  for (const file of files) fetched.push({ name: file.name, bytes: await fetchOne(shelf, delivery, file) })
  return fetched
}
