// A wire format: what a request may hold, what we set in it, and where its answers name the tokens that they took.
import { limits } from '@gatehouse/contracts'
import type { Shape } from './values.ts'

export type Body = Record<string, unknown>

/** Tokens as the provider counts them. `input` holds what was read from a cache. */
export interface Usage {
  readonly input?: number
  readonly output?: number
}

export interface Format {
  readonly name: 'messages' | 'chat' | 'responses' | 'gemini'
  readonly shape: Shape
  /** The model that the body asks for; formats whose path names it have none. */
  model(body: Body): unknown
  streams(body: Body): boolean
  /** Tokens that the answer may take at most; undefined where the request leaves it open. */
  maxOutput(body: Body): number | undefined
  withMaxOutput(body: Body, most: number): Body
  /** What is always asked for: the count of tokens at the end, and that nothing is kept at the provider. The body itself where it asks so. */
  complete(body: Body): Body
  /** Field names whose texts a stream tells piece by piece. */
  readonly pieces: readonly string[]
  /** The field that holds a count of tokens. */
  readonly usageField: string
  /** Of an event, or of a whole answer. */
  usage(answer: Body): Usage
  /** An event that tells a client of this format that the stream failed. */
  failure(code: string, message: string): string
}

/** What cannot be a count of tokens is none. */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= limits.modelTokens ? Math.ceil(value) : undefined

export const objectOf = (value: unknown): Body => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {})

/** Counts that a provider leaves out are no zeros. */
export const usageOf = (input: number | undefined, output: number | undefined): Usage => ({
  ...(input !== undefined && { input }),
  ...(output !== undefined && { output }),
})

export const sum = (...parts: readonly unknown[]): number | undefined => {
  const known = parts.map(numberOf).filter((part) => part !== undefined)
  return known.length === 0 ? undefined : known.reduce((all, part) => all + part, 0)
}

export const dataEvent = (value: unknown, name?: string): string =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(value)}\n\n`
