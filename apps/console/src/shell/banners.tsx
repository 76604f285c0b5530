// What holds for the whole unit and nobody may overlook: no token, missing walls, what is broken, what is frozen.
import type { Status } from '@gatehouse/contracts'
import { Untrusted } from '../components/elements.tsx'
import type { Live } from '../live/use-live.ts'

const sentencesOf = (status: Status): readonly string[] => [
  ...(status.open ? ['Development mode: no token is asked for. Never put this unit on a network.'] : []),
  ...(status.sandbox.status === 'refused' ? [`No sandbox is launched: ${status.sandbox.reason ?? 'the driver refused'}.`] : []),
  ...(status.degraded.length > 0 ? [`Not working: ${status.degraded.join(', ')}.`] : []),
]

const Walls = ({ sandbox: { driver, missing } }: Status) => (
  <details class="banner">
    <summary>
      Sandbox {driver}: {missing.length} {missing.length === 1 ? 'wall is' : 'walls are'} missing on this host
    </summary>
    <p>
      <Untrusted text={missing.join(', ')} />
    </p>
  </details>
)

const away = 'The unit does not answer. It is asked again every few seconds; what you see may be old.'

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
