// The messages, tool calls and changes of a conversation in one order, kept fresh.
import type { CallRecord, Change, ChatMessage } from '@gatehouse/contracts'
import { useMemo, useRef, useState } from 'preact/hooks'
import { type Live, useLive } from '../../live/use-live.ts'
import { useApi, useUnit } from '../../unit/unit.ts'

interface Wanted {
  readonly group: string
  /** The session of the one conversation that is shown; undefined for all of the group. */
  readonly session: string | undefined
  readonly messages: readonly ChatMessage[]
  /** Something is under way, so calls may come at any time. */
  readonly busy: boolean
}

const noCalls = { items: [] as readonly CallRecord[] }

const useCalls = ({ group, session, busy }: Wanted): readonly CallRecord[] => {
  const api = useApi()
  const enabled = useUnit().status?.mcp.enabled === true
  const ask = async (signal: AbortSignal) =>
    enabled ? api.audit.calls({ agentGroupID: group, session, op: 'call', limit: 200 }, { signal }) : noCalls
  return useLive(ask, { of: [group, session, enabled], every: busy ? 1_000 : 4_000 }).data?.items ?? noCalls.items
}

const useChanges = ({ group }: Wanted): readonly Change[] => {
  const api = useApi()
  const live = useLive(
    async (signal) => {
      const wanted = { agentGroupID: group, limit: 50 }
      const [held, decided] = await Promise.all([api.changes.pending(wanted, { signal }), api.changes.history(wanted, { signal })])
      return [...held.items, ...decided.items]
    },
    { of: [group], wants: ({ agentGroupID, changeID }) => agentGroupID === group && changeID !== undefined },
  )
  return live.data ?? []
}

const byTime = (a: Entry, b: Entry): number => Date.parse(a.at) - Date.parse(b.at)

export const useTimeline = (wanted: Wanted): readonly Entry[] => {
  const calls = useCalls(wanted)
  const changes = useChanges(wanted)
  const { messages } = wanted
  return useMemo(() => {
    const since = messages[0]?.at ?? ''
    const all: readonly Entry[] = [
      ...messages.map((message): Entry => ({ type: 'message', at: message.at, message })),
      ...calls.map((call): Entry => ({ type: 'call', at: call.time, call })),
      ...changes.map((change): Entry => ({ type: 'change', at: change.createdAt, change })),
    ]
    return messages.length === 0 ? [] : all.filter(({ at }) => Date.parse(at) >= Date.parse(since)).toSorted(byTime)
  }, [messages, calls, changes])
}

const page = 200
const every = 1_000

/** The latest messages, new ones as they come, and earlier ones on demand. */
export interface Messages extends Live<readonly ChatMessage[]> {
  /** `before` is called right before they are there. Undefined where there is nothing before. */
  readonly earlier: ((before: () => void) => Promise<void>) | undefined
}

/** For one group and conversation; mount it again for another. */
export const useMessages = (group: string, conversation: string | undefined): Messages => {
  const api = useApi()
  const kept = useRef<readonly ChatMessage[]>([])
  /** What is below it has not been looked at. */
  const floor = useRef(Infinity)
  const [, turn] = useState(0)
  const ask = async (signal: AbortSignal): Promise<readonly ChatMessage[]> => {
    for (;;) {
      const after = kept.current.at(-1)?.seq
      const { messages } = await api.chat.messages(group, { after, limit: page, conversation }, { signal })
      if (messages.length > 0) kept.current = [...kept.current, ...messages]
      if (after === undefined || messages.length < page) return kept.current
    }
  }
  const live = useLive(ask, { of: [group, conversation], every })
  /** Numbers are those of the group, and some are gone: where one page has nothing of the conversation, the one before it may. */
  const earlier = async (before: () => void): Promise<void> => {
    const found: ChatMessage[] = []
    while (found.length === 0 && floor.current > 1) {
      const first = floor.current
      const from = Math.max(first - page - 1, 0)
      // Long ones come in several answers.
      for (let after = from; after < first - 1;) {
        const { messages } = await api.chat.messages(group, { after, limit: page, conversation })
        found.push(...messages.filter(({ seq }) => seq < first))
        after = messages.at(-1)?.seq ?? first
      }
      floor.current = from + 1
    }
    before()
    kept.current = [...found, ...kept.current]
    turn((value) => value + 1)
  }
  floor.current = Math.min(floor.current, kept.current[0]?.seq ?? Infinity)
  return { ...live, data: live.data && kept.current, earlier: floor.current > 1 ? earlier : undefined }
}

/** One thing that happened in a conversation. */
export type Entry =
  | { readonly type: 'message'; readonly at: string; readonly message: ChatMessage }
  | { readonly type: 'call'; readonly at: string; readonly call: CallRecord }
  | { readonly type: 'change'; readonly at: string; readonly change: Change }

export const keyOfEntry = (entry: Entry): string => {
  if (entry.type === 'message') return `m${entry.message.seq}`
  return entry.type === 'call' ? `c${entry.call.id}` : entry.change.id
}
