// Whose queue a file is, written inside it, so that a file under another session's name is noticed.
import { AgentGroupID, ConversationID, SessionID } from '@gatehouse/contracts'
import type { Store } from '@gatehouse/store'
import * as v from 'valibot'

const About = v.object({ id: SessionID, agentGroupID: AgentGroupID, conversationID: ConversationID })
export type About = v.InferOutput<typeof About>

export const readAbout = async (store: Store): Promise<About | undefined> => {
  const row = await store.read.get('SELECT session AS id, agent_group AS agentGroupID, conversation AS conversationID FROM about')
  return row === undefined ? undefined : v.parse(About, row)
}

export const writeAbout = async (store: Store, about: About): Promise<void> => {
  await store.write(async (tx) => {
    await tx.run('INSERT INTO about (one, session, agent_group, conversation) VALUES (1, ?, ?, ?) ON CONFLICT (one) DO NOTHING', [
      about.id,
      about.agentGroupID,
      about.conversationID,
    ])
  })
}
