// What holds for the whole unit and everyone must see: no token, missing isolation, degraded parts.
import type { Status } from '@gatehouse/contracts'
import { Untrusted } from '../components/elements.tsx'
import type { Live } from '../live/use-live.ts'

const sentencesOf = (status: Status): readonly string[] => [
  ...(status.open ? ['Development mode: no token is required. Never expose this unit to a network.'] : []),
  ...(status.sandbox.status === 'refused' ? [`No sandbox can be launched: ${status.sandbox.reason ?? 'the driver refused'}.`] : []),
  ...(status.degraded.length > 0 ? [`Degraded: ${status.degraded.join(', ')}.`] : []),
]

const Walls = ({ sandbox: { driver, missing } }: Status) => (
  <details class="banner">
    <summary>
      Sandbox {driver}: {missing.length} {missing.length === 1 ? 'isolation layer is' : 'isolation layers are'} missing on this host
    </summary>
    <p>
      <Untrusted text={missing.join(', ')} />
    </p>
  </details>
)

const away = 'The unit does not respond. Retrying every few seconds; this page may be out of date.'

export const Banners = ({ live }: { readonly live: Live<Status> }) => {
  const lost = live.problem !== undefined && live.problem.code !== 'unauthorized'
  const sentences = [...(lost ? [away] : []), ...(live.data === undefined ? [] : sentencesOf(live.data))]
  return (
    <aside aria-label="Notices about the unit" class="banners">
      {sentences.map((sentence) => (
        <p key={sentence} class="banner">
          <Untrusted text={sentence} />
        </p>
      ))}
      {live.data !== undefined && live.data.sandbox.missing.length > 0 && <Walls {...live.data} />}
    </aside>
  )
}
