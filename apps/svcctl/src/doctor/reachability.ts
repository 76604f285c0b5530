// Whether the unit answers, and whether it is ready.
import { isServiceError } from '@gatehouse/contracts'
import { type Check, fail, notChecked, pass, warn } from './check.ts'

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
