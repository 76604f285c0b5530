// Why a call was given up by our own side: its caller left, its time was over, or the unit stops.

export class Abandoned extends Error {
  readonly code: 'cancelled' | 'timeout'

  constructor(code: 'cancelled' | 'timeout') {
    super(code === 'timeout' ? 'the call took too long' : 'the caller gave up')
    this.name = 'Abandoned'
    this.code = code
  }
}
