// Grants that stand and allow nothing any more.
import type { GrantView } from '@gatehouse/contracts'
import { everyPage } from '../connection/every-page.ts'
import { type Check, pass, quoted, notAnswered, warn } from './check.ts'

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
    const all = (await everyPage((cursor) => found.client.grants.list({ cursor }))).filter(({ state }) => state !== 'revoked')
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
