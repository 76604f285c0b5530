// One thing that happened, as a line of the conversation.
import type { CallRecord, Change, ChatMessage } from '@gatehouse/contracts'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { Link } from '../../router/link.tsx'
import { type Entry, keyOfEntry } from './entry.ts'

interface Named {
  readonly name: string
}

const who = { user: 'You', agent: 'Agent', system: 'Gatehouse' } as const

/** The conversation of somebody in a channel begins with the name of the channel. */
const writerOf = ({ author, conversationId, from }: ChatMessage): string =>
  author === undefined ? who[from] : `${author}, ${conversationId}`

const Said = ({ message, name }: { readonly message: ChatMessage } & Named) => (
  <li class={`said ${message.from}`} data-key={name}>
    <span class="who">
      <Untrusted text={writerOf(message)} /> <When at={message.at} />
    </span>
    <span class="text">
      <Untrusted text={[message.text, ...(message.files ?? []).map(({ path, size }) => `[${path}, ${size} bytes]`)].join('\n')} />
    </span>
  </li>
)

const Called = ({ call, name }: { readonly call: CallRecord } & Named) => (
  <li class="event" data-key={name}>
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

const Asked = ({ change, name }: { readonly change: Change } & Named) => (
  <li class="event asked" data-key={name}>
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

export const EntryLine = ({ entry }: { readonly entry: Entry }) => {
  const name = keyOfEntry(entry)
  if (entry.type === 'message') return <Said message={entry.message} name={name} />
  return entry.type === 'call' ? <Called call={entry.call} name={name} /> : <Asked change={entry.change} name={name} />
}
