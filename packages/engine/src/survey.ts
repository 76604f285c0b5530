// Reports what a host has for running sandboxes. Runs only `--version` and `info`, never a container.
import { findProgram } from '@gatehouse/kernel'
import { callEngine, type Silence, unresponsiveReason } from './container-client/client.ts'

export interface Surveyed {
  readonly name: string
  /** Null where the program is not installed. */
  readonly release: string | null
  /** Why an installed engine does not respond. */
  readonly silent?: Silence
}

const names = ['docker', 'podman', 'runsc', 'bwrap'] as const

const survey = async (name: (typeof names)[number]): Promise<Surveyed> => {
  const file = await findProgram(name)
  if (file === null) return { name, release: null }
  const { stdout } = await callEngine({ file, global: [] }, ['--version'])
  const release = /\d+(?:\.\d+)+\S*/.exec(stdout)?.[0]?.replace(/,$/, '') ?? /release-\S+/.exec(stdout)?.[0] ?? 'unknown release'
  if (name !== 'docker') return { name, release }
  const server = await callEngine({ file, global: [] }, ['info', '--format', '{{.ServerVersion}}'])
  return server.ok ? { name, release } : { name, release, silent: unresponsiveReason(server.stderr) }
}

/** Never rejects because of the host. */
export const surveyEngines = (): Promise<Surveyed[]> => Promise.all(names.map(survey))
