// One thing that happened, as a line of the conversation.
import type { CallRecord, Change, ChatMessage } from '@gatehouse/contracts'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { Link } from '../../router/link.tsx'
import type { Entry } from './use-timeline.ts'

const who = { user: 'You', agent: 'Agent', system: 'Gatehouse' } as const

const Said = ({ message }: { readonly message: ChatMessage }) => (
  <li class={`said ${message.from}`}>
    <span class="who">
      {who[message.from]} <When at={message.at} />
    </span>
    <span class="text">
      <Untrusted text={message.text} />
    </span>
  </li>
)

const Called = ({ call }: { readonly call: CallRecord }) => (
  <li class="event">
    <span class={`tag ${call.status === 'ok' ? 'good' : 'bad'}`}>{call.code ?? call.status}</span>{' '}
    <span>
      called{' '}
      <code>
        <Untrusted text={`${call.server}__${call.tool ?? ''}`} />
      </code>{' '}
      <span class="soft">
        {Math.round(call.duration)} ms, <When at={call.time} />
      </span>
    </span>
  </li>
)

const states: Readonly<Record<Change['state'], string>> = {
  held: 'warn',
  approved: 'info',
  applied: 'good',
  refused: 'bad',
  rejected: 'bad',
  apply_failed: 'bad',
  withdrawn: '',
  expired: '',
}

const Asked = ({ change }: { readonly change: Change }) => (
  <li class="event asked">
    <span class={`tag ${states[change.state]}`}>{change.state === 'held' ? 'waits' : change.state}</span>{' '}
    <span>
      <Link to={{ page: 'changes', rest: [change.id] }}>
        <Untrusted text={change.summary} />
      </Link>{' '}
      <span class="soft">
        asked for by <Untrusted text={change.requestedBy} />, <When at={change.createdAt} />
      </span>
    </span>
  </li>
)

export const keyOfEntry = (entry: Entry): string => {
  if (entry.type === 'message') return `m${entry.message.seq}`
  return entry.type === 'call' ? `c${entry.call.id}` : entry.change.id
}

export const EntryLine = ({ entry }: { readonly entry: Entry }) => {
  if (entry.type === 'message') return <Said message={entry.message} />
  return entry.type === 'call' ? <Called call={entry.call} /> : <Asked change={entry.change} />
}
