// Hands out the copy of a file that goes with a message, piece by piece, for as long as the message waits for its channel.
import { type Params, type Result, type runnerChannels, ServiceError } from '@gatehouse/contracts'
import { readPiece } from '../queue/copies.ts'
import type { Context } from '../sessions/context.ts'
import { withQueue } from '../sessions/with-queue.ts'
import { findSession } from './delivered.ts'

type Edge = typeof runnerChannels

export const sentFile = async (context: Context, wanted: Params<Edge, 'sentFile'>): Promise<Result<Edge, 'sentFile'>> => {
  const piece = await withQueue(context, findSession(context, wanted), (store) => readPiece(store.read, wanted))
  if (piece === undefined) throw new ServiceError('not-found', { detail: `there is no such copy of a file of message ${wanted.seq}` })
  return { data: piece.toString('base64') }
}
