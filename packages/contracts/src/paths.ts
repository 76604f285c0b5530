// Paths of sockets below the runtime directory. The service that serves a socket creates its directory.
// Also the file of host operations on the state directory of a stopped unit, which the gateway journals at the next start.
import * as v from 'valibot'
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

const common = {
  /** Identifies the act, so that the gateway journals it only once. */
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{32}$/)),
  at: v.pipe(v.string(), v.isoTimestamp()),
}

export const HostAct = v.variant('stage', [
  /** The unit stays frozen until a person has reviewed the restored state. */
  v.strictObject({
    ...common,
    stage: v.literal('restored'),
    createdAt: v.string(),
    head: v.strictObject({ seq: v.number(), hash: v.string() }),
    release: v.string(),
  }),
  v.strictObject({ ...common, stage: v.literal('epoch'), epoch: v.number() }),
  /** A new admin token was created. */
  v.strictObject({ ...common, stage: v.literal('token-create') }),
])
export type HostAct = v.InferOutput<typeof HostAct>

export const HostActs = v.array(HostAct)
