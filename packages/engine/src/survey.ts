// What a host has to run sandboxes with, for people. Starts `--version` and `info` alone, never a container.
import { findProgram } from '@gatehouse/kernel'
import { callEngine, type Silence, unresponsiveReason } from './container-client/client.ts'

export interface Surveyed {
  readonly name: string
  /** Null where the program is not there. */
  readonly release: string | null
  /** Why an engine that is there does not answer. */
  readonly silent?: Silence
}

const names = ['docker', 'podman', 'runsc', 'bwrap'] as const

const survey = async (name: (typeof names)[number]): Promise<Surveyed> => {
  const file = await findProgram(name)
  if (file === null) return { name, release: null }
  const { stdout } = await callEngine({ file, global: [] }, ['--version'])
  const release = /\d+(?:\.\d+)+\S*/.exec(stdout)?.[0]?.replace(/,$/, '') ?? /release-\S+/.exec(stdout)?.[0] ?? 'of an unknown release'
  if (name !== 'docker') return { name, release }
  const server = await callEngine({ file, global: [] }, ['info', '--format', '{{.ServerVersion}}'])
  return server.ok ? { name, release } : { name, release, silent: unresponsiveReason(server.stderr) }
}

/** Never rejects for what the host lacks. */
export const surveyEngines = (): Promise<Surveyed[]> => Promise.all(names.map(survey))
