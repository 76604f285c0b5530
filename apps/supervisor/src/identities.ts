// Host uids and gids that a unit uses for sandboxes.
import { sandboxUid } from '@gatehouse/contracts'

/** First of groups and of sessions; group and session numbers are added. Trials have the ten before. */
export const identities = { uid: 700_000, gid: 800_000 }

/** Everything that a unit hands out, the spare ids of root inside included: for `/etc/subuid` and `/etc/subgid`. */
export const reserved = { first: 699_000, count: 1_101_000 }

const { first, count } = reserved

/**
 * What ids in the user namespace of a unit are on the host, for its uids and gids alike: [inside, outside, how many].
 * Engines try things out as 65532, and gVisor becomes 65534: neither is anybody's of the host.
 */
export const namespaceIds = (owner: number): readonly (readonly [number, number, number])[] => [
  [0, owner, 1],
  [sandboxUid, first, 1],
  [65_534, first + 1, 1],
  [first + 2, first + 2, count - 2],
]
