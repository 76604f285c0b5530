// Reads the queues on disk at start: their sessions, their pending messages, and which are unreadable.
import { readdir } from 'node:fs/promises'
import { type ChangeID, type DeadLetter, limits, SessionID, stateFiles } from '@gatehouse/contracts'
import * as v from 'valibot'
import { UnreadableQueue } from '../errors.ts'
import { liveRepeats, type Repeat, waitingIn } from './accept.ts'
import { deadLetters, type Progress, progressIn } from './delivery.ts'
import { bytesIn, lastSeq, pendingRolloutsIn, undecidedRequests } from './notes.ts'
import { isDamage, openExisting, type OpenQueue, type QueueOwner, type QueuePlace } from './open.ts'

interface FoundQueue {
  readonly about: QueueOwner
  readonly waiting: number
  readonly bytes: number
  /** The highest number among its messages. */
  readonly lastSeq: number
  /** Some decision has not reached the agent yet. */
  readonly untold: boolean
  readonly delivery: Progress | undefined
  /** The newest that its channel never took. */
  readonly letters: readonly DeadLetter[]
  /** Applied changes whose end here the gateway has not been told. */
  readonly owed: readonly ChangeID[]
  /** Idempotency keys of people's requests, oldest first. */
  readonly repeats: readonly Repeat[]
}

export interface FoundQueues {
  readonly readable: readonly FoundQueue[]
  /** By session: why. */
  readonly unreadable: ReadonlyMap<SessionID, string>
}

/** A queue leaves a file in both places, so that one alone is noticed. */
const sessionsOnDisk = async (stateDir: string): Promise<SessionID[]> => {
  const files = [...(await readdir(`${stateDir}/${stateFiles.queues}`)), ...(await readdir(`${stateDir}/${stateFiles.keys}`))]
  const ids = files.map((file) => v.safeParse(SessionID, file.replace(/\.(?:db|key)$/, '')))
  return [...new Set(ids.flatMap((id) => (id.success ? [id.output] : [])))]
}

const lettersIn = async ({ store, about }: OpenQueue, delivery: Progress | undefined): Promise<DeadLetter[]> => {
  if (delivery === undefined || delivery.dead === 0) return []
  const { agentGroupID, conversationID: conversationId } = about
  const letters = await deadLetters(store.read, limits.channelLettersKept)
  return letters.map((letter) => ({ ...letter, channel: delivery.channel, agentGroupID, conversationId }))
}

/** `undefined` for one that was never completed. */
const look = async (place: QueuePlace, session: SessionID): Promise<FoundQueue | undefined> => {
  const queue = await openExisting(place, session)
  if (queue === undefined) return undefined
  const { store, about } = queue
  try {
    const delivery = await progressIn(store.read)
    return {
      about,
      waiting: await waitingIn(store.read),
      bytes: await bytesIn(store.read),
      lastSeq: await lastSeq(store),
      untold: (await undecidedRequests(store)).length > 0,
      owed: await pendingRolloutsIn(store),
      repeats: await liveRepeats(store),
      delivery,
      letters: await lettersIn(queue, delivery),
    }
  } finally {
    await store.close()
  }
}

export const findQueues = async (place: QueuePlace): Promise<FoundQueues> => {
  const readable: FoundQueue[] = []
  const unreadable = new Map<SessionID, string>()
  for (const session of await sessionsOnDisk(place.stateDir)) {
    try {
      const found = await look(place, session)
      if (found !== undefined) readable.push(found)
    } catch (error) {
      if (error instanceof UnreadableQueue) unreadable.set(session, error.reason)
      else if (isDamage(error)) unreadable.set(session, `queues/${session}.db is damaged`)
      else throw error
    }
  }
  return { readable, unreadable }
}
