// The first lines both ways. Each end proves that it holds the edge's secret; neither ever sends it.
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Edge } from '@gatehouse/contracts'
import * as v from 'valibot'

/** What is large travels apart, so that it delays nothing. */
export const lanes = ['main', 'large'] as const
export type Lane = (typeof lanes)[number]

const Hex = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/))
const common = { service: v.string(), edge: v.string(), version: v.number(), nonce: Hex }
const CallerHello = v.strictObject({ ...common, lane: v.picklist(lanes) })
const ServerHello = v.strictObject({ ...common, proof: Hex })
const CallerProof = v.strictObject({ proof: Hex })

/** Longer first lines are nobody's hello. */
export const helloMost = 4096

type Side = 'server' | 'caller'

interface Transcript {
  readonly edge: Edge
  readonly lane: Lane
  readonly callerNonce: string
  readonly serverNonce: string
}

/** HMAC-SHA256 over everything both ends said; the side keeps one end's proof from being the other's. */
const prove = (secret: string, side: Side, { edge, lane, callerNonce, serverNonce }: Transcript): Buffer =>
  createHmac('sha256', secret)
    .update(JSON.stringify([side, edge.name, edge.version, lane, callerNonce, serverNonce]))
    .digest()

const isProof = (expected: Buffer, got: string): boolean => timingSafeEqual(expected, Buffer.from(got, 'hex'))

/** A sentence when the other end is not the one that this edge is for. */
const differs = (edge: Edge, side: Side, hello: { service: string; edge: string; version: number }): string | undefined => {
  if (hello.edge !== edge.name) return `expected edge ${edge.name}, got ${hello.edge}`
  if (hello.service !== edge[side]) return `expected ${edge[side]}, got ${hello.service}`
  return hello.version === edge.version ? undefined : `expected version ${edge.version} of ${edge.name}, got ${hello.version}`
}

/** One step of a hello: what to answer, whether it is done, or why the other end is refused. */
export type Step = { readonly send?: object; readonly done?: Lane } | { readonly refused: string }
export type Hello = (message: unknown) => Step

const nonce = (): string => randomBytes(32).toString('hex')

export const greetAsServer = (edge: Edge, secret: string): Hello => {
  let said: Transcript | undefined
  return (message) => {
    if (said !== undefined) {
      const proof = v.safeParse(CallerProof, message)
      const good = proof.success && isProof(prove(secret, 'caller', said), proof.output.proof)
      return good ? { done: said.lane } : { refused: 'expected a proof of the secret, got a wrong one' }
    }
    const hello = v.safeParse(CallerHello, message)
    if (!hello.success) return { refused: 'expected a hello, got something else' }
    const refused = differs(edge, 'caller', hello.output)
    if (refused !== undefined) return { refused }
    said = { edge, lane: hello.output.lane, callerNonce: hello.output.nonce, serverNonce: nonce() }
    const proof = prove(secret, 'server', said).toString('hex')
    return { send: { service: edge.server, edge: edge.name, version: edge.version, nonce: said.serverNonce, proof } }
  }
}

/** `first` is sent before anything is received. */
export const greetAsCaller = (edge: Edge, secret: string, lane: Lane): { readonly first: object; readonly hello: Hello } => {
  const callerNonce = nonce()
  const hello: Hello = (message) => {
    const answer = v.safeParse(ServerHello, message)
    if (!answer.success) return { refused: 'expected a hello, got something else' }
    const refused = differs(edge, 'server', answer.output)
    if (refused !== undefined) return { refused }
    const said = { edge, lane, callerNonce, serverNonce: answer.output.nonce }
    if (!isProof(prove(secret, 'server', said), answer.output.proof)) return { refused: 'expected a proof of the secret, got a wrong one' }
    return { send: { proof: prove(secret, 'caller', said).toString('hex') }, done: lane }
  }
  return { first: { service: edge.caller, edge: edge.name, version: edge.version, nonce: callerNonce, lane }, hello }
}
