// Settings: freeze, tokens, appearance, and facts about this unit.
import { useState } from 'preact/hooks'
import { Untrusted } from '../../components/elements.tsx'
import { Freezes } from '../../components/freezes.tsx'
import { PageHead } from '../../components/page-head.tsx'
import { RelativeTime } from '../../components/relative-time.tsx'
import { contrasts, readTheme, saveTheme, themes } from '../../theme/theme.ts'
import { useUnit } from '../../unit/unit.ts'
import './settings.css'
import { TokenSection } from './tokens.tsx'

/** Version, mode, missing sandbox controls and retention of this unit. */
const About = () => {
  const { status } = useUnit()
  if (status === undefined) return null
  const { version, mode, startedAt, approvals, mcp, sandbox } = status
  const rows: readonly (readonly [string, string])[] = [
    ['Version', version],
    ['Mode', mode],
    ['Approvals per change', String(approvals)],
    ['Tool servers', mcp.enabled ? `on, isolation ${mcp.isolation ?? 'unknown'}, pinning ${mcp.pinning ?? 'unknown'}` : 'off'],
    ['Sandbox', [sandbox.driver, sandbox.engine, sandbox.status].filter((part) => part !== undefined).join(', ')],
    ['Missing isolation layers', sandbox.missing.length === 0 ? 'none' : sandbox.missing.join(', ')],
    ['Seal proof', sandbox.seal ?? 'not tried yet'],
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
          <RelativeTime at={startedAt} />
        </dd>
        <dt>Retention</dt>
        <dd>
          Audit log and changes: forever. Call records: <code>--calls-retention</code>, 30 days unless set. Conversations:{' '}
          <code>--chat-retention</code>, 90 days unless set, or until they are purged.
        </dd>
      </dl>
    </section>
  )
}

interface ChoiceProps<T extends string> {
  readonly title: string
  readonly choices: readonly T[]
  readonly value: T
  readonly choose: (value: T) => void
}

const Choice = <T extends string>({ title, choices, value, choose }: ChoiceProps<T>) => (
  <fieldset>
    <legend>{title}</legend>
    {choices.map((choice) => (
      <label key={choice} class="choice">
        <input type="radio" name={title} checked={choice === value} onChange={() => choose(choice)} /> {choice}
      </label>
    ))}
  </fieldset>
)

const LookSection = () => {
  const [look, setLook] = useState(readTheme)
  const change = (part: Partial<typeof look>): void => {
    const next = { ...look, ...part }
    saveTheme(next)
    setLook(next)
  }
  return (
    <section aria-labelledby="look">
      <h2 id="look">Appearance</h2>
      <div class="cards">
        <Choice title="Theme" choices={themes} value={look.theme} choose={(theme) => change({ theme })} />
        <Choice title="Contrast" choices={contrasts} value={look.contrast} choose={(contrast) => change({ contrast })} />
      </div>
      <p class="hint">Motion follows the system. Press ? on any page for its keys.</p>
    </section>
  )
}

export const Settings = () => (
  <>
    <PageHead title="Settings" />
    <section aria-labelledby="freeze">
      <h2 id="freeze">Emergency stop</h2>
      <Freezes />
    </section>
    <TokenSection />
    <LookSection />
    <About />
  </>
)
