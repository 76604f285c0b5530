// Shapes of single values, and the traversal of a request: a shape refuses every value that it does not allow and names the field.
// Nothing is dropped silently.
import { limits, type ProviderPower } from '@gatehouse/contracts'

export type Key = string | number

/** The findings of a traversal so far. */
export interface Walk {
  readonly path: Key[]
  /** Actions of the provider that the request would cause, each with the first field that requests it. */
  readonly powers: Map<ProviderPower, string>
  /** Encoded bytes of images, audio and documents. */
  media: number
}

export type Shape = (value: unknown, walk: Walk) => void

/** The body contains something that no permission allows. */
export class FieldRefused extends Error {
  readonly field: string

  constructor(field: string, expected: string) {
    super(`${field}: expected ${expected}`)
    this.field = field
  }
}

export const fieldOf = (path: readonly Key[]): string =>
  path.length === 0 ? 'the body' : path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('')

/** Throws `FieldRefused` for the current path. */
export const refuse = ({ path }: Walk, expected: string): never => {
  throw new FieldRefused(fieldOf(path), expected)
}

/** Descends to a key. */
export const within = (walk: Walk, key: Key, look: () => void): void => {
  walk.path.push(key)
  look()
  walk.path.pop()
}

export const ask = (walk: Walk, power: ProviderPower): void => {
  if (!walk.powers.has(power)) walk.powers.set(power, fieldOf(walk.path))
}

export const text: Shape = (value, walk) => {
  if (typeof value !== 'string') refuse(walk, 'a text')
}
export const number: Shape = (value, walk) => {
  if (typeof value !== 'number') refuse(walk, 'a number')
}
/** Maximum token count: no provider answers with more, and sums of larger counts would exceed safe integers. */
export const tokens: Shape = (value, walk) => {
  if (typeof value !== 'number' || value > limits.modelTokens) refuse(walk, `a number of at most ${limits.modelTokens}`)
}
export const flag: Shape = (value, walk) => {
  if (typeof value !== 'boolean') refuse(walk, 'true or false')
}
/** Arbitrary JSON, for schemas and arguments of the agent's own tools, which the provider only reads. */
export const free: Shape = () => undefined

/** Bytes included in the request. */
export const inline: Shape = (value, walk) => {
  if (typeof value !== 'string') return refuse(walk, 'inline data')
  walk.media += value.length
}

/** A `data:` URL contains its bytes; the provider would fetch any other URL. */
export const dataUrl: Shape = (value, walk) => {
  if (typeof value !== 'string') return refuse(walk, 'a data: URL')
  if (value.startsWith('data:')) walk.media += value.length
  else ask(walk, 'url_sources')
}

export const exactly =
  (...values: readonly (string | number | boolean | null)[]): Shape =>
  (value, walk) => {
    if (!values.some((each) => each === value)) refuse(walk, values.map((each) => JSON.stringify(each)).join(' or '))
  }
