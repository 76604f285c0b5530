// Changes, chats and calls that go on and on, each one after the answer to the one before: what a unit has acknowledged.
import type { ToolsSocket } from '../tools-socket.ts'
import type { Unit } from '../unit.ts'

export interface Acknowledged {
  /** Ids, in the order of the answers. */
  readonly changes: readonly string[]
  readonly approved: readonly string[]
  readonly messages: readonly string[]
  readonly calls: number
}

/** Of a change or a message; of a call its number. What is approved while the unit is frozen is applied later. */
export interface Answer {
  readonly to: 'submit' | 'approve' | 'apply' | 'message' | 'call'
  readonly id: string
}

export interface Load {
  /** As it is now. */
  taken(): Acknowledged
  stop(): Promise<void>
}

export interface LoadOptions {
  readonly unit: Unit
  readonly tools: ToolsSocket
  readonly group: string
  /** Whose persona is changed. */
  readonly other: string
  readonly conversations: readonly string[]
  /** Told of each answer at once. */
  readonly heard?: (answer: Answer) => void
}

export const startLoad = ({ unit, tools, group, other, conversations, heard = () => undefined }: LoadOptions): Load => {
  const changes: string[] = []
  const approved: string[] = []
  const messages: string[] = []
  let calls = 0
  const end = new AbortController()
  const untilEnded = async (act: (index: number) => Promise<void>): Promise<void> => {
    for (let index = 0; !end.signal.aborted; index += 1) await act(index)
  }
  const change = async (index: number): Promise<void> => {
    const { id } = await unit.client.changes.submit({ kind: 'persona', agentGroupID: other, after: { instructions: `number ${index}` } })
    changes.push(id)
    heard({ to: 'submit', id })
    const { state } = await unit.client.changes.decide(id, { outcome: 'approve', decidedBy: 'load' })
    approved.push(id)
    heard({ to: state === 'applied' ? 'apply' : 'approve', id })
  }
  const say = async (index: number): Promise<void> => {
    const conversationId = conversations[index % conversations.length] ?? 'console'
    const { messageId } = await unit.client.chat.send({ agentGroupID: group, conversationId, text: `message ${index}` })
    messages.push(messageId)
    heard({ to: 'message', id: messageId })
  }
  const call = async (index: number): Promise<void> => {
    const { status, body } = await tools.call('sample__echo', { text: `call ${index}` })
    if (status !== 200 || body.error !== undefined) throw new Error(`call ${index}: ${JSON.stringify(body)}`)
    calls += 1
    heard({ to: 'call', id: `call ${index}` })
  }
  const running = Promise.all([change, say, call].map(untilEnded))
  running.catch(() => end.abort())
  return {
    taken: () => ({ changes: [...changes], approved: [...approved], messages: [...messages], calls }),
    stop: async () => {
      end.abort()
      await running
    },
  }
}
