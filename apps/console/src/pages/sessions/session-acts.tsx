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
          Cancel current work
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
          says="The session is closed and its sandbox ends. Pending messages stay unanswered."
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
    notify(`Messages of ${id} deleted.`)
  }
  return (
    <>
      <p>Session not found, or closed. Messages of a closed session are kept until they are purged.</p>
      {lacks === undefined && (
        <button type="button" class="danger" onClick={() => setAsks(true)}>
          Purge
        </button>
      )}
      <MissingRole why={lacks} />
      {asks && (
        <Confirm
          title={`Purge ${id}`}
          says="All messages of the session and their key are deleted. This cannot be undone. The audit log keeps its records."
          act="Purge permanently"
          run={purge}
          close={() => setAsks(false)}
        />
      )}
    </>
  )
}
