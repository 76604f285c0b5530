// What happened in a session, from the records of five services, in one order. Pure functions.
import type { AuditEntry, CallRecord, Change, ChangeState, ChatMessage, ModelCallRecord } from '@gatehouse/contracts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { formatNumber } from '../../components/units.ts'

export const lanes = ['sandbox', 'messages', 'models', 'calls', 'changes'] as const
export type Lane = (typeof lanes)[number]

export const laneTitles: Readonly<Record<Lane, string>> = {
  sandbox: 'Sandbox',
  messages: 'Messages',
  models: 'Model requests',
  calls: 'Tool calls',
  changes: 'Changes',
}

type Sign = 'launch' | 'end' | 'kill' | 'resume' | 'message' | 'request' | 'call' | 'asked' | 'approved' | 'rejected' | 'applied'

/** A place of the console. */
interface Target {
  readonly page: string
  readonly rest?: readonly string[]
  readonly query?: Readonly<Record<string, string | undefined>>
}

export interface SessionEvent {
  readonly key: string
  readonly lane: Lane
  /** Milliseconds since the epoch when it began. */
  readonly at: number
  /** Milliseconds; absent for what takes no time, or has not ended. */
  readonly duration?: number
  /** It goes on. */
  readonly isOpen?: true
  readonly title: string
  /** What somebody else wrote. */
  readonly text?: string
  readonly tag?: string
  /** Of the change that was requested. */
  readonly state?: ChangeState
  readonly tone: '' | 'good' | 'warn' | 'bad' | 'info'
  readonly sign: Sign
  readonly to?: Target
}

