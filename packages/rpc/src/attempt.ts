// One attempt to reach a server: connects, proves itself, or says why not.
import { connect } from 'node:net'
import type { Edge } from '@gatehouse/contracts'
import { greetAsCaller, type Lane } from './hello.ts'
import { createPeer, type Functions, type Peer } from './peer.ts'
import { Wire } from './wire.ts'

/** Where a server is and what proves who asks. */
export interface Address {
  readonly edge: Edge
  readonly path: string
  readonly secret: string
}

export interface AttemptOptions extends Address {
  readonly lane: Lane
  /** What the server may call: listeners. */
  readonly functions: Functions
  readonly onUp: (peer: Peer) => void
  /** Once, also when it never came up. */
  readonly onDown: (reason: string) => void
}

const bufferSize = 64 * 1024

/** Bytes go from one buffer straight to the frames, past the stream, which is a tenth of what a lonely call costs. */
export const attempt = (options: AttemptOptions): Wire => {
  const { first, hello } = greetAsCaller(options.edge, options.secret, options.lane)
  const callback = (bytes: number, buffer: Uint8Array): boolean => {
    wire.take(Buffer.from(buffer.buffer, buffer.byteOffset, bytes))
    return true
  }
  const wire: Wire = new Wire({
    socket: connect({ path: options.path, onread: { buffer: Buffer.alloc(bufferSize), callback } }),
    hello,
    first,
    onOpen: (wire) => options.onUp(createPeer(wire, options.functions)),
    onClose: (reason) => options.onDown(reason ?? 'the other end closed the connection'),
  })
  return wire
}
