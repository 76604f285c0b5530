// A new tool server, written down by an operator. It grants nothing to anybody.
import { useState } from 'preact/hooks'
import { Fold } from '../../parts/fold.tsx'
import { notify } from '../../parts/notices.tsx'
import { useAct } from '../../parts/use-act.ts'
import { go } from '../../router/router.ts'
import { useApi } from '../../unit/unit.ts'
import { type Draft, emptyDraft, entryOf } from './draft.ts'
import { EntryForm } from './entry-form.tsx'

export const AddServer = ({ open, refresh }: { readonly open: boolean; readonly refresh: () => void }) => {
  const api = useApi()
  const act = useAct()
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
    <Fold class="card add" open={open} summary={<strong>Add a tool server</strong>}>
      {() => <EntryForm key={round} start={emptyDraft} busy={act.busy} problem={act.problem} save={(draft) => void save(draft)} />}
    </Fold>
  )
}
