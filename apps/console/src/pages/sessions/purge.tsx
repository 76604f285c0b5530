// A session that is not there any more: what was said in it can be deleted.
import { useState } from 'preact/hooks'
import { Confirm } from '../../parts/confirm.tsx'
import { Lacks } from '../../parts/lacks.tsx'
import { notify } from '../../parts/notices.tsx'
import { useApi, useLacks } from '../../unit/unit.ts'

export const Purge = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const lacks = useLacks('admin')
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
      <Lacks why={lacks} />
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
