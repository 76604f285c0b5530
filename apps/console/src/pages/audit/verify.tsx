// Has the unit read and check its whole journal, and says what came of it.
import type { AuditVerdict } from '@gatehouse/contracts'
import { useState } from 'preact/hooks'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { useAct } from '../../parts/use-act.ts'
import { useApi } from '../../unit/unit.ts'

const Verdict = ({ verdict }: { readonly verdict: AuditVerdict }) =>
  verdict.ok ? (
    <p class="note good" role="status">
      All {verdict.lines} lines are whole: the chain, the signatures and the end are what they were. The last line is{' '}
      <code>
        {verdict.head.seq} {verdict.head.hash}
      </code>
    </p>
  ) : (
    <p class="note bad" role="alert">
      Line {verdict.line} is not what it was: <Untrusted text={verdict.reason} />
    </p>
  )

export const Verify = () => {
  const api = useApi()
  const act = useAct()
  const [verdict, setVerdict] = useState<AuditVerdict>()
  return (
    <section aria-labelledby="verify">
      <h2 id="verify">Is the journal whole?</h2>
      {act.problem !== undefined && <ProblemNote problem={act.problem} />}
      {verdict !== undefined && <Verdict verdict={verdict} />}
      <button
        type="button"
        class="quiet"
        disabled={act.busy}
        onClick={() => void act.run(async () => setVerdict(await api.audit.verify()))}
      >
        {act.busy ? 'Reading …' : 'Verify all of it'}
      </button>
      <p class="hint">
        The unit reads its own journal. Without trusting the unit: <code>svcctl audit verify</code> on the host.
      </p>
    </section>
  )
}
