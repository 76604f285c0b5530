// Where the journal of a unit on this host lies.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { ServiceError, stateFiles } from '@gatehouse/contracts'
import type { Environment } from '../command.ts'

/** The default state directories of the three modes. */
export const stateDirectories = (environment: Environment): string[] => {
  const own = environment['XDG_STATE_HOME'] || join(homedir(), '.local/state')
  return ['/var/lib/gatehouse/state', join(own, 'gatehouse-dev'), join(own, 'gatehouse-demo')]
}

/** Throws if the host has units of several modes: which one is meant is not for a program to guess. */
export const findJournal = (environment: Environment, stateDir: string | undefined): string => {
  if (stateDir !== undefined) return join(stateDir, stateFiles.audit)
  const found = stateDirectories(environment)
    .map((directory) => join(directory, stateFiles.audit))
    .filter((path) => existsSync(path))
  const [only, ...others] = found
  if (only !== undefined && others.length === 0) return only
  const detail =
    only === undefined
      ? 'expected a journal in a state directory of this host, found none'
      : `expected one journal on this host, found ${found.join(' and ')}`
  throw new ServiceError(only === undefined ? 'not-found' : 'invalid', { detail, hint: 'name its directory with --state-dir' })
}
