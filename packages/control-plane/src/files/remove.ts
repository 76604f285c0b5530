// A file of a group on its way out: looked at first, so that the journal holds what there was to remove, and only then gone.
import type { Context } from 'hono'
import type { Env } from '../env.ts'
import type { WantedFile } from './fetch.ts'

/** Asked twice, like a put: whether this principal may at all, and, once it is known what is there, for its line in the journal. */
export const removeFile = async (c: Context<Env>, wanted: WantedFile): Promise<void> => {
  const { unit, token, call } = c.var
  const { gateway, runner } = unit.peers
  const { agentGroupID, place, path } = wanted
  await gateway.permit({ token, route: 'files', agentGroupID }, call)
  const { kind } = await runner.fileFind(wanted, call)
  await gateway.permit({ token, route: 'files-remove', agentGroupID, file: { place, path, kind } }, call)
  await runner.fileRemove({ ...wanted, kind }, call)
}
