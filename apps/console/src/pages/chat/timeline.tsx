// The messages, tool calls and changes of a conversation; it follows the end unless the reader scrolls back.
import type { CallRecord, Change, ChatMessage } from '@gatehouse/contracts'
import { useMemo } from 'preact/hooks'
import { stateLabel } from '../../components/change-state.ts'
import { changeTitle } from '../../components/diff/change-title.ts'
import { Untrusted } from '../../components/elements.tsx'
import { Markdown } from '../../components/markdown/markdown.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { StateTag } from '../../components/state-tag.tsx'
import { formatBytes, formatDuration } from '../../components/units.ts'
import { useAction } from '../../components/use-action.ts'
import { Link } from '../../router/link.tsx'
import { OutcomeTag } from '../calls/outcome.tsx'
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
    {message.from === 'agent' ? (
      <Markdown text={message.text} />
    ) : (
      <span class="text">
        <Untrusted text={message.text} />
      </span>
    )}
    {message.files !== undefined && message.files.length > 0 && (
      <ul class="plain hint" aria-label="Files sent with it">
        {message.files.map(({ path, size }) => (
          <li key={path}>
            <Untrusted text={path} />, {formatBytes(size)}
          </li>
        ))}
      </ul>
    )}
  </li>
)

const Called = ({ call, name }: { readonly call: CallRecord } & Named) => (
  <li class="event" data-key={name}>
    <OutcomeTag outcome={call.status} code={call.code} />{' '}
    <span>
      called{' '}
      <code>
        <Untrusted text={`${call.server}__${call.tool ?? ''}`} />
      </code>{' '}
      <span class="soft">
        {formatDuration(call.duration)}, <RelativeTime at={call.time} />
        {call.code === 'not-granted' && (
          <>
            {' · '}
            <Link to={{ page: 'mcp', rest: [call.server] }}>Request access</Link>
          </>
        )}
      </span>
    </span>
  </li>
)

/** What the agent asked for itself stands out; what others requested for its group is a thin line. */
const Asked = ({ change, name, isOwn }: { readonly change: Change; readonly isOwn: boolean } & Named) => (
  <li class={isOwn ? 'event asked' : 'event others'} data-key={name}>
    {isOwn ? <StateTag state={change.state} /> : <span class="soft">{stateLabel[change.state]}:</span>}{' '}
    <span>
      <Link to={{ page: 'changes', rest: [change.id] }}>
        <Untrusted text={changeTitle(change)} />
      </Link>{' '}
      <span class="soft">
        requested by <Untrusted text={change.requestedBy} />, <RelativeTime at={change.createdAt} />
      </span>
    </span>
  </li>
)

interface EntryLineProps {
  readonly entry: Entry
  /** Of the conversation that is shown; undefined for all of the group. */
  readonly session: string | undefined
}

const EntryLine = ({ entry, session }: EntryLineProps) => {
  const name = keyOfEntry(entry)
  if (entry.type === 'message') return <Said message={entry.message} name={name} />
  if (entry.type === 'call') return <Called call={entry.call} name={name} />
  const { principal } = entry.change
  const isOwn = session === undefined ? principal.startsWith('session:') : principal === `session:${session}`
  return <Asked change={entry.change} name={name} isOwn={isOwn} />
}

interface TimelineProps extends Pick<EntryLineProps, 'session'> {
  readonly entries: readonly Entry[]
  readonly earlier: ((before: () => void) => Promise<void>) | undefined
}

export const Timeline = ({ entries, earlier, session }: TimelineProps) => {
  const action = useAction()
  const { box, shown, looked, back, forth } = useWindow(entries)
  const goBack = (): unknown => (shown.start >= step || earlier === undefined ? back() : action.run(() => earlier(back)))
  const lines = useMemo(
    () => entries.slice(shown.start, shown.end).map((entry) => <EntryLine key={keyOfEntry(entry)} entry={entry} session={session} />),
    [entries, shown.start, shown.end, session],
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
