// What is loaded only when it is needed: everything that is done to a state as a whole.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

type State = typeof import('./state/index.ts')

/** `release`: directory of the bundles. */
export const loadState = async (release: string): Promise<State> => {
  return (await import(pathToFileURL(join(release, 'state.mjs')).href)) as State
}
