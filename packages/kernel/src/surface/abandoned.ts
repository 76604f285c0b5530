// Why a request was given up by our own side: its caller left, its time was over, its grant was taken away, a freeze came, or the unit stops.

const phrases = {
  cancelled: 'the caller gave up',
  timeout: 'it took too long',
  revoked: 'the grant was revoked',
  frozen: 'an operator stopped all requests',
} as const

export class Abandoned extends Error {
  readonly code: keyof typeof phrases

  constructor(code: keyof typeof phrases) {
    super(phrases[code])
    this.name = 'Abandoned'
    this.code = code
  }
}
