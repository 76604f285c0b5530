// A provider: where it is, how it wants to be shown the key, and which paths of a session's socket lead to which of its own.
import type { ModelProvider } from '@gatehouse/contracts'
import type { Format } from '../formats/format.ts'

export interface Path {
  /** Behind `/<provider>` on the socket; `{model}` stands for the id of a model. */
  readonly at: string
  /** Behind the origin of the provider. */
  readonly to: string
  readonly format: Format
  /** The queries that are passed on, with the mark; none otherwise. */
  readonly queries?: readonly string[]
  /** Where the path says whether the answer is a stream. */
  readonly streams?: boolean
}

export type Headers = Readonly<Record<string, string>>

export interface Provider {
  readonly name: ModelProvider
  /** `https://host`, or that of a server of the operator's own. */
  readonly origin: string
  readonly paths: readonly Path[]
  /** Headers that prove who asks, and say which revision is spoken. */
  credentials(key: string, format: Format['name']): Headers
  /** Lists models and takes no tokens. */
  readonly models: string
}

export const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` })
