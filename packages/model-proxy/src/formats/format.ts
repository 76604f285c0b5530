// The interface of a wire format: the allowed fields of a request, the fields that the proxy sets, and the token usage in answers.
import { limits } from '@gatehouse/contracts'
import type { Shape } from './values.ts'

export type Body = Record<string, unknown>

/** Tokens as the provider counts them. `input` includes tokens read from a cache. */
export interface Usage {
  readonly input?: number
  readonly output?: number
}

export interface Format {
  readonly name: 'messages' | 'chat' | 'responses' | 'gemini'
  readonly shape: Shape
  /** The model named in the body; undefined for formats whose path names it. */
  model(body: Body): unknown
  streams(body: Body): boolean
  /** Maximum number of answer tokens; undefined where the request sets none. */
  maxOutput(body: Body): number | undefined
  withMaxOutput(body: Body, most: number): Body
  /** Sets fields in every request: the token count at the end, and no storage by the provider. Returns the same body if they are set. */
  complete(body: Body): Body
  /** Fields whose text a stream delivers in pieces. */
  readonly pieces: readonly string[]
  /** The field that holds a count of tokens. */
  readonly usageField: string
  /** The usage in an event or in a complete answer. */
  usage(answer: Body): Usage
  /** An event that reports to a client of this format that the stream failed. */
  failure(code: string, message: string): string
}

/** Undefined for a value that is not a token count. */
export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value <= limits.modelTokens ? Math.ceil(value) : undefined

export const objectOf = (value: unknown): Body => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {})

/** Missing counts are not zeros. */
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
