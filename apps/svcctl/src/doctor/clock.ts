// The clock of this host beside that of the unit: grants and tokens end by it.
import { isServiceError } from '@gatehouse/contracts'
import { wallMs, wallTime } from '@gatehouse/kernel'
import { createFetch } from '../connection/node-fetch.ts'
import { type Check, fail, notAnswered, pass, type Site } from './check.ts'

const most = 30_000
const fix = 'timedatectl set-ntp true'

const remote = async ({ address, environment }: Site): Promise<string | null> => {
  const signal = AbortSignal.timeout(5_000)
  const answer = await createFetch(environment)(`${address.replace(/\/+$/, '')}/healthz`, {
    method: 'GET',
    headers: {},
    redirect: 'error',
    signal,
  })
  await answer.text()
  return answer.headers.get('date')
}

export const clock: Check = {
  name: 'clock',
  run: async (site) => {
    if (new Date(wallMs()).getUTCFullYear() < 2026) return [fail(`it is set to ${wallTime()}`, fix)]
    const { unit } = site
    if (!unit.reached && !(isServiceError(unit.error) && unit.error.code === 'unauthorized')) return [notAnswered]
    const date = await remote(site)
    const apart = date === null ? 0 : Math.abs(wallMs() - Date.parse(date))
    return [
      apart < most ? pass('agrees with that of the unit') : fail(`it is ${Math.round(apart / 1000)} s away from that of the unit`, fix),
    ]
  },
}
