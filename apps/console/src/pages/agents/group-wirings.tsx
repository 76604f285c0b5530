// The addresses of channels at which a group listens.
import type { Wired } from '@gatehouse/contracts'
import { useLive } from '../../live/use-live.ts'
import { ListFrame } from '../../parts/list-frame.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { useSubmit } from '../../parts/use-submit.ts'
import { useApi, useLacks } from '../../unit/unit.ts'

const Address = ({ wired }: { readonly wired: Wired }) => {
  const asks = useSubmit()
  const lacks = useLacks('requester')
  const { channel, address, agentGroupID } = wired
  const end = () => asks.submit({ kind: 'wiring', agentGroupID, after: { remove: { channel, address } } })
  return (
    <li>
      <strong>
        {channel} <Untrusted text={address} />
      </strong>
      : {wired.engage}
      {wired.pattern !== undefined && (
        <>
          {' '}
          <Untrusted text={wired.pattern} />
        </>
      )}
      , a session for each {wired.session}{' '}
      {lacks === undefined && (
        <button type="button" class="quiet small" disabled={asks.busy} onClick={() => void end()}>
          Ask for its end
        </button>
      )}
      {asks.problem !== undefined && <ProblemNote problem={asks.problem} />}
    </li>
  )
}

export const GroupWirings = ({ id }: { readonly id: string }) => {
  const api = useApi()
  const live = useLive((signal) => api.wirings.list({ agentGroupID: id }, { signal }), {
    of: [id],
    wants: ({ agentGroupID }) => agentGroupID === id,
  })
  const items = live.data?.items ?? []
  return (
    <section>
      <h2>Addresses of channels</h2>
      <ListFrame live={live} count={items.length} empty={<p>It listens at no channel.</p>}>
        <ul class="plain">
          {items.map((wired) => (
            <Address key={`${wired.channel} ${wired.address}`} wired={wired} />
          ))}
        </ul>
      </ListFrame>
    </section>
  )
}
