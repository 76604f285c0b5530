// From the target of a request to a provider and a path of it. The target is compared as it was sent: nothing in it is decoded,
// so that there is one spelling of each path and no way out of it.
import type { Path } from './provider.ts'
import type { Keyed, ProviderTable } from './table.ts'

export interface Route {
  readonly keyed: Keyed
  readonly path: Path
  /** What is sent to the provider as its target. */
  readonly target: string
  /** The model that the path names. */
  readonly model: string | undefined
}

const modelPattern = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,127}$/
const slot = '{model}'

const match = (path: Path, rest: string): Pick<Route, 'target' | 'model'> | undefined => {
  const [head, tail] = path.at.split(slot)
  if (head === undefined) return undefined
  if (tail === undefined) {
    const query = path.queries?.find((each) => rest === `${path.at}${each}`) ?? ''
    return rest === `${path.at}${query}` ? { target: `${path.to}${query}`, model: undefined } : undefined
  }
  if (!rest.startsWith(head) || !rest.endsWith(tail)) return undefined
  const model = rest.slice(head.length, rest.length - tail.length)
  return modelPattern.test(model) ? { target: path.to.replace(slot, () => model), model } : undefined
}

/** Undefined for whatever is no inference path of a configured provider. */
export const findRoute = (providers: ProviderTable, target: string): Route | undefined => {
  const [, name = '', rest = ''] = /^\/([a-z]+)(\/.*)$/.exec(target) ?? []
  const keyed = providers.get(name)
  for (const path of keyed?.provider.paths ?? []) {
    const found = match(path, rest)
    if (found !== undefined && keyed !== undefined) return { keyed, path, ...found }
  }
  return undefined
}
