// A driver over an engine that works, with what this host can add to it.
import { mkdir } from 'node:fs/promises'
import { detectGroups } from '../cgroup/detect.ts'
import type { ChooseOptions } from '../choice.ts'
import type { Driver } from '../driver.ts'
import { createContainer } from './driver.ts'
import type { Engine } from './engine.ts'
import { findPremount } from './premount.ts'

/** Podman is asked for flags; through gVisor those of the host's mounts do not hold. */
export const openContainer = async (engine: Engine, { home, unitId }: Pick<ChooseOptions, 'home' | 'unitId'>): Promise<Driver> => {
  const wanted = engine.name !== 'podman' && !engine.gvisor
  if (wanted) await mkdir(home, { recursive: true, mode: 0o700 })
  const hierarchy = engine.takesParent && engine.user === null ? await detectGroups(unitId) : null
  return createContainer({ engine, home, premount: wanted ? await findPremount() : null, hierarchy })
}
