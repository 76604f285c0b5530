// Where sockets lie below the runtime directory. Directories are made by the service that serves them.
import type { SessionID } from './ids.ts'

export type SurfaceName = 'session' | 'tools' | 'model'

export const edgeSocket = (runDir: string, edge: { readonly name: string }): string => `${runDir}/edges/${edge.name}.sock`

/** The directory that is mounted into the sandbox, holding `<surface>.sock` alone. */
export const surfaceDirectory = (runDir: string, surface: SurfaceName, session: SessionID): string => `${runDir}/${surface}/${session}`

export const surfaceSocket = (runDir: string, surface: SurfaceName, session: SessionID): string =>
  `${surfaceDirectory(runDir, surface, session)}/${surface}.sock`

/** Below the state directory: what local servers with `data` keep, a directory each. */
export const toolDataDirectory = 'tool-data'

/** Below the state directory: what was done to it while the unit was stopped, until the gateway has journaled it. */
export const hostActsFile = 'host-acts.json'
