// Which host ids a sandbox has: its group's own for 65532, and a spare pair for 0, which owns nothing.
import { type HostIdentity, sandboxUid } from '@gatehouse/contracts'

/** Far from what groups and sessions get. */
const spareDistance = 1_000_000

/** The gid inside that stands for the session's own gid outside, by which its sockets open. */
const sessionGid = sandboxUid + 1

interface Mapping {
  readonly containerID: number
  readonly hostID: number
  readonly size: 1
}

export interface Mappings {
  readonly uidMappings: readonly Mapping[]
  readonly gidMappings: readonly Mapping[]
}

const one = (containerID: number, hostID: number): Mapping => ({ containerID, hostID, size: 1 })

/** Files of a group belong to its uid, and to the gid of that number: the session's gid is another for each session. */
export const ownerOf = (identity: HostIdentity | undefined): HostIdentity =>
  identity === undefined ? { uid: sandboxUid, gid: sandboxUid } : { uid: identity.uid, gid: identity.uid }

export const mapIdentity = (identity: HostIdentity | undefined): Mappings => {
  if (identity?.uid === 0 || identity?.gid === 0) throw new TypeError('expected a host identity that is not root')
  const owner = ownerOf(identity)
  const session = identity === undefined || identity.gid === owner.gid ? [] : [one(sessionGid, identity.gid)]
  return {
    uidMappings: [one(0, owner.uid + spareDistance), one(sandboxUid, owner.uid)],
    gidMappings: [one(0, owner.gid + spareDistance), one(sandboxUid, owner.gid), ...session],
  }
}
