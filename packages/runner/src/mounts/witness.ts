// Tells the gateway what it wants to know of paths of the host.
import type { Context } from '../sessions/context.ts'
import { tellTwice } from '../tell-twice.ts'
import { sight } from './sight.ts'

export const witness = async ({ gateway }: Pick<Context, 'gateway'>, sources: readonly string[]): Promise<void> => {
  const mounts = await Promise.all(sources.map(sight))
  await tellTwice(() => gateway.sighted({ mounts }))
}
