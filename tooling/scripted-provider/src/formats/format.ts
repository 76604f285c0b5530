// What a wire format is: how a request is read, how an answer is written, whole or as a stream, and how an error looks.
import type { IncomingHttpHeaders } from 'node:http'
import * as v from 'valibot'
import type { Ask } from '../ask.ts'
import { Refusal } from '../refusal.ts'
import type { Turn } from '../script/turn.ts'

export interface Incoming {
  readonly provider: string
  /** Without its query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
  readonly bytes: number
}

/** One event of a stream. `data` that is a string is sent as it is. */
export interface Event {
  readonly event?: string
  readonly data: unknown
}

export interface Format {
  /** Throws a `Refusal`. */
  read(incoming: Incoming): Ask
  whole(ask: Ask, turn: Turn): unknown
  events(ask: Ask, turn: Turn): Generator<Event>
  /** An event with a little text, as an endless stream sends it again and again. */
  filler(ask: Ask): Event
  error(refusal: Refusal, provider: string): unknown
  errorEvent(provider: string): Event
}

/** Parses a part of a request, and refuses it as the provider would: with the field that is wrong. */
export const readAs = <Schema extends v.GenericSchema>(schema: Schema, value: unknown, status = 400): v.InferOutput<Schema> => {
  const parsed = v.safeParse(schema, value)
  if (parsed.success) return parsed.output
  const [issue] = parsed.issues
  const field = v.getDotPath(issue) ?? ''
  const why = issue.received === 'undefined' && issue.message.startsWith('Invalid key') ? 'Field required' : issue.message
  throw new Refusal(status, `${field}: ${why}`, field)
}

export const bearerOf = ({ headers }: Incoming): string => /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] ?? ''

/** About what the real ones count. */
export const tokensOf = (bytes: number): number => Math.ceil(bytes / 4)

/** Words as they come one after the other. */
export const wordsOf = (text: string): string[] => text.match(/\s*\S{1,64}\s*$|\s*\S{1,64}|\s+/g) ?? []

/** Arguments come in pieces that are no JSON by themselves. */
export const piecesOf = (text: string): string[] => text.match(text.length > 4096 ? /[\s\S]{1,4096}/g : /[\s\S]{1,7}/g) ?? []

export const outputTokens = ({ parts }: Turn): number =>
  parts.reduce((sum, part) => sum + tokensOf(Buffer.byteLength(part.type === 'call' ? part.arguments : part.text)), 0)
