// The emergency stop, for the unit or for one group: what is frozen, stop, lift.
import type { Freeze } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Confirm } from '../../components/dialog.tsx'
import { MissingRole, Untrusted } from '../../components/elements.tsx'
import { ListFrame } from '../../components/list.tsx'
import { notify } from '../../components/notices.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { useGroups } from '../../live/use-list.ts'
import { useLive } from '../../live/use-live.ts'
import { useApi, useMissingRole } from '../../unit/unit.ts'

const nameOf = ({ agentGroupID }: Pick<Freeze, 'agentGroupID'>): string => agentGroupID ?? 'the whole unit'

const Frozen = ({ freeze, lift }: { readonly freeze: Freeze; readonly lift: (() => void) | undefined }) => (
  <li class="card" data-row>
    <strong>{nameOf(freeze)}</strong>, by <Untrusted text={freeze.by} />, <RelativeTime at={freeze.at} />:{' '}
    <Untrusted text={freeze.reason} />
    {lift !== undefined && (
      <div class="actions">
        <button type="button" class="quiet small" onClick={lift}>
          Lift
        </button>
      </div>
    )}
  </li>
)

const Stop = ({ stop }: { readonly stop: (group: string) => void }) => {
  const groups = useGroups().data
  const [group, setGroup] = useState('')
  const lacks = useMissingRole('approver')
  if (lacks !== undefined) return <MissingRole why={lacks} />
  return (
    <div class="filters">
      <label class="field">
        Freeze
        <select value={group} onChange={(event) => setGroup(event.currentTarget.value)}>
          <option value="">the whole unit</option>
          {groups?.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <button type="button" class="danger" onClick={() => stop(group)}>
        Freeze …
      </button>
    </div>
  )
}

export const FreezeSection = () => {
  const api = useApi()
  const live = useLive((signal) => api.freezes.list({ signal }), { wants: ({ stage }) => stage === 'freeze' || stage === 'unfreeze' })
  const [asks, setAsks] = useState<{ readonly act: 'freeze' | 'unfreeze'; readonly group: string }>()
  const mayNotLift = useMissingRole('admin')
  const items = live.data?.items ?? []
  const run = async (reason: string): Promise<void> => {
    const wanted = { reason, ...(asks?.group !== '' && { agentGroupID: asks?.group }) }
    await (asks?.act === 'freeze' ? api.freezes.freeze(wanted) : api.freezes.unfreeze(wanted))
    notify(asks?.act === 'freeze' ? 'Frozen.' : 'Lifted.')
    live.refresh()
  }
  return (
    <section aria-labelledby="freeze">
      <h2 id="freeze">Emergency stop</h2>
      <p class="soft">A freeze ends nothing that is stored. It stops launches, calls, model requests and applies until it is lifted.</p>
      <ListFrame live={live} count={items.length} empty={<p>Nothing is frozen.</p>}>
        <ul class="bare">
          {items.map((freeze) => (
            <Frozen
              key={nameOf(freeze)}
              freeze={freeze}
              lift={mayNotLift === undefined ? () => setAsks({ act: 'unfreeze', group: freeze.agentGroupID ?? '' }) : undefined}
            />
          ))}
        </ul>
      </ListFrame>
      <Stop stop={(group) => setAsks({ act: 'freeze', group })} />
      {asks !== undefined && (
        <Confirm
          title={`${asks.act === 'freeze' ? 'Freeze' : 'Lift the freeze of'} ${asks.group === '' ? 'the whole unit' : asks.group}`}
          says="The reason is kept in the journal."
          act={asks.act === 'freeze' ? 'Freeze' : 'Lift'}
          reason="must"
          run={run}
          close={() => setAsks(undefined)}
        />
      )}
    </section>
  )
}
