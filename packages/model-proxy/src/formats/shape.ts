// A small language for what a request may hold: a shape looks at a value and refuses, by the name of its field, whatever it
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

const fieldOf = (path: readonly Key[]): string =>
  path.length === 0 ? 'the body' : path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('')

/** A name that somebody chose is shown only as far as it can be read. */
const readable = (name: string): string => (/^[\w$.-]{1,64}$/.test(name) ? name : '(a name that cannot be shown)')

const refuse = ({ path }: Walk, expected: string): never => {
  throw new FieldRefused(fieldOf(path), expected)
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const within = (walk: Walk, key: Key, look: () => void): void => {
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

export const nullable =
  (shape: Shape): Shape =>
  (value, walk) => {
    if (value !== null) shape(value, walk)
  }

export const list =
  (item: Shape): Shape =>
  (value, walk) => {
    if (!Array.isArray(value)) return refuse(walk, 'a list')
    for (const [at, each] of value.entries()) within(walk, at, () => item(each, walk))
  }

export const textOr =
  (other: Shape): Shape =>
  (value, walk) => {
    if (typeof value !== 'string') other(value, walk)
  }

/** Fields that need an approved power, by name. */
export type PowerFields = Readonly<Record<string, ProviderPower>>

export interface ObjectOptions {
  readonly required?: readonly string[]
  readonly powers?: PowerFields
}

export type Fields = Readonly<Record<string, Shape>>

const member = (
  walk: Walk,
  { name, value, shape, power }: { name: string; value: unknown; shape?: Shape; power?: ProviderPower },
): void => {
  if (shape !== undefined) shape(value, walk)
  else if (power !== undefined) ask(walk, power)
  else throw new FieldRefused(fieldOf([...walk.path.slice(0, -1), readable(name)]), 'no field of this name here')
}

const own = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined => (Object.hasOwn(table, name) ? table[name] : undefined)

export const object =
  (fields: Fields, { required = [], powers = {} }: ObjectOptions = {}): Shape =>
  (value, walk) => {
    if (!isObject(value)) return refuse(walk, 'an object')
    for (const name of required) if (!Object.hasOwn(value, name)) within(walk, name, () => refuse(walk, 'a value, got none'))
    for (const name of Object.keys(value)) {
      const shape = own(fields, name)
      const power = own(powers, name)
      within(walk, name, () => member(walk, { name, value: value[name], ...(shape && { shape }), ...(power && { power }) }))
    }
  }

/** Values of a tag that need an approved power: a name, or what a family of names begins with. */
export type PowerTags = readonly (readonly [RegExp, ProviderPower])[]

export interface TagOptions {
  /** Default `type`. */
  readonly tag?: string
  /** What an object without the tag is. */
  readonly untagged?: Shape
  readonly powers?: PowerTags
}

/** One of several objects, told apart by the value of a field. */
export const tagged =
  (shapes: Readonly<Record<string, Shape>>, { tag = 'type', untagged, powers = [] }: TagOptions = {}): Shape =>
  (value, walk) => {
    if (!isObject(value)) return refuse(walk, 'an object')
    const name = Object.hasOwn(value, tag) ? value[tag] : undefined
    if (name === undefined && untagged !== undefined) return untagged(value, walk)
    const shape = typeof name === 'string' ? own(shapes, name) : undefined
    if (shape !== undefined) return shape(value, walk)
    within(walk, tag, () => {
      const power = typeof name === 'string' ? powers.find(([pattern]) => pattern.test(name))?.[1] : undefined
      if (power === undefined) refuse(walk, Object.keys(shapes).join(' or '))
      else ask(walk, power)
    })
  }

/** Throws `FieldRefused`. */
export const look = (shape: Shape, value: unknown): Pick<Walk, 'powers' | 'media'> => {
  const walk: Walk = { path: [], powers: new Map(), media: 0 }
  shape(value, walk)
  return walk
}
