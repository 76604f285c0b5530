// What people may do with a session: stop what it is at, close it, wake it.
import type { SessionStatus } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Confirm } from '../../parts/confirm.tsx'
import { Lacks } from '../../parts/lacks.tsx'
import { notify } from '../../parts/notices.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useApi, useLacks } from '../../unit/unit.ts'

interface SessionActsProps {
  readonly session: SessionStatus
  readonly refresh: () => void
}

export const SessionActs = ({ session, refresh }: SessionActsProps) => {
  const api = useApi()
  const act = useAct()
  const [asks, setAsks] = useState(false)
  const lacks = useLacks('approver')
  const mayNotCancel = useLacks('requester')
  const run = async (does: () => Promise<void>, said: string): Promise<void> => {
    if (await act.run(does)) notify(said)
    refresh()
  }
  const terminate = async (reason: string): Promise<void> => {
    await api.sessions.terminate(session.id, reason === '' ? {} : { reason })
    notify(`Session ${session.id} is closed.`)
    refresh()
  }
  return (
    <>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {session.state === 'live' && session.waiting > 0 && mayNotCancel === undefined && (
        <button type="button" class="quiet" disabled={act.busy} onClick={() => void run(() => api.sessions.cancel(session.id), 'Stopped.')}>
          Stop what it is at
        </button>
      )}
      {session.state === 'parked' && lacks === undefined && (
        <button
          type="button"
          class="quiet"
          disabled={act.busy}
          onClick={() => void run(() => api.sessions.resume(session.id), 'It works again.')}
        >
          Resume
        </button>
      )}
      {lacks === undefined && (
        <button type="button" class="danger" disabled={act.busy} onClick={() => setAsks(true)}>
          Terminate
        </button>
      )}
      <Lacks why={lacks} />
      {asks && (
        <Confirm
          title={`Terminate ${session.id}`}
          says="The session is closed and its sandbox ends. Messages that wait in it stay unanswered."
          act="Terminate"
          reason="may"
          run={terminate}
          close={() => setAsks(false)}
        />
      )}
    </>
  )
}
