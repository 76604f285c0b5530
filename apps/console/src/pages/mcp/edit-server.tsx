// Forms to add, edit and remove a catalog entry. They take effect at once, so they name the grants that depend on it.
import type { PutServerAnswer, ServerView } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Dialog } from '../../components/dialog.tsx'
import { Collapsible } from '../../components/elements.tsx'
import { notify } from '../../components/notices.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { useAction } from '../../components/use-action.ts'
import { go } from '../../router/router.ts'
import { useApi, useMissingRole } from '../../unit/unit.ts'
import { type Draft, draftOf, emptyDraft, entryOf } from './draft.ts'
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
  const act = useAction()
  const remove = async (): Promise<void> => {
    if (!(await act.run(() => api.servers.remove(name, { ifMatch: tag })))) return
    notify(`${name} is no longer in the catalog.`)
    go({ page: 'mcp' })
  }
  return (
    <Dialog title={`Remove ${name}?`} close={close}>
      <p>No agent can reach it after that. Its grants stay, and apply again to a server that is added under this name.</p>
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
  const act = useAction()
  const [removing, setRemoving] = useState(false)
  const lacks = useMissingRole('admin')
  const save = async (draft: Draft): Promise<void> => {
    await act.run(async () => notify(said(await api.servers.put(server.name, entryOf(draft, server.entry), { ifMatch: server.tag }))))
    refresh()
  }
  if (lacks !== undefined) return <p class="hint">To change it: {lacks}</p>
  return (
    <>
      <Collapsible summary="Edit">
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
      </Collapsible>
      {removing && <Removal server={server} close={() => setRemoving(false)} />}
    </>
  )
}

/** Adds a catalog entry. It grants nothing. */
export const AddServer = ({ open, refresh }: { readonly open: boolean; readonly refresh: () => void }) => {
  const api = useApi()
  const act = useAction()
  const [round, setRound] = useState(0)
  const save = async (draft: Draft): Promise<void> => {
    const name = draft.name.trim()
    const done = await act.run(() => api.servers.put(name, entryOf(draft), { ifMatch: null }))
    if (!done) return
    setRound(round + 1)
    refresh()
    notify('Saved. No agent may use it yet.')
    go({ page: 'mcp', rest: [name] })
  }
  return (
    <Collapsible class="card add" open={open} summary={<strong>Add a tool server</strong>}>
      {() => <EntryForm key={round} start={emptyDraft} busy={act.busy} problem={act.problem} save={(draft) => void save(draft)} />}
    </Collapsible>
  )
}
