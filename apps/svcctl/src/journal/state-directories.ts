// Where a unit of this host keeps its state if nobody says otherwise.
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from '../command.ts'

/** The default state directories of the three modes. */
export const stateDirectories = (environment: Environment): string[] => {
  const own = environment['XDG_STATE_HOME'] || join(homedir(), '.local/state')
  return ['/var/lib/gatehouse/state', join(own, 'gatehouse-dev'), join(own, 'gatehouse-demo')]
}
