// Checks of what agents use: the catalog file, tool servers, grants and model providers.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  Catalog,
  checkServerUrl,
  type GrantView,
  isServiceError,
  type ModelProvider,
  type ProviderCheck,
  type ServerView,
  stateFiles,
} from '@gatehouse/contracts'
import * as v from 'valibot'
import { readAllPages } from '../connection/pages.ts'
import { type Check, fail, noStateDirectory, notAnswered, notChecked, pass, quoted, type Unit, type Verdict, warn } from './check.ts'

const pathOf = ({
  environment,
  stateDir,
}: {
  environment: Readonly<Record<string, string | undefined>>
  stateDir: string | undefined
}): string | undefined => environment['SERVICE_MCP_CATALOG'] || (stateDir === undefined ? undefined : join(stateDir, stateFiles.catalog))

/** Never repeats a value. */
const faultOf = (text: string): string | undefined => {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Catalog), text)
  if (!parsed.success) {
    const [issue] = parsed.issues
    const place = (issue.path ?? []).map(({ key }) => String(key)).join('/')
    return place === '' ? 'it is no JSON object of tool servers' : `/${place}: ${issue.message}`
  }
  for (const [name, entry] of Object.entries(parsed.output)) {
    const fault = entry.transport === 'http' ? checkServerUrl(entry.url) : null
    if (fault !== null) return `/${name}/url: ${fault}`
  }
  return undefined
}

export const catalog: Check = {
  name: 'catalog',
  run: async (site) => {
    const path = pathOf(site)
    if (path === undefined) return [noStateDirectory]
    if (!existsSync(path)) return [pass('there is none: no tool server is configured')]
    const fault = faultOf(await readFile(path, 'utf8'))
    const word = quoted(path)
    return [fault === undefined ? pass(path) : fail(`${path}: ${fault}`, `cp -p ${word} ${word}.bad && printf '{}\\n' > ${word}`)]
  },
}

/** Tool servers that cannot be reached. */
const listOf = async (unit: Extract<Unit, { reached: true }>): Promise<readonly ServerView[] | undefined> => {
  try {
    return (await unit.client.servers.list()).items
  } catch (error) {
    if (isServiceError(error) && error.code === 'mcp-disabled') return undefined
    throw error
  }
}

export const servers: Check = {
  name: 'servers',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const items = await listOf(found)
    if (items === undefined) return [pass('tool servers are off')]
    const down = items.filter(({ state }) => state?.status === 'down')
    if (down.length === 0) return [pass(`${items.length}, none is down`)]
    return down.map(({ name, state }) => warn(`${name} is down: ${state?.lastError ?? 'no reason is known'}`, `svcctl mcp probe ${name}`))
  },
}

/** Grants that stand and allow nothing any more. */
const trouble = (grant: GrantView): string | undefined => {
  if (grant.state === 'suspended') return 'is suspended: its server became another'
  if (grant.expired) return 'has expired'
  return grant.exhausted ? 'is used up' : undefined
}

export const grants: Check = {
  name: 'grants',
  run: async ({ unit, self }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const all = (await readAllPages((cursor) => found.client.grants.list({ cursor }))).filter(({ state }) => state !== 'revoked')
    const bad = all.flatMap((grant) => {
      const what = trouble(grant)
      const { server, agentGroupID: group } = grant
      if (what === undefined) return []
      return [
        warn(
          `that of ${group} for ${server} ${what}`,
          `svcctl change approve "$(svcctl mcp revoke ${server} --group ${group})" --by ${quoted(self)} --yes`,
        ),
      ]
    })
    return bad.length === 0 ? [pass(`${all.length}, all are good`)] : bad
  },
}

/** Providers of models that cannot be reached, or that refuse the key of the unit: asked in a way that takes no tokens. */
type Asked = (provider: ModelProvider) => Promise<ProviderCheck>

const verdictOf = async (name: ModelProvider, ask: Asked): Promise<Verdict> => {
  try {
    const { reachable, keyAccepted, detail } = await ask(name)
    if (!reachable) return warn(`${name}: ${detail}`, { advice: `fix the connection, then run: svcctl model check ${name}` })
    if (keyAccepted === false) return fail(`${name}: ${detail}`, { advice: `give the unit a key that ${name} takes, and start it again` })
    return pass(`${name}: ${detail}`)
  } catch (error) {
    if (isServiceError(error) && error.code === 'forbidden')
      return notChecked('only an approver may ask providers', { advice: 'use the token of an approver: --token-file PATH' })
    throw error
  }
}

export const models: Check = {
  name: 'models',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    const { client } = found
    const { items } = await client.models.list()
    if (items.length === 0) return [pass('this unit has no provider of models')]
    return Promise.all(items.map(({ name }) => verdictOf(name, (provider) => client.models.check(provider))))
  },
}
