// A request that the real provider refuses too.

export class Refusal extends Error {
  readonly status: number
  /** The field at fault, where the format has a place for it. */
  readonly field: string | null

  constructor(status: number, message: string, field: string | null = null) {
    super(message)
    this.name = 'Refusal'
    this.status = status
    this.field = field
  }
}
