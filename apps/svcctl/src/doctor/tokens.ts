// Named tokens that are good for nothing any more.
import { isServiceError } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { everyPage } from '../connection/every-page.ts'
import { type Check, pass, skip, warn } from './check.ts'

export const tokens: Check = {
  name: 'tokens',
  run: async ({ unit }) => {
    const found = await unit
    if (!found.reached) return [skip('the unit does not answer')]
    try {
      const all = await everyPage((cursor) => found.client.tokens.list({ cursor }))
      const ended = all.filter(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) < wallMs())
      if (ended.length === 0) return [pass(`${all.length}, none has expired`)]
      return ended.map(({ name, expiresAt }) => warn(`${name} expired at ${expiresAt}`, `svcctl token revoke ${name} --yes`))
    } catch (error) {
      if (isServiceError(error) && error.code === 'forbidden') return [skip('only an admin sees them')]
      throw error
    }
  },
}
