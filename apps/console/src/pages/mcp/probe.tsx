// Connects to the server now and shows what it declares at this moment.
import type { ProbeResult } from '@gatehouse/contracts'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useApi, useLacks } from '../../unit/unit.ts'

interface ProbeProps {
  readonly name: string
  readonly found: ProbeResult | undefined
  readonly show: (found: ProbeResult) => void
}

export const Probe = ({ name, found, show }: ProbeProps) => {
  const api = useApi()
  const act = useAct()
  const lacks = useLacks('approver')
  const probe = (): Promise<boolean> => act.run(async () => show(await api.servers.probe(name)))
  if (lacks !== undefined) return <p class="note">To probe the server: {lacks}</p>
  return (
    <>
      <p>
        <button type="button" class="quiet" disabled={act.busy} onClick={() => void probe()}>
          {act.busy ? 'Probing …' : 'Probe'}
        </button>{' '}
        <span class="soft" role="status">
          {found === undefined ? (
            'Connects and lists its tools; nothing is called.'
          ) : (
            <>
              <Untrusted text={`${found.server.name} ${found.server.version}`} /> answered in {found.elapsedMs} ms with {found.tools.length}{' '}
              tools, protocol <Untrusted text={found.server.protocol} />
            </>
          )}
        </span>
      </p>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
    </>
  )
}
