// The catalog file of the unit on this host.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Catalog, checkServerUrl, stateFiles } from '@gatehouse/contracts'
import * as v from 'valibot'
import { type Check, fail, noStateDirectory, pass, quoted } from './check.ts'

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
