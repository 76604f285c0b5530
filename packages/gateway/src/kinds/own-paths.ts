// Where the unit keeps what is its own: no mount may lead there.
import { realpath } from 'node:fs/promises'
import type { GatewayBoot } from '@gatehouse/contracts'

/** As given and without links: a path may be written either way. */
export const ownPaths = async ({ stateDir, runDir, catalog }: Pick<GatewayBoot, 'stateDir' | 'runDir' | 'catalog'>): Promise<string[]> => {
  const given = [stateDir, runDir, ...(catalog === null ? [] : [catalog])]
  const real = await Promise.all(given.map((path) => realpath(path).catch(() => path)))
  return [...new Set([...given, ...real])]
}
