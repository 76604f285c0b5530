// The directories of a group before it ever ran, owned by what its sandboxes will run as.
import { type AgentGroupID, ConversationID, type HostIdentity } from '@gatehouse/contracts'
import * as v from 'valibot'
import { groupDirectories } from '../groups/directories.ts'
import { adopt } from '../sessions/adopt.ts'
import { type Context, sessionsOf } from '../sessions/context.ts'

const console = v.parse(ConversationID, 'console')

/** All sessions of a group run as one user; without any, that of the console is opened, which launches nothing. */
const identityOf = async (context: Context, group: AgentGroupID): Promise<HostIdentity | undefined> => {
  const [known] = sessionsOf(context, group).filter(({ open }) => open)
  if (known !== undefined) return (await context.gateway.session({ session: known.id })).session.identity
  const registered = await context.gateway.openSession({ agentGroupID: group, conversationID: console })
  adopt(context, registered)
  return registered.identity
}

/** Throws `no-sandbox` where nothing is launched. Gives the owner of new files; undefined: the unit itself. */
export const prepareGroup = async (context: Context, group: AgentGroupID): Promise<HostIdentity | undefined> => {
  const { driver } = await context.posture.engaged(context.closing)
  const owner = driver.owner(await identityOf(context, group))
  await groupDirectories(context.stateDir, group, owner)
  return owner
}
