// The messages, tool calls and changes of a conversation; it follows the end unless the reader scrolls back.
import type { CallRecord, Change, ChatMessage } from '@gatehouse/contracts'
import { useMemo } from 'preact/hooks'
import { Untrusted } from '../../components/elements.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useAction } from '../../components/use-action.ts'
import { Link } from '../../router/link.tsx'
import { type Entry, keyOfEntry } from './use-timeline.ts'
import { step, useWindow } from './use-window.ts'

interface Named {
  readonly name: string
}

const who = { user: 'You', agent: 'Agent', system: 'Gatehouse' } as const

/** The id of a conversation in a channel begins with the name of the channel. */
const writerOf = ({ author, conversationId, from }: ChatMessage): string =>
  author === undefined ? who[from] : `${author}, ${conversationId}`

const Said = ({ message, name }: { readonly message: ChatMessage } & Named) => (
  <li class={`said ${message.from}`} data-key={name}>
    <span class="who">
      <Untrusted text={writerOf(message)} /> <RelativeTime at={message.at} />
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
        {Math.round(call.duration)} ms, <RelativeTime at={call.time} />
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
        requested by <Untrusted text={change.requestedBy} />, <RelativeTime at={change.createdAt} />
      </span>
    </span>
  </li>
)

const EntryLine = ({ entry }: { readonly entry: Entry }) => {
  const name = keyOfEntry(entry)
  if (entry.type === 'message') return <Said message={entry.message} name={name} />
  return entry.type === 'call' ? <Called call={entry.call} name={name} /> : <Asked change={entry.change} name={name} />
}

interface TimelineProps {
  readonly entries: readonly Entry[]
  readonly earlier: ((before: () => void) => Promise<void>) | undefined
}

export const Timeline = ({ entries, earlier }: TimelineProps) => {
  const action = useAction()
  const { box, shown, looked, back, forth } = useWindow(entries)
  const goBack = (): unknown => (shown.start >= step || earlier === undefined ? back() : action.run(() => earlier(back)))
  const lines = useMemo(
    () => entries.slice(shown.start, shown.end).map((entry) => <EntryLine key={keyOfEntry(entry)} entry={entry} />),
    [entries, shown.start, shown.end],
  )
  return (
    <div ref={box} class="talk" tabIndex={0} role="log" aria-label="Messages" onScroll={looked}>
      {(shown.start > 0 || earlier !== undefined) && (
        <p class="more">
          <button type="button" class="quiet small" disabled={action.busy} onClick={goBack}>
            Show earlier
          </button>
        </p>
      )}
      {action.problem !== undefined && <ProblemNote problem={action.problem} />}
      <ol>{lines}</ol>
      {shown.end < entries.length && (
        <p class="more">
          <button type="button" class="quiet small" onClick={forth}>
            Show later
          </button>
        </p>
      )}
    </div>
  )
}
