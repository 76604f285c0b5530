// All agent groups, fresh after each change that was applied.
import type { AgentGroup } from '@gatehouse/contracts'
import { useApi } from '../unit/unit.ts'
import { everyPage } from './every-page.ts'
import { type Live, useLive } from './use-live.ts'

const applied: readonly string[] = ['apply', 'seed', 'recovered']

export const useGroups = (): Live<readonly AgentGroup[]> => {
  const api = useApi()
  return useLive((signal) => everyPage((page) => api.groups.list(page, { signal })), { wants: ({ stage }) => applied.includes(stage) })
}
