// What the agent is at, and the way to stop it.
import type { SessionStatus } from '@gatehouse/contracts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../parts/use-act.ts'
import { Link } from '../../router/link.tsx'
import { useApi, useLacks } from '../../unit/unit.ts'

const says = ({ state, waiting }: SessionStatus): string | undefined => {
  if (state === 'launching') return 'A sandbox is starting …'
  if (state === 'backoff') return 'The sandbox ended; another one starts soon.'
  if (state === 'parked') return 'The session is parked: its sandbox ended too often.'
  if (waiting === 0) return undefined
  return waiting === 1 ? 'The agent works on it …' : `The agent works; ${waiting} messages wait.`
}

export const Progress = ({ sessions }: { readonly sessions: readonly SessionStatus[] }) => {
  const api = useApi()
  const act = useAct()
  const lacks = useLacks('requester')
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
