// Where a process reaches an edge, and the secret that it proves itself with.
import { type Edge, edgeSocket, exits, isShared, type RunPlace } from '@gatehouse/contracts'
import { Refusal } from './refusal.ts'
import type { CommonBoot } from './run-service.ts'

export interface EdgeAddress {
  readonly path: string
  readonly secret: string
  readonly shared: boolean
}

/** Throws a `Refusal` for an edge whose secret is not in the boot document. */
export const edgeAddress = (boot: Pick<CommonBoot, 'edges'> & RunPlace, edge: Edge): EdgeAddress => {
  const secret = boot.edges[edge.name]
  if (secret === undefined) throw new Refusal(exits.childCannotStart, { detail: `expected the secret of the edge ${edge.name}, got none` })
  return { path: edgeSocket(boot, edge), secret, shared: isShared(boot, edge) }
}
