// Shapes of single values, and the walk over a request: a shape looks at a value and refuses, by the name of its field, whatever it
// does not name. Nothing is dropped in silence.
import { limits, type ProviderPower } from '@gatehouse/contracts'

export type Key = string | number

/** What a walk over a body has found so far. */
export interface Walk {
  readonly path: Key[]
  /** What the provider would do by itself, with the first field that asks for it. */
  readonly powers: Map<ProviderPower, string>
  /** Bytes of images, sounds and documents, as they are spelled. */
  media: number
}

export type Shape = (value: unknown, walk: Walk) => void

/** The body holds what no permission opens. */
export class FieldRefused extends Error {
  readonly field: string

  constructor(field: string, expected: string) {
    super(`${field}: expected ${expected}`)
    this.field = field
  }
}

export const fieldOf = (path: readonly Key[]): string =>
  path.length === 0 ? 'the body' : path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('')

/** Throws `FieldRefused` for the place of the walk. */
export const refuse = ({ path }: Walk, expected: string): never => {
  throw new FieldRefused(fieldOf(path), expected)
}

/** Looks at what lies below a key. */
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
/** A count that is reckoned with: no provider answers with so many, and sums of larger ones would be no numbers any more. */
export const tokens: Shape = (value, walk) => {
  if (typeof value !== 'number' || value > limits.modelTokens) refuse(walk, `a number of at most ${limits.modelTokens}`)
}
export const flag: Shape = (value, walk) => {
  if (typeof value !== 'boolean') refuse(walk, 'true or false')
}
/** Free JSON: schemas and arguments of the agent's own tools, which the provider only reads. */
export const free: Shape = () => undefined

/** Bytes in the request itself. */
export const inline: Shape = (value, walk) => {
  if (typeof value !== 'string') return refuse(walk, 'inline data')
  walk.media += value.length
}

/** `data:` holds its bytes; any other URL would be fetched by the provider. */
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
