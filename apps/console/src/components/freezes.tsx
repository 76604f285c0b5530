// The emergency stop, for the unit or for one group: what is frozen, freeze, lift.
import type { Freeze } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { useGroups } from '../live/use-list.ts'
import { useLive } from '../live/use-live.ts'
import { useApi, useFrozen, useMissingRole } from '../unit/unit.ts'
import { Confirm } from './dialog.tsx'
import { MissingRole, Untrusted } from './elements.tsx'
import { Icon } from './icon.tsx'
import { ListFrame } from './list.tsx'
import { notify } from './notices.tsx'
import { RelativeTime } from './relative-time.tsx'

const targetName = ({ agentGroupID }: Pick<Freeze, 'agentGroupID'>): string => agentGroupID ?? 'the whole unit'

const Frozen = ({ freeze, lift }: { readonly freeze: Freeze; readonly lift: (() => void) | undefined }) => (
  <li class="line-item" data-row>
    <span>
      <strong>{targetName(freeze)}</strong>
      <span class="soft">
        {' '}
        by <Untrusted text={freeze.by} />, <RelativeTime at={freeze.at} />: <Untrusted text={freeze.reason} />
      </span>
    </span>
    {lift !== undefined && (
      <button type="button" class="quiet small" onClick={lift}>
        Lift
      </button>
    )}
  </li>
)

const Stop = ({ stop }: { readonly stop: (group: string) => void }) => {
  const groups = useGroups().data
  const [group, setGroup] = useState('')
  const missing = useMissingRole('approver')
  if (missing !== undefined) return <MissingRole why={missing} />
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

interface AskProps {
  readonly act: 'freeze' | 'unfreeze'
  /** Empty: the whole unit. */
  readonly group: string
  readonly done: () => void
  readonly close: () => void
}

const Ask = ({ act, group, done, close }: AskProps) => {
  const api = useApi()
  const run = async (reason: string): Promise<void> => {
    const target = { reason, ...(group !== '' && { agentGroupID: group }) }
    await (act === 'freeze' ? api.freezes.freeze(target) : api.freezes.unfreeze(target))
    notify(act === 'freeze' ? 'Frozen.' : 'Lifted.')
    done()
  }
  return (
    <Confirm
      title={`${act === 'freeze' ? 'Freeze' : 'Lift the freeze of'} ${group === '' ? 'the whole unit' : group}`}
      says={
        act === 'freeze'
          ? 'Nothing is launched, called or applied until the freeze is lifted. Nothing is deleted. The audit log records the reason.'
          : 'Launches, calls and pending applies continue at once. The audit log records the reason.'
      }
      act={act === 'freeze' ? 'Freeze' : 'Lift'}
      reason="must"
      run={run}
      close={close}
    />
  )
}

/** What is frozen, with the buttons to freeze and to lift. */
export const Freezes = () => {
  const api = useApi()
  const live = useLive((signal) => api.freezes.list({ signal }), { wants: ({ stage }) => stage === 'freeze' || stage === 'unfreeze' })
  const [ask, setAsk] = useState<Pick<AskProps, 'act' | 'group'>>()
  const mayLift = useMissingRole('admin') === undefined
  const items = live.data?.items ?? []
  return (
    <>
      <p class="soft">A freeze stops launches, calls, model requests and applies until it is lifted. It deletes nothing.</p>
      <ListFrame live={live} count={items.length} empty={<p>Nothing is frozen.</p>}>
        <ul class="plain">
          {items.map((freeze) => (
            <Frozen
              key={targetName(freeze)}
              freeze={freeze}
              lift={mayLift ? () => setAsk({ act: 'unfreeze', group: freeze.agentGroupID ?? '' }) : undefined}
            />
          ))}
        </ul>
      </ListFrame>
      <Stop stop={(group) => setAsk({ act: 'freeze', group })} />
      {ask !== undefined && <Ask {...ask} done={() => live.refresh()} close={() => setAsk(undefined)} />}
    </>
  )
}

/** Freezes one group, or lifts its freeze; nothing for a reader who may do neither. */
export const FreezeGroup = ({ group }: { readonly group: string }) => {
  const frozen = useFrozen(group)
  const mayFreeze = useMissingRole('approver') === undefined
  const mayLift = useMissingRole('admin') === undefined
  const [asks, setAsks] = useState(false)
  const own = frozen?.agentGroupID === group
  if (own ? !mayLift : !mayFreeze) return null
  return (
    <>
      <button type="button" class={own ? 'quiet frozen' : 'quiet'} onClick={() => setAsks(true)}>
        <Icon name="freeze" /> {own ? 'Lift freeze' : 'Freeze'}
      </button>
      {asks && <Ask act={own ? 'unfreeze' : 'freeze'} group={group} done={() => undefined} close={() => setAsks(false)} />}
    </>
  )
}
