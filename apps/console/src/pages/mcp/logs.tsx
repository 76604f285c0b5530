// What a local server wrote to its stderr, followed while it is open.
import { useLive } from '../../live/use-live.ts'
import { Fold } from '../../parts/fold.tsx'
import { ProblemNote } from '../../parts/problem-note.tsx'
import { Untrusted } from '../../parts/untrusted.tsx'
import { useApi, useLacks } from '../../unit/unit.ts'

const Follow = ({ name }: { readonly name: string }) => {
  const api = useApi()
  const logs = useLive((signal) => api.servers.logs(name, { limit: 200 }, { signal }), { of: [name], every: 3_000 })
  if (logs.problem !== undefined) return <ProblemNote problem={logs.problem} />
  if (logs.data === undefined) return <p class="soft">Loading …</p>
  if (logs.data.items.length === 0) return <p class="soft">It wrote nothing since it was started.</p>
  return (
    <ol class="log" tabIndex={0} aria-label={`What ${name} wrote`}>
      {logs.data.items.map(({ seq, at, text }) => (
        <li key={seq}>
          <time dateTime={at}>{at.slice(11, 19)}</time> <Untrusted text={text} />
        </li>
      ))}
    </ol>
  )
}

export const Logs = ({ name }: { readonly name: string }) => {
  const lacks = useLacks('approver')
  return (
    <section aria-labelledby="logs">
      <h2 id="logs">What it wrote</h2>
      {lacks === undefined ? <Fold summary="Its stderr">{() => <Follow name={name} />}</Fold> : <p class="note">{lacks}</p>}
    </section>
  )
}
