// Which directories of the host a group sees.
import type { AgentGroup, Mount } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { Line } from '../../parts/text-fields.tsx'
import { AskForm } from './ask-form.tsx'

interface RowProps {
  readonly mount: Mount
  readonly set: (part: Partial<Mount>) => void
  readonly remove: () => void
}

const Row = ({ mount, set, remove }: RowProps) => (
  <fieldset>
    <legend>Mount</legend>
    <div class="pair">
      <Line label="On the host" required pattern="/.*" value={mount.source} set={(source) => set({ source })} />
      <Line label="In the sandbox" required pattern="/mnt/.+" value={mount.target} set={(target) => set({ target })} />
    </div>
    <label class="choice">
      <input type="checkbox" checked={mount.mode === 'rw'} onChange={(event) => set({ mode: event.currentTarget.checked ? 'rw' : 'ro' })} />{' '}
      The agent may write there
    </label>
    <button type="button" class="quiet small" onClick={remove}>
      Take it out
    </button>
  </fieldset>
)

export const MountsForm = ({ group }: { readonly group: AgentGroup }) => {
  const [mounts, setMounts] = useState<readonly Mount[]>(() => group.mounts.map(({ source, target, mode }) => ({ source, target, mode })))
  return (
    <AskForm kind="mounts" agentGroupID={group.id} after={() => ({ mounts })} label="Ask for these mounts">
      {mounts.map((mount, place) => (
        <Row
          key={place}
          mount={mount}
          set={(part) => setMounts(mounts.with(place, { ...mount, ...part }))}
          remove={() => setMounts(mounts.toSpliced(place, 1))}
        />
      ))}
      <button type="button" class="quiet" onClick={() => setMounts([...mounts, { source: '', target: '/mnt/', mode: 'ro' }])}>
        Another mount
      </button>
    </AskForm>
  )
}