export interface SessionRecords {
  readonly audit: readonly AuditEntry[]
  readonly messages: readonly ChatMessage[]
  readonly calls: readonly CallRecord[]
  readonly models: readonly ModelCallRecord[]
  readonly changes: readonly Change[]
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const endTitles: Readonly<Record<string, string>> = {
  exit: 'Sandbox ended',
  kill: 'Sandbox killed',
  park: 'Session parked',
  resume: 'Session resumed',
  terminate: 'Session terminated',
}

const tones: Readonly<Record<string, SessionEvent['tone']>> = { kill: 'bad', park: 'warn', resume: 'info', terminate: 'warn' }

/** Why a sandbox ended, as the runner recorded it. */
const whyOf = ({ why, reason, code, signal }: AuditEntry['detail']): string => {
  const said = textOf(why) || textOf(reason)
  if (said !== '' && said !== 'exited') return said
  if (typeof code === 'number') return `exit code ${code}`
  return textOf(signal)
}

const lineTarget = ({ seq, stage, agentGroupID }: AuditEntry): Target => ({
  page: 'audit',
  query: { stage, group: agentGroupID, line: String(seq) },
})

const lineOf = (entry: AuditEntry): SessionEvent => ({
  key: `a${entry.seq}`,
  lane: 'sandbox',
  at: Date.parse(entry.time),
  title: endTitles[entry.stage] ?? entry.stage,
  text: whyOf(entry.detail),
  tone: tones[entry.stage] ?? '',
  sign: entry.stage === 'kill' ? 'kill' : entry.stage === 'resume' ? 'resume' : 'end',
  to: lineTarget(entry),
})

/** Each launch with the end of its sandbox, and what else was recorded of the session. Oldest first. */
const sandboxEvents = (audit: readonly AuditEntry[], isRunning: boolean): readonly SessionEvent[] => {
  const sorted = audit.toSorted((a, b) => a.seq - b.seq)
  const ends = sorted.filter(({ stage }) => stage === 'exit' || stage === 'kill')
  return sorted.flatMap((entry): readonly SessionEvent[] => {
    if (entry.stage !== 'launch') return [lineOf(entry)]
    const next = sorted.find(({ seq, stage }) => seq > entry.seq && stage === 'launch')
    const end = ends.find(({ seq }) => seq > entry.seq && (next === undefined || seq < next.seq))
    const at = Date.parse(entry.time)
    const open: Pick<SessionEvent, 'isOpen'> = next === undefined && isRunning ? { isOpen: true } : {}
    return [
      {
        key: `a${entry.seq}`,
        lane: 'sandbox',
        at,
        title: 'Sandbox launched',
        text: textOf(entry.detail['driver']),
        tone: 'info',
        sign: 'launch',
        ...(end === undefined ? open : { duration: Date.parse(end.time) - at }),
        to: lineTarget(entry),
      },
    ]
  })
}

const writers = { user: 'Message to the agent', agent: 'Answer of the agent', system: 'Message of Gatehouse' } as const

const excerpt = (text: string): string => (text.length > 240 ? `${text.slice(0, 240)} …` : text)

/** An answer with the time since the message that it answers. */
const messageEvents = (messages: readonly ChatMessage[]): readonly SessionEvent[] => {
  const times = new Map(messages.map(({ id, at }) => [id, Date.parse(at)]))
  return messages.map((message) => {
    const { id, from, text, author, inReplyTo } = message
    const at = Date.parse(message.at)
    const asked = inReplyTo === undefined ? undefined : times.get(inReplyTo)
    return {
      key: `m${id}`,
      lane: 'messages',
      at,
      title: author === undefined ? writers[from] : `Message of ${author}`,
      text: excerpt(text),
      ...(asked !== undefined && { tag: `after ${((at - asked) / 1_000).toFixed(1)} s` }),
      tone: from === 'system' ? 'warn' : '',
      sign: 'message',
    }
  })
}

const outcomeTone = (outcome: string): SessionEvent['tone'] => (outcome === 'ok' ? 'good' : outcome === 'refused' ? 'warn' : 'bad')

/** Records are written when the call has ended. */
const callEvent = ({ id, time, duration, op, server, tool, status, code }: CallRecord): SessionEvent => ({
  key: `c${id}`,
  lane: 'calls',
  at: Date.parse(time) - duration,
  duration,
  title: op === 'list' ? (server === '' ? 'Listed tools' : `Listed tools of ${server}`) : `Called ${server}`,
  ...(op === 'call' && { text: tool ?? '' }),
  tag: code ?? status,
  tone: outcomeTone(status),
  sign: 'call',
  ...(server !== '' && { to: { page: 'mcp', rest: [server] } }),
})

const modelEvent = ({ id, time, duration, provider, model, outcome, code, tokensIn, tokensOut }: ModelCallRecord): SessionEvent => ({
  key: `r${id}`,
  lane: 'models',
  at: Date.parse(time) - duration,
  duration,
  title: 'Model request',
  text: `${provider} ${model}, ${formatNumber(tokensIn)} tokens in, ${formatNumber(tokensOut)} out`,
  tag: code ?? outcome,
  tone: outcomeTone(outcome),
  sign: 'request',
})

const changeEvents = (change: Change): readonly SessionEvent[] => {
  const to = { page: 'changes', rest: [change.id] }
  const base = { lane: 'changes', text: changeTitle(change), to } as const
  const { id, createdAt, appliedAt, requestedBy, state, decisions } = change
  return [
    {
      ...base,
      key: id,
      at: Date.parse(createdAt),
      title: `Change requested by ${requestedBy}`,
      state,
      tone: 'info',
      sign: 'asked',
    },
    ...decisions.map((decision, place): SessionEvent => ({
      ...base,
      key: `${id} ${place}`,
      at: Date.parse(decision.at),
      title: `${decision.outcome === 'approve' ? 'Approved' : 'Rejected'} by ${decision.by}`,
      tone: decision.outcome === 'approve' ? 'good' : '',
      sign: decision.outcome === 'approve' ? 'approved' : 'rejected',
    })),
    ...(appliedAt === undefined
      ? []
      : [{ ...base, key: `${id} applied`, at: Date.parse(appliedAt), title: 'Change applied', tone: 'good', sign: 'applied' } as const]),
  ]
}

/** Oldest first. Changes of the group count from the first event of the session on. */
export const sessionEvents = (records: SessionRecords, isRunning: boolean): readonly SessionEvent[] => {
  const own = [
    ...sandboxEvents(records.audit, isRunning),
    ...messageEvents(records.messages),
    ...records.calls.map(callEvent),
    ...records.models.map(modelEvent),
  ]
  const first = Math.min(...own.map(({ at }) => at))
  return [...own, ...records.changes.flatMap(changeEvents).filter(({ at }) => at >= first)].toSorted((a, b) => a.at - b.at)
}
