// The message field, and what the agent is doing. The text stays until the unit has accepted it, exactly once.
import type { SessionStatus } from '@gatehouse/contracts'
import { useRef, useState } from 'preact/hooks'
import { MissingRole } from '../../components/elements.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useAction } from '../../components/use-action.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useMissingRole } from '../../unit/unit.ts'

interface ComposerProps {
  readonly group: string
  readonly conversation: string | undefined
  readonly sent: () => void
}

export const Composer = ({ group, conversation, sent }: ComposerProps) => {
  const api = useApi()
  const act = useAction()
  const lacks = useMissingRole('requester')
  const [text, setText] = useState('')
  const attempt = useRef<{ readonly text: string; readonly key: string }>(undefined)
  const send = async (): Promise<void> => {
    if (text.trim() === '' || act.busy) return
    // The same words again after a failure are the same message.
    if (attempt.current?.text !== text) attempt.current = { text, key: crypto.randomUUID() }
    const idempotencyKey = attempt.current.key
    const body = { agentGroupID: group, text, ...(conversation !== undefined && { conversationId: conversation }) }
    if (!(await act.run(() => api.chat.send(body, { idempotencyKey })))) return
    attempt.current = undefined
    setText((present) => (present === text ? '' : present))
    sent()
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
    >
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      <label for="text" class="unseen">
        Message
      </label>
      <textarea
        id="text"
        rows={2}
        value={text}
        placeholder="Write to the agent. Enter sends, Shift Enter begins a line."
        onInput={(event) => setText(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void send()
        }}
      />
      <button type="submit" disabled={act.busy || lacks !== undefined}>
        Send
      </button>
      <MissingRole why={lacks} />
    </form>
  )
}

const says = ({ state, waiting }: SessionStatus): string | undefined => {
  if (state === 'launching') return 'A sandbox is starting …'
  if (state === 'backoff') return 'The sandbox ended; another one starts soon.'
  if (state === 'parked') return 'The session is parked: its sandbox ended too often.'
  if (waiting === 0) return undefined
  return waiting === 1 ? 'The agent is working …' : `The agent is working; ${waiting} messages are pending.`
}

/** What the agent is doing, and a button that stops it. */
export const Progress = ({ sessions }: { readonly sessions: readonly SessionStatus[] }) => {
  const api = useApi()
  const act = useAction()
  const lacks = useMissingRole('requester')
  const busy = sessions.flatMap((session) => {
    const text = says(session)
    return text === undefined ? [] : [{ session, text }]
  })
  return (
    <div class="progress" role="status">
      {busy.map(({ session, text }) => (
        <p key={session.id}>
          <span class="pulse" aria-hidden="true" /> {text} <Link to={{ page: 'sessions', rest: [session.id] }}>Session</Link>
          {session.state === 'live' && lacks === undefined && (
            <button
              type="button"
              class="quiet small"
              disabled={act.busy}
              onClick={() => void act.run(() => api.sessions.cancel(session.id))}
            >
              Stop
            </button>
          )}
        </p>
      ))}
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
    </div>
  )
}
