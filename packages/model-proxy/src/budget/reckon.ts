// What a request is reckoned to take, and what it took.
import type { Usage } from '../formats/format.ts'

/** How far a request came. */
export interface Course {
  /** `unsent`: no provider has seen it. `failed`: a provider answered with an error. `silent`: its answer never began. */
  readonly end: 'unsent' | 'failed' | 'silent' | 'given-up' | 'cut' | 'whole'
  readonly usage: Usage
  readonly bytesOut: number
  /** Whether the answer was a stream of events, which are long for few tokens. */
  readonly streamed: boolean
}

export interface Tokens {
  readonly input: number
  readonly output: number
  /** The provider did not say. */
  readonly estimated: boolean
}

const bytesPerToken = { stream: 40, whole: 4 } as const
const nothing: Tokens = { input: 0, output: 0, estimated: false }

/** @param reserved what was reserved for the request itself and for its answer */
export const reckon = ({ end, usage, bytesOut, streamed }: Course, reserved: { input: number; output: number }): Tokens => {
  if (end === 'unsent' || end === 'failed') return nothing
  if (end === 'silent') return { input: reserved.input, output: 0, estimated: true }
  // Nobody can tell what the provider did before it noticed.
  if (end === 'given-up') return { ...reserved, estimated: true }
  const seen = Math.min(reserved.output, Math.ceil(bytesOut / bytesPerToken[streamed ? 'stream' : 'whole']))
  const input = usage.input ?? reserved.input
  if (end === 'whole' && usage.output !== undefined) return { input, output: usage.output, estimated: usage.input === undefined }
  return { input, output: Math.max(usage.output ?? 0, seen), estimated: true }
}
