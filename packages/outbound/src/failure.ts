// Why nothing was fetched, where the reason is ours: never a word of the other side's.

const phrases = {
  'address-refused': 'the address may not be dialled',
  redirected: 'the server answered with a redirect, which is never followed',
  'too-large': 'the server answered with more than may be read',
  proxy: 'the proxy does not connect to the server',
} as const

export type OutboundFailureKind = keyof typeof phrases

export class OutboundFailure extends Error {
  readonly kind: OutboundFailureKind

  constructor(kind: OutboundFailureKind) {
    super(phrases[kind])
    this.name = 'OutboundFailure'
    this.kind = kind
  }
}
