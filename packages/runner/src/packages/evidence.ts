// Reports to the gateway what package names resolve to, or why they do not, within a minute.
import { retryOnce } from '@gatehouse/kernel'
import { isServiceError, type PackageName, type TreeSighting } from '@gatehouse/contracts'
import type { TreePlace } from './room.ts'
import { inSealed } from './sealed.ts'

/** Each may take the memory of a sandbox. */
const mostAtOnce = 2

const resolveNames = (place: TreePlace, names: readonly PackageName[]): Promise<TreeSighting> =>
  inSealed(
    place,
    (registry) => ({ act: 'resolve', registry, names: [...names] }),
    async (outcome) => {
      if (outcome.end === 'resolved') return { names: [...names], lock: outcome.lock }
      const { rule, reason } = outcome.end === 'refused' ? outcome : { rule: 'failed', reason: 'an answer to another question' }
      return { names: [...names], refused: { rule, reason } }
    },
  )

const resolve = async (place: TreePlace, names: readonly PackageName[]): Promise<TreeSighting> => {
  try {
    return await resolveNames(place, names)
  } catch (error) {
    place.log.warn('packages could not be resolved', { names, error })
    const reason = isServiceError(error) ? error.detail : 'expected to run the process that asks the registry, got a failure: see the log'
    return { names: [...names], refused: { rule: isServiceError(error) ? error.code : 'failed', reason } }
  }
}

export type PackageEvidence = (names: readonly PackageName[]) => Promise<void>

const createTeller = (place: TreePlace): PackageEvidence => {
  let running = 0
  return async (names) => {
    if (running >= mostAtOnce) {
      const reason = `expected at most ${mostAtOnce} resolutions of packages at once, got another: submit it again in a minute`
      await place.gateway.resolved({ names: [...names], refused: { rule: 'busy', reason } })
      return
    }
    running += 1
    const seen = await resolve(place, names).finally(() => (running -= 1))
    await retryOnce(() => place.gateway.resolved(seen))
  }
}

/** Asked again for what it is at, as a gateway does whose connection was made anew, it does nothing twice. */
export const createPackageEvidence = (place: TreePlace): PackageEvidence => {
  const tell = createTeller(place)
  const telling = new Map<string, Promise<void>>()
  return (names) => {
    const key = names.join(' ')
    const told = telling.get(key) ?? tell(names).finally(() => telling.delete(key))
    telling.set(key, told)
    return told
  }
}
