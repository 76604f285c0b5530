// The tool containers of this unit, where local tool servers run in containers.
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { RunnerBoot } from '@gatehouse/contracts'
import { privateDirectory } from '@gatehouse/kernel'
import { doorDirectory, ToolContainers } from './containers.ts'
import { createEngagement, type EngageOptions } from './engage.ts'

type Boot = Pick<RunnerBoot, 'unitId' | 'stateDir' | 'runDir' | 'mode' | 'toolContainers' | 'halves'>

/** As given and without links: a path may be written either way. */
const withReal = async (paths: readonly string[]): Promise<string[]> => [
  ...paths,
  ...(await Promise.all(paths.map((path) => realpath(path).catch(() => path)))),
]

export const createToolContainers = async (
  boot: Boot,
  { leftovers, log }: Pick<EngageOptions, 'leftovers' | 'log'>,
): Promise<ToolContainers | undefined> => {
  const { toolContainers: place, mode, runDir } = boot
  if (place === null) return undefined
  await privateDirectory(join(runDir, doorDirectory), boot.halves === undefined ? 0o700 : 0o710)
  const profile = join(runDir, 'tool-servers.seccomp.json')
  const ownPaths = await withReal([...place.ownPaths, boot.stateDir, runDir])
  const engagement = createEngagement({ wanted: place, mode, leftovers, profile, log })
  return new ToolContainers({ boot, place: { ...place, ownPaths }, engagement, log })
}
