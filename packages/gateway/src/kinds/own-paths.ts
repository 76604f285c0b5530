// Where the unit keeps what is its own: no mount may lead there.
import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { GatewayBoot } from '@gatehouse/contracts'

type Own = Pick<GatewayBoot, 'stateDir' | 'runDir' | 'catalog' | 'halves'>

/** The state of the runner's half lies beside ours. */
const otherHalf = (stateDir: string, halves: Own['halves']): string[] => (halves === undefined ? [] : [dirname(stateDir), halves.runner])

/** As given and without links: a path may be written either way. */
export const ownPaths = async ({ stateDir, runDir, catalog, halves }: Own): Promise<string[]> => {
  const given = [stateDir, runDir, ...(catalog === null ? [] : [catalog]), ...otherHalf(stateDir, halves)]
  const real = await Promise.all(given.map((path) => realpath(path).catch(() => path)))
  return [...new Set([...given, ...real])]
}
