// The catalog and its grants, kept fresh for every part of the page that shows them.
import { useLive } from '../../live/use-live.ts'
import { useApi } from '../../unit/unit.ts'

export const useServers = () => {
  const api = useApi()
  return useLive((signal) => api.servers.list({ signal }), { every: 5_000, wants: ({ stage }) => stage.startsWith('catalog') })
}

export const useGrants = () => {
  const api = useApi()
  return useLive((signal) => api.grants.list({ limit: 200 }, { signal }), {
    every: 15_000,
    wants: ({ stage, changeID }) => changeID !== undefined || stage === 'observed-drift' || stage.startsWith('catalog'),
  })
}
