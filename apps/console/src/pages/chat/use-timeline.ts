// Everything that happened in a conversation in one order: what was said, which tools were called, what was asked for.
import type { CallRecord, Change, ChatMessage } from '@gatehouse/contracts'
import { useMemo } from 'preact/hooks'
import { useLive } from '../../live/use-live.ts'
import { useApi, useUnit } from '../../unit/unit.ts'
import type { Entry } from './entry.ts'

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
