// gVisor's file server walks to what it serves as a host id without rights, so its sources are shown to it below a directory that anybody may pass.
import { stat } from 'node:fs/promises'
import { ServiceError } from '@gatehouse/contracts'
import type { LaunchSpec } from '../driver.ts'
import { hardened, type StageMount } from '../stage/fstab.ts'

const places = ['/mnt', '/srv', '/media', '/opt'] as const

const isDirectory = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )

/** A directory of the host that the stage covers, so no source may lie in it. */
const findPlace = async (sources: readonly string[]): Promise<string> => {
  for (const place of places) {
    if (!sources.some((source) => `${source}/`.startsWith(`${place}/`)) && (await isDirectory(place))) return place
  }
  throw new ServiceError('no-sandbox', {
    detail: `expected one of ${places.join(', ')} to be a directory that holds nothing of a sandbox, got none`,
    hint: `make the directory ${places[0]}`,
  })
}

interface Staged {
  readonly spec: LaunchSpec
  readonly mounts: readonly StageMount[]
}

export const stageLaunch = async (spec: LaunchSpec): Promise<Staged> => {
  const place = await findPlace([spec.rootfs, ...spec.mounts.map(({ source }) => source)])
  const shown = `${place}/rootfs`
  const mounts = spec.mounts.map((mount, index) => ({ ...mount, source: `${place}/${index}` }))
  return {
    spec: { ...spec, rootfs: shown, mounts },
    mounts: [
      { source: 'tmpfs', target: place, options: ['mode=755', 'size=65536', ...hardened] },
      // No other flag: within its user namespace gVisor's file server could not repeat it when it remounts its root.
      { source: spec.rootfs, target: shown, options: ['bind', 'X-mount.mkdir=0755', 'ro'] },
      ...spec.mounts.map(({ source, mode }, index) => ({
        source,
        target: `${place}/${index}`,
        options: ['bind', 'X-mount.mkdir=0755', mode, ...hardened],
      })),
    ],
  }
}
