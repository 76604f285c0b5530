// Where sockets lie below the runtime directory. Directories are made by the service that serves them.
import type { SessionID } from './ids.ts'

export type SurfaceName = 'session' | 'tools' | 'model'

/** The runtime directories of a unit that is split in two: the runner, and everything else. */
export interface Halves {
  readonly control: string
  readonly runner: string
}

/** Where a process has its sockets. */
export interface RunPlace {
  readonly runDir: string
  /** Absent: the unit is one. */
  readonly halves?: Halves | undefined
}

interface Named {
  readonly name: string
  readonly server: string
  readonly caller: string
}

/** Edges that lead from one half of a split unit to the other: both halves are of one group, which may connect. */
export const isShared = ({ halves }: Pick<RunPlace, 'halves'>, { server, caller }: Named): boolean =>
  halves !== undefined && (server === 'runner' || caller === 'runner')

export const edgeSocket = (place: string | RunPlace, edge: Named): string => {
  if (typeof place === 'string') return `${place}/edges/${edge.name}.sock`
  const { runDir, halves } = place
  if (halves === undefined || !isShared(place, edge)) return `${runDir}/edges/${edge.name}.sock`
  return `${edge.server === 'runner' ? halves.runner : halves.control}/shared/${edge.name}.sock`
}

/** The directory that is mounted into the sandbox, holding `<surface>.sock` alone. */
export const surfaceDirectory = (runDir: string, surface: SurfaceName, session: SessionID): string => `${runDir}/${surface}/${session}`

export const surfaceSocket = (runDir: string, surface: SurfaceName, session: SessionID): string =>
  `${surfaceDirectory(runDir, surface, session)}/${surface}.sock`

/** Below the state directory: what local servers with `data` keep, a directory each. */
export const toolDataDirectory = 'tool-data'

/** Below the state directory of a split unit's other half: what the runner is given of keys and secrets. */
export const runnerCredentialFile = 'runner.credential'

/** Below the state directory: what was done to it while the unit was stopped, until the gateway has journaled it. */
export const hostActsFile = 'host-acts.json'
