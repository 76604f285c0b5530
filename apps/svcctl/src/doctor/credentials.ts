// The token: whether there is one, whether others may read it, whether the unit takes it.
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isServiceError, stateFiles } from '@gatehouse/contracts'
import { readToken } from '../connection/token.ts'
import { type Check, fail, notAnswered, notChecked, pass, quoted, type Site, type Verdict, warn } from './check.ts'

/** Where the token of the unit on this host lies, as a line to type. */
const own = ({ stateDir, environment }: Site): string | undefined => {
  const file = stateDir === undefined ? undefined : join(stateDir, stateFiles.adminToken)
  if (file === undefined || !existsSync(file)) return undefined
  return `${environment['SERVICE_API_TOKEN'] ? 'unset SERVICE_API_TOKEN; ' : ''}export SERVICE_API_TOKEN_FILE=${quoted(file)}`
}

const fileMode = ({ tokenFile, environment }: Site): Verdict[] => {
  const file = tokenFile ?? (environment['SERVICE_API_TOKEN_FILE'] || undefined)
  const mode = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077
  return mode === 0 || file === undefined ? [] : [warn(`others may read the token in ${file}`, `chmod 0600 ${quoted(file)}`)]
}

const accepted = async (site: Site): Promise<Verdict> => {
  const { unit } = site
  if (unit.reached) {
    const { name, role } = unit.status.principal
    return pass(unit.status.open ? 'none is asked for' : `the unit knows it as ${name}, ${role}`)
  }
  if (isServiceError(unit.error) && unit.error.code === 'unauthorized') {
    const fix = own(site) ?? {
      advice: 'name the file with the token: export SERVICE_API_TOKEN_FILE=PATH; lost it? gatehouse token reset-admin on the host',
    }
    return fail('the unit does not take the token', fix)
  }
  return notAnswered
}

export const credentials: Check = {
  name: 'credentials',
  run: async (site) => {
    if (site.environment['SERVICE_API_TOKEN'] && site.environment['SERVICE_API_TOKEN_FILE'] && site.tokenFile === undefined)
      return [notChecked('two tokens are given', 'unset SERVICE_API_TOKEN')]
    try {
      await readToken(site.environment, site.tokenFile)
    } catch (error) {
      if (!isServiceError(error)) throw error
      return [fail(error.detail, own(site) ?? 'unset SERVICE_API_TOKEN_FILE')]
    }
    return [...fileMode(site), await accepted(site)]
  },
}
