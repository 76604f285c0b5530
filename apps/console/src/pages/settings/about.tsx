// What this unit is: version, mode, walls, what is kept and for how long.
import { Untrusted } from '../../parts/untrusted.tsx'
import { When } from '../../parts/when.tsx'
import { useUnit } from '../../unit/unit.ts'

export const About = () => {
  const { status } = useUnit()
  if (status === undefined) return null
  const { version, mode, startedAt, approvals, mcp, sandbox } = status
  const rows: readonly (readonly [string, string])[] = [
    ['Version', version],
    ['Mode', mode],
    ['Approvals that a change needs', String(approvals)],
    ['Tool servers', mcp.enabled ? `on, isolation ${mcp.isolation ?? 'unknown'}, pinning ${mcp.pinning ?? 'unknown'}` : 'off'],
    ['Sandbox', [sandbox.driver, sandbox.engine, sandbox.status].filter((part) => part !== undefined).join(', ')],
    ['Missing walls', sandbox.missing.length === 0 ? 'none' : sandbox.missing.join(', ')],
    ['Proof of the seal', sandbox.seal ?? 'not tried yet'],
  ]
  return (
    <section aria-labelledby="about">
      <h2 id="about">About this unit</h2>
      <dl class="card">
        {rows.map(([name, value]) => (
          <>
            <dt key={name}>{name}</dt>
            <dd>
              <Untrusted text={value} />
            </dd>
          </>
        ))}
        <dt>Started</dt>
        <dd>
          <When at={startedAt} />
        </dd>
        <dt>Retention</dt>
        <dd>
          Journal and changes: for ever. Call records: <code>--calls-retention</code>, 30 days unless set. Conversations:{' '}
          <code>--chat-retention</code>, 90 days unless set, or until they are purged.
        </dd>
      </dl>
    </section>
  )
}
