// Who a tool server is on the host, where 65532 inside is somebody else outside.
import { type HostIdentity, sandboxUid } from '@gatehouse/contracts'
import type { Engine } from '../container/engine.ts'

/** Below those of all groups, so that no sandbox shares it. */
const own: HostIdentity = { uid: 699_999, gid: 799_999 }

/** Undefined where it is not mapped by us: Docker has one mapping for all, and without root the engine chooses. */
export const toolIdentity = ({ name, gvisor, user }: Engine): HostIdentity | undefined =>
  name === 'podman' && !gvisor && user === null ? own : undefined

/** Whom a directory that it writes must belong to; undefined where the unit cannot give one away. */
export const toolOwner = (engine: Engine): HostIdentity | undefined =>
  engine.user === null ? (toolIdentity(engine) ?? { uid: sandboxUid, gid: sandboxUid }) : undefined
