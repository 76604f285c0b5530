// A message with its layout; where Slack does not take the layout, without it: the words are worth more.
import type { KnownBlock } from '@slack/types'
import { failureOf, isShapeRefused } from './faults.ts'

export interface Content {
  /** For notifications and readers of screens; the whole where Slack does not take the blocks. */
  readonly text: string
  readonly blocks: KnownBlock[]
}

/** Rejects with `SendFailure`. */
export const offer = async <T>(content: Content, call: (content: Content) => Promise<T>): Promise<T> => {
  try {
    return await call(content).catch((error: unknown) => {
      if (isShapeRefused(error)) return call({ ...content, blocks: [] })
      throw error
    })
  } catch (error) {
    throw failureOf(error)
  }
}
