// Checks of the unit's connection: its address, whether it answers, its processes, its settings and its credentials.
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isServiceError, stateFiles } from '@gatehouse/contracts'
import manifest from '../../package.json' with { type: 'json' }
import type { Environment } from '../command.ts'
import { checkAddress, readToken } from '../connection/unit.ts'
import { type Check, type CheckContext, fail, notAnswered, notChecked, pass, quoted, type Verdict, warn } from './check.ts'

const secure = (address: string): string | undefined => {
  const url = URL.parse(address)
  if (url?.protocol !== 'http:') return undefined
  return `export SERVICE_API_URL=${quoted(address.replace(/^http:/i, 'https:'))}`
}

export const address: Check = {
  name: 'address',
  run: async (site) => {
    try {
      const token =
        site.tokenFile !== undefined || Boolean(site.environment['SERVICE_API_TOKEN'] || site.environment['SERVICE_API_TOKEN_FILE'])
      return [pass(checkAddress(site.address, { token, insecure: site.insecure }))]
    } catch (error) {
      if (!isServiceError(error)) throw error
      return [fail(error.detail, secure(site.address) ?? 'unset SERVICE_API_URL')]
    }
  },
}

/** Whether the unit answers, and whether it is ready. */
export const reachability: Check = {
  name: 'reachability',
  run: async ({ unit: found, address }) => {
    if (!found.reached) {
      if (!isServiceError(found.error)) throw found.error
      const { code, detail, hint } = found.error
      if (code === 'unauthorized') return [pass(`a unit answers at ${address}`)]
      return code === 'invalid'
        ? [notChecked('the unit was not asked', { advice: 'see the checks address and credentials' })]
        : [fail(detail, { advice: hint ?? 'svcctl status' })]
    }
    const { status, degraded = [] } = await found.client.ready({ timeout: 5_000 })
    if (status === 'ready' && degraded.length === 0) return [pass(`ready at ${address}`)]
    const what = degraded.length === 0 ? '' : `: ${degraded.join(', ')}`
    return [
      status === 'ready' ? warn(`degraded${what}`, { advice: 'svcctl status' }) : fail(`not ready${what}`, { advice: 'svcctl status' }),
    ]
  },
}

/** The version of this program, as its package says: that of the unit it came with. */
const { version } = manifest

/** The processes of the unit, and its version beside that of this program. */
export const processes: Check = {
  name: 'processes',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { status } = found
    const found1 = status.processes.flatMap(({ name, state, restarts }): Verdict[] => {
      if (state !== 'ready') return [fail(`${name} is ${state}`, { advice: 'look for its last lines in the log of the unit' })]
      return restarts > 3
        ? [warn(`${name} was started again ${restarts} times`, { advice: 'look for its last lines in the log of the unit' })]
        : []
    })
    const other =
      status.version === version
        ? []
        : [warn(`the unit is version ${status.version}, svcctl ${version}`, { advice: 'use the svcctl of the same release' })]
    return found1.length + other.length === 0
      ? [pass(`${status.processes.length} ready, version ${status.version}`)]
      : [...found1, ...other]
  },
}

/** Variables of this shell that contradict each other, or that nothing could use. */
const twins = (environment: Environment): Verdict[] =>
  Object.keys(environment)
    .filter((name) => environment[name] && environment[`${name}_FILE`])
    .map((name) => fail(`${name} and ${name}_FILE are both set`, `unset ${name}`))

const proxy = (environment: Environment): Verdict[] =>
  ['HTTPS_PROXY', 'https_proxy', 'SERVICE_HTTPS_PROXY'].flatMap((name) => {
    const value = environment[name]
    if (value === undefined || value === '') return []
    const url = URL.parse(value)
    return url !== null && /^https?:$/.test(url.protocol) ? [] : [fail(`${name} is no http or https URL`, `unset ${name}`)]
  })

const authorities = async (environment: Environment): Promise<Verdict[]> => {
  const file = environment['SERVICE_CA_FILE']
  if (file === undefined || file === '') return []
  const text = await readFile(file, 'utf8').catch(() => undefined)
  if (text?.includes('-----BEGIN CERTIFICATE-----') === true) return []
  return [
    fail(`SERVICE_CA_FILE names ${file}, which ${text === undefined ? 'cannot be read' : 'holds no certificate'}`, 'unset SERVICE_CA_FILE'),
  ]
}

const image = (environment: Environment): Verdict[] => {
  const reference = environment['SERVICE_SANDBOX_IMAGE']
  if (reference === undefined || reference === '') return []
  if (!reference.includes('@sha256:'))
    return [fail('SERVICE_SANDBOX_IMAGE names an image without its digest, so that another may come', 'unset SERVICE_SANDBOX_IMAGE')]
  return environment['SERVICE_IMAGE_KEY']
    ? []
    : [
        warn('SERVICE_SANDBOX_IMAGE is set without SERVICE_IMAGE_KEY: its signature is not verified', {
          advice: 'name the key that signed it in SERVICE_IMAGE_KEY',
        }),
      ]
}

export const settings: Check = {
  name: 'settings',
  run: async ({ environment }) => {
    const found = [...twins(environment), ...proxy(environment), ...(await authorities(environment)), ...image(environment)]
    return found.length === 0 ? [pass('nothing contradicts itself')] : found
  },
}

/** Where the token of the unit on this host lies, as a line to type. */
const own = ({ stateDir, environment }: CheckContext): string | undefined => {
  const file = stateDir === undefined ? undefined : join(stateDir, stateFiles.adminToken)
  if (file === undefined || !existsSync(file)) return undefined
  return `${environment['SERVICE_API_TOKEN'] ? 'unset SERVICE_API_TOKEN; ' : ''}export SERVICE_API_TOKEN_FILE=${quoted(file)}`
}

const fileMode = ({ tokenFile, environment }: CheckContext): Verdict[] => {
  const file = tokenFile ?? (environment['SERVICE_API_TOKEN_FILE'] || undefined)
  const mode = file === undefined ? 0 : (statSync(file, { throwIfNoEntry: false })?.mode ?? 0) & 0o077
  return mode === 0 || file === undefined ? [] : [warn(`others may read the token in ${file}`, `chmod 0600 ${quoted(file)}`)]
}

const accepted = async (site: CheckContext): Promise<Verdict> => {
  const { unit } = site
  if (unit.reached) {
    const { name, role } = unit.status.principal
    return pass(unit.status.open ? 'no token required' : `the unit knows it as ${name}, ${role}`)
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
