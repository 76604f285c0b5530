// The journal, newest first.
import { useLive } from '../../live/use-live.ts'
import { PageHead } from '../../parts/page-head.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { useApi } from '../../unit/unit.ts'

export const Audit = () => {
  const api = useApi()
  const audit = useLive((signal) => api.audit.list({ limit: 100 }, { signal }), { wants: () => true })
  return (
    <>
      <PageHead title="Audit" />
      {audit.problem !== undefined && <ProblemNote problem={audit.problem} />}
      <div class="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">No.</th>
              <th scope="col">Stage</th>
              <th scope="col">Kind</th>
              <th scope="col">Group</th>
              <th scope="col">Change</th>
              <th scope="col">Principal</th>
              <th scope="col">When</th>
            </tr>
          </thead>
          <tbody>
            {audit.data?.items.map((entry) => (
              <tr key={entry.seq}>
                <td>{entry.seq}</td>
                <td>{entry.stage}</td>
                <td>{entry.kind ?? ''}</td>
                <td>{entry.agentGroupID ?? ''}</td>
                <td>
                  <code>{entry.changeID ?? ''}</code>
                </td>
                <td>
                  <Untrusted text={entry.by === undefined ? entry.principal : `${entry.principal} as ${entry.by}`} />
                </td>
                <td>
                  <When at={entry.time} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">Check the whole chain on the host with: svcctl audit verify</p>
    </>
  )
}
