// The address of the unit, as it is written.
import { isServiceError } from '@gatehouse/contracts'
import { checkAddress } from '../connection/address.ts'
import { type Check, fail, pass, quoted } from './check.ts'

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
