// What became of a change, and what can still be done: try again, undo.
import { type ChangeView, isRetryable } from '@gatehouse/contracts'
import { notify } from '../../parts/notices.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../parts/use-act.ts'
import { go } from '../../router/router.ts'
import { useApi, useLacks } from '../../unit/unit.ts'
import { useSignature } from '../../unit/signature.ts'
import { toneOf, wordsOf } from '../../parts/change-state.ts'

/** Nothing undoes a server in the catalog but an operator's own hand. */
const undoable = (change: ChangeView): boolean => change.state === 'applied' && change.kind !== 'mcp_register'

export const Ended = ({ change, refresh }: { readonly change: ChangeView; readonly refresh: () => void }) => {
  const api = useApi()
  const act = useAct()
  const { label } = useSignature()
  const mayAsk = useLacks('requester') === undefined
  const mayRetry = useLacks('approver') === undefined
  const retry = async (): Promise<void> => {
    await act.run(() => api.changes.retry(change.id, { by: label }))
    refresh()
  }
  const undo = (): Promise<boolean> =>
    act.run(async () => {
      const { id } = await api.changes.revert(change.id, { requestedBy: label })
      notify('The change that undoes it waits for a decision.')
      go({ page: 'changes', rest: [id] })
    })
  return (
    <>
      <p role="status">
        <span class={`tag ${toneOf[change.state]}`}>{wordsOf[change.state]}</span>
      </p>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {isRetryable(change) && mayRetry && (
        <button type="button" disabled={act.busy} onClick={() => void retry()}>
          Try to apply it again
        </button>
      )}
      {undoable(change) && mayAsk && (
        <p>
          <button type="button" class="quiet small" disabled={act.busy} onClick={() => void undo()}>
            Ask to undo it
          </button>
        </p>
      )}
    </>
  )
}
