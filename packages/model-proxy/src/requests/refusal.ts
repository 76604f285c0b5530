// Why a request of a model is not answered as it was asked. The text is for the agent: what was expected, and what it may do.
import { type ModelErrorCode, modelErrors } from '@gatehouse/contracts'

export interface RefusalOptions {
  /** HTTP status where it is the provider's own. */
  readonly status?: number
  /** Headers of the answer. */
  readonly headers?: Readonly<Record<string, string>>
}

export class ModelRefusal extends Error {
  readonly code: ModelErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ModelErrorCode, message: string, { status, headers = {} }: RefusalOptions = {}) {
    super(message)
    this.name = 'ModelRefusal'
    this.code = code
    this.status = status ?? modelErrors[code]
    this.headers = headers
  }
}
