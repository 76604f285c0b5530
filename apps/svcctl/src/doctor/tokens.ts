// Named tokens that are good for nothing any more.
import { isServiceError } from '@gatehouse/contracts'
import { wallMs } from '@gatehouse/kernel'
import { everyPage } from '../connection/every-page.ts'
import { type Check, notAnswered, notChecked, pass, warn } from './check.ts'

export const tokens: Check = {
  name: 'tokens',
  run: async ({ unit }) => {
    const found = unit
    if (!found.reached) return [notAnswered]
    try {
      const all = await everyPage((cursor) => found.client.tokens.list({ cursor }))
      const ended = all.filter(({ expiresAt }) => expiresAt !== undefined && Date.parse(expiresAt) < wallMs())
      if (ended.length === 0) return [pass(`${all.length}, none has expired`)]
      return ended.map(({ name, expiresAt }) => warn(`${name} expired at ${expiresAt}`, `svcctl token revoke ${name} --yes`))
    } catch (error) {
      if (isServiceError(error) && error.code === 'forbidden')
        return [notChecked('only an admin sees tokens', { advice: 'use the token of an admin: --token-file PATH' })]
      throw error
    }
  },
}
