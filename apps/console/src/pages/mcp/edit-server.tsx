// Changes or removes a catalog entry: an operator's act that takes effect at once, so it says what rests on the entry.
import type { PutServerAnswer, ServerView } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Dialog } from '../../parts/dialog.tsx'
import { Fold } from '../../parts/fold.tsx'
import { notify } from '../../parts/notices.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { useAct } from '../../parts/use-act.ts'
import { go } from '../../router/router.ts'
import { useApi, useLacks } from '../../unit/unit.ts'
import { type Draft, draftOf, entryOf } from './draft.ts'
import { EntryForm } from './entry-form.tsx'

interface EditProps {
  readonly server: ServerView
  readonly refresh: () => void
}

const said = ({ grants }: PutServerAnswer): string =>
  grants.length === 0
    ? 'Saved.'
    : `Saved. Another server than the approved one stands behind the grants of ${grants.map(({ agentGroupID }) => agentGroupID).join(', ')} now.`

const Removal = ({ server: { name, tag }, close }: { readonly server: ServerView; readonly close: () => void }) => {
  const api = useApi()
  const act = useAct()
  const remove = async (): Promise<void> => {
    if (!(await act.run(() => api.servers.remove(name, { ifMatch: tag })))) return
    notify(`${name} is no longer in the catalog.`)
    go({ page: 'mcp' })
  }
  return (
    <Dialog title={`Remove ${name}?`} close={close}>
      <p>No agent can reach it any more. Its grants stay, and hold again for a server that is added under this name.</p>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      <p class="actions">
        <button type="button" class="danger" disabled={act.busy} onClick={() => void remove()}>
          Remove it
        </button>
      </p>
    </Dialog>
  )
}

export const EditServer = ({ server, refresh }: EditProps) => {
  const api = useApi()
  const act = useAct()
  const [removing, setRemoving] = useState(false)
  const lacks = useLacks('admin')
  const save = async (draft: Draft): Promise<void> => {
    await act.run(async () => notify(said(await api.servers.put(server.name, entryOf(draft, server.entry), { ifMatch: server.tag }))))
    refresh()
  }
  if (lacks !== undefined) return <p class="hint">To change it: {lacks}</p>
  return (
    <>
      <Fold summary="Edit">
        {() => (
          <EntryForm
            fixed
            start={draftOf(server.name, server.entry)}
            busy={act.busy}
            problem={act.problem}
            save={(draft) => void save(draft)}
          >
            <button type="button" class="danger" onClick={() => setRemoving(true)}>
              Remove …
            </button>
          </EntryForm>
        )}
      </Fold>
      {removing && <Removal server={server} close={() => setRemoving(false)} />}
    </>
  )
}
