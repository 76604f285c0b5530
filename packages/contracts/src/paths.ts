// Paths of sockets below the runtime directory. The service that serves a socket creates its directory.
import type { SessionID } from './ids.ts'

export type SurfaceName = 'session' | 'tools' | 'model'

/** The runtime directories of a split unit: one of the runner, and one of all other services. */
export interface Halves {
  readonly control: string
  readonly runner: string
}

/** The directories of a process's sockets. */
export interface RunPlace {
  readonly runDir: string
  /** Absent if the unit is not split. */
  readonly halves?: Halves | undefined
}

interface Named {
  readonly name: string
  readonly server: string
  readonly caller: string
}

/** Whether an edge connects the two halves of a split unit. Both halves share a group that may connect. */
export const isShared = ({ halves }: Pick<RunPlace, 'halves'>, { server, caller }: Named): boolean =>
  halves !== undefined && (server === 'runner' || caller === 'runner')

export const edgeSocket = (place: string | RunPlace, edge: Named): string => {
  if (typeof place === 'string') return `${place}/edges/${edge.name}.sock`
  const { runDir, halves } = place
  if (halves === undefined || !isShared(place, edge)) return `${runDir}/edges/${edge.name}.sock`
  return `${edge.server === 'runner' ? halves.runner : halves.control}/shared/${edge.name}.sock`
}

/** The directory that is mounted into the sandbox. It contains only `<surface>.sock`. */
export const surfaceDirectory = (runDir: string, surface: SurfaceName, session: SessionID): string => `${runDir}/${surface}/${session}`

export const surfaceSocket = (runDir: string, surface: SurfaceName, session: SessionID): string =>
  `${surfaceDirectory(runDir, surface, session)}/${surface}.sock`

/** Below the state directory: a data directory for each local server with `data`. */
export const toolDataDirectory = 'tool-data'

/** Below the state directory of the control half of a split unit: keys and secrets for the runner. */
export const runnerCredentialFile = 'runner.credential'

/** Below the state directory: host operations on the stopped unit that the gateway has not journaled yet. */
export const hostActsFile = 'host-acts.json'
