// The records of one session, read from the services that keep them, and kept fresh.
import type { AuditEntry, SessionStatus } from '@gatehouse/contracts'
import { useMemo } from 'preact/hooks'
import { type Live, useLive } from '../../live/use-live.ts'
import { useApi, useUnit } from '../../unit/unit.ts'
import { type SessionEvent, sessionEvents, type SessionRecords } from './session-events.ts'

const stages = ['launch', 'exit', 'kill', 'park', 'resume', 'terminate'] as const
const most = 200
const every = 3_000

export interface SessionHistory extends Live<SessionRecords> {
  readonly events: readonly SessionEvent[]
  /** A list was longer than what is read of it. */
  readonly isCut: boolean
}

const isOf = (id: string) => (entry: AuditEntry) => entry.detail['session'] === id

export const useSessionEvents = ({ id, agentGroupID, conversationId, state }: SessionStatus): SessionHistory => {
  const api = useApi()
  const hasTools = useUnit().status?.mcp.enabled === true
  const ask = async (signal: AbortSignal): Promise<SessionRecords> => {
    const wanted = { agentGroupID, limit: most }
    const [lines, { messages }, calls, models, held, decided] = await Promise.all([
      Promise.all(stages.map((stage) => api.audit.list({ ...wanted, stage }, { signal }))),
      api.chat.messages(agentGroupID, { conversation: conversationId, limit: most }, { signal }),
      hasTools ? api.audit.calls({ session: id, limit: most }, { signal }) : { items: [] },
      api.models.calls({ session: id, limit: most }, { signal }),
      api.changes.pending(wanted, { signal }),
      api.changes.history(wanted, { signal }),
    ])
    const audit = lines.flatMap(({ items }) => items.filter(isOf(id)))
    return { audit, messages, calls: calls.items, models: models.items, changes: [...held.items, ...decided.items] }
  }
  const live = useLive(ask, { of: [id, hasTools], every, wants: (news) => news.agentGroupID === agentGroupID })
  const isRunning = state === 'live' || state === 'stopping'
  const events = useMemo(() => (live.data === undefined ? [] : sessionEvents(live.data, isRunning)), [live.data, isRunning])
  const { calls = [], models = [], messages = [] } = live.data ?? {}
  return { ...live, events, isCut: [calls, models, messages].some((list) => list.length >= most) }
}
