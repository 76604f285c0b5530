// The address bar as a value that many may watch.
import { hrefOf, type Place, readPlace, type Target } from './place.ts'

const watchers = new Set<() => void>()
const read = (): Place => readPlace(location.pathname, location.search)
let now = read()

const moved = (): void => {
  now = read()
  for (const act of watchers) act()
}
addEventListener('popstate', moved)

export const currentPlace = (): Place => now

export const watchPlace = (act: () => void): (() => void) => {
  watchers.add(act)
  return () => watchers.delete(act)
}

/** `replace`: the back button does not come by here. */
export const go = (target: Target, { replace = false }: { readonly replace?: boolean } = {}): void => {
  const href = hrefOf(target)
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  moved()
}
