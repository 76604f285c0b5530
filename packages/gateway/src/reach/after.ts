// A group's share of the registry as it would be with an effect: in memory, nothing is written.
import type { Effect } from '../registry/effect.ts'
import type { Share } from '../registry/world.ts'

const without = (wirings: Share['wirings'], place: { readonly channel: string; readonly address: string }): Share['wirings'] =>
  wirings.filter(({ channel, address }) => channel !== place.channel || address !== place.address)

export const shareAfter = (share: Share, effect: Effect): Share => {
  switch (effect.type) {
    case 'group':
      return { ...share, group: effect.group }
    case 'group-removed':
      return { group: undefined, grants: [], wirings: share.wirings.filter((wired) => wired.agentGroupID !== effect.agentGroupID) }
    case 'grant':
      return { ...share, grants: [...share.grants.filter(({ server }) => server !== effect.grant.server), effect.grant] }
    case 'wired':
      return { ...share, wirings: [...without(share.wirings, effect.wired), effect.wired] }
    case 'unwired':
      return { ...share, wirings: without(share.wirings, effect) }
    case 'entry':
      return share
  }
}
