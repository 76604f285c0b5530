// The catalog and its grants, kept fresh; and how a grant differs from what was approved.
import type { GrantView } from '@gatehouse/contracts'
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

/** The tools of a server as they were last listed. */
export const useDeclared = (name: string, tag: string) => {
  const api = useApi()
  return useLive((signal) => api.servers.tools(name, { signal }), {
    of: [name, tag],
    every: 10_000,
    wants: ({ stage }) => stage === 'observed-drift',
  })
}

const listed = (names: readonly string[]): string =>
  names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '')

/** Sentences that say how a grant differs from what was approved. */
export const driftsOf = ({ serverChanged, changed, added, state, expired, exhausted }: GrantView): string[] =>
  state === 'revoked'
    ? []
    : [
        ...(serverChanged ? ['server changed since approval'] : []),
        ...(state === 'suspended' ? ['suspended until it is approved again'] : []),
        ...(changed.length > 0 ? [`definition changed: ${listed(changed)}`] : []),
        ...(added.length > 0 ? [`new since approval: ${listed(added)}`] : []),
        ...(expired ? ['over'] : []),
        ...(exhausted ? ['used up'] : []),
      ]
