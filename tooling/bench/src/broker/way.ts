// One way to call the sample server's echo, to be timed beside others.
import { join } from 'node:path'
import { release } from '@gatehouse/end-to-end'

export interface Way {
  readonly name: string
  /** One call. */
  readonly act: () => Promise<unknown>
  /** Whose processor time it costs, beside that of the tool server. */
  readonly pid?: number
  close(): Promise<void>
}

export const sample = join(release, 'mcp-sample.mjs')
export const text = 'hi'

/** Rejects unless the answer holds what was sent. */
export const check = (answer: string): void => {
  if (!answer.includes(text)) throw new Error(`expected an echo, got ${answer.slice(0, 200)}`)
}
