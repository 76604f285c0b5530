// Actions on a session: cancel, terminate, resume, purge.
import type { SessionStatus } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Confirm } from '../../components/dialog.tsx'
import { MissingRole } from '../../components/elements.tsx'
import { notify } from '../../components/notices.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useAction } from '../../components/use-action.ts'
import { useApi, useMissingRole } from '../../unit/unit.ts'

interface SessionActsProps {
  readonly session: SessionStatus
  readonly refresh: () => void
}

export const SessionActs = ({ session, refresh }: SessionActsProps) => {
  const api = useApi()
  const act = useAction()
  const [asks, setAsks] = useState(false)
  const lacks = useMissingRole('approver')
  const mayNotCancel = useMissingRole('requester')
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
      <MissingRole why={lacks} />
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

/** Deletes the messages of a closed session. */
export const Purge = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const lacks = useMissingRole('admin')
  const [asks, setAsks] = useState(false)
  const purge = async (): Promise<void> => {
    await api.sessions.purge(id)
    notify(`What was said in ${id} is gone.`)
  }
  return (
    <>
      <p>There is no such session, or it was closed. What was said in a closed one is kept until it is purged.</p>
      {lacks === undefined && (
        <button type="button" class="danger" onClick={() => setAsks(true)}>
          Purge
        </button>
      )}
      <MissingRole why={lacks} />
      {asks && (
        <Confirm
          title={`Purge ${id}`}
          says="All messages of the session and their key are deleted. Nobody can bring them back. The journal keeps its lines."
          act="Purge for good"
          run={purge}
          close={() => setAsks(false)}
        />
      )}
    </>
  )
}
