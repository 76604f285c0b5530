// One attempt to reach a server: connects, proves itself, or says why not.
import { connect } from 'node:net'
import type { Edge } from '@gatehouse/contracts'
import { greetAsCaller, type Lane } from './hello.ts'
import { createPeer, type Functions, type Peer } from './peer.ts'
import { openWire } from './wire.ts'

export interface AttemptOptions {
  readonly edge: Edge
  readonly path: string
  readonly secret: string
  readonly lane: Lane
  readonly functions: Functions
  onUp(peer: Peer): void
  /** Once, also when it never came up. */
  onDown(reason: string): void
}

export interface Attempt {
  close(): void
}

const refuse = (name: string): never => {
  throw new TypeError(`expected an event of this edge, got ${name}`)
}

export const attempt = (options: AttemptOptions): Attempt => {
  const { first, hello } = greetAsCaller(options.edge, options.secret, options.lane)
  return openWire({
    socket: connect(options.path),
    hello,
    first,
    onOpen: (wire) => options.onUp(createPeer(wire, options.functions, refuse)),
    onClose: (reason) => options.onDown(reason ?? 'the other end closed the connection'),
  })
}
