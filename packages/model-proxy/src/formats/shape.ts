// Composed shapes: objects with named fields, tagged unions and lists. Unknown fields and tags are refused.
import { isObject, type ProviderPower } from '@gatehouse/contracts'
import { ask, FieldRefused, fieldOf, refuse, type Shape, type Walk, within } from './values.ts'

/** A name chosen by the caller is shown only if it is readable. */
const readable = (name: string): string => (/^[\w$.-]{1,64}$/.test(name) ? name : '(a name that cannot be shown)')

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

/** Fields that need an approved permission, by name. */
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

/** Values of a tag that need an approved permission: a name, or the prefix of a family of names. */
export type PowerTags = readonly (readonly [RegExp, ProviderPower])[]

export interface TagOptions {
  /** Default `type`. */
  readonly tag?: string
  /** The shape of an object without the tag. */
  readonly untagged?: Shape
  readonly powers?: PowerTags
}

/** One of several objects, distinguished by the value of a field. */
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
