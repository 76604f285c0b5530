// Whether a server that let a call run out of time still answers anything. What it answers does not matter.
import { limits } from '@gatehouse/contracts'
import type { Connection } from './connection.ts'

export const answersAtAll = async ({ requests, isLegacy }: Pick<Connection, 'requests' | 'isLegacy'>): Promise<boolean> => {
  const signal = AbortSignal.timeout(limits.connectTime)
  try {
    await requests.send(isLegacy ? 'ping' : 'server/discover', {}, signal)
    return true
  } catch {
    return !signal.aborted
  }
}
