// What an agent can do now and after the change. Differences are open, what stays is collapsed.
import { type ChangeView, type Power, type PowerArea, powerAreas, type PowerMark, type Reach } from '@gatehouse/contracts'
import { Marked } from '../../components/diff/marked.tsx'
import { Collapsible, Untrusted } from '../../components/elements.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import { formatLimit, type LimitName, limitNames, limitTitles } from '../../components/units.ts'
import type { Live } from '../../live/use-live.ts'
import { diffPermissions, type PermissionDiff } from './permission-diff.ts'

const areaTitles: Readonly<Record<PowerArea, string>> = {
  model: 'Model',
  tool: 'Built-in tools',
  'server-tool': 'Server tools',
  'provider-tool': 'Provider tools',
  mount: 'Mounts',
  package: 'Packages',
  channel: 'Channels',
  member: 'Members',
  limit: 'Limits',
}

const marks: Readonly<Record<PowerMark, readonly [text: string, tone: string]>> = {
  destructive: ['destructive', 'bad'],
  'read-only': ['read-only', 'good'],
  writes: ['read and write', 'bad'],
  'runs-programs': ['runs programs', 'bad'],
  every: ['every tool, including later ones', 'bad'],
  undeclared: ['not declared', 'warn'],
  'server-gone': ['server not in the catalog', 'warn'],
  anybody: ['anyone may talk to it', 'bad'],
}

const limitOf = (name: string): LimitName | undefined => limitNames.find((limit) => limit === name)

const nameOfLimit = (name: string): string => {
  const limit = limitOf(name)
  return limit === undefined ? name : limitTitles[limit]
}

const valueOfLimit = (name: string, value: string): string => {
  const limit = limitOf(name)
  return limit === undefined || !/^[\d.]+$/.test(value) ? value : formatLimit(limit, Number(value))
}

/** One permission of an agent: its name, its terms, and marks that deserve attention. */
const PowerName = ({ power: { area, name, detail, marks: own } }: { readonly power: Power }) => (
  <>
    {area === 'limit' ? (
      nameOfLimit(name)
    ) : (
      <code>
        <Untrusted text={name} />
      </code>
    )}
    {detail !== undefined && (
      <span class="soft">
        {' '}
        <Untrusted text={area === 'limit' ? valueOfLimit(name, detail) : detail} />
      </span>
    )}
    {own.map((mark) => (
      <span key={mark} class={`tag ${marks[mark][1]}`}>
        {marks[mark][0]}
      </span>
    ))}
  </>
)

const atOnce = 60

/** Such as "1 added, 9 unchanged". */
const summarize = (turns: readonly PermissionDiff[]): string => {
  const parts = (
    [
      ['gained', 'added'],
      ['changed', 'changed'],
      ['lost', 'removed'],
      ['kept', 'unchanged'],
    ] as const
  ).flatMap(([turn, word]) => {
    const count = turns.filter((each) => each.turn === turn).length
    return count === 0 ? [] : [`${count} ${word}`]
  })
  return parts.join(', ')
}

const Moves = ({ turns }: { readonly turns: readonly PermissionDiff[] }) => (
  <>
    <ul class="marks" aria-label="Access added and removed">
      {turns.slice(0, atOnce).map(({ power, turn, before }) => (
        <Marked key={`${power.area} ${power.name}`} turn={turn}>
          <span class="soft">{areaTitles[power.area]}: </span>
          <PowerName power={power} />
          {before !== undefined && (
            <div class="soft">
              before: <PowerName power={before} />
            </div>
          )}
        </Marked>
      ))}
    </ul>
    {turns.length > atOnce && <p class="soft">and {turns.length - atOnce} more, all listed in the difference above.</p>}
  </>
)

const Area = ({ area, powers }: { readonly area: PowerArea; readonly powers: readonly Power[] }) => (
  <div>
    <h3>{areaTitles[area]}</h3>
    <ul class="powers">
      {powers.map((power) => (
        <li key={power.name}>
          <PowerName power={power} />
        </li>
      ))}
    </ul>
  </div>
)

const Already = ({ powers }: { readonly powers: readonly Power[] }) => (
  <>
    {powerAreas.map((area) => {
      const own = powers.filter((power) => power.area === area)
      return own.length === 0 ? null : <Area key={area} area={area} powers={own} />
    })}
  </>
)

/** Kinds whose difference lists all that the access gains and loses. */
const toldByDiff: readonly ChangeView['kind'][] = ['mcp_access', 'mcp_revoke', 'tools', 'persona', 'packages', 'mounts', 'permissions']

const Access = ({ reach }: { readonly reach: Reach }) => {
  const moving = reach.could === undefined ? [] : diffPermissions(reach).filter(({ turn }) => turn !== 'kept')
  return (
    <>
      {reach.could === null && <p class="note warn">The group is removed, with all of this.</p>}
      {moving.length > 0 && <Moves turns={moving} />}
      {reach.can === null ? <p class="soft">The group does not exist now.</p> : <Already powers={reach.can} />}
    </>
  )
}

/** What the agent can do now and after the change. It is open where the difference of the change does not say it. */
export const ReachPart = ({ change, live }: { readonly change: ChangeView; readonly live: Live<Reach> }) => {
  const { data } = live
  const counts = data?.could === undefined || data.could === null ? undefined : summarize(diffPermissions(data))
  return (
    <section aria-labelledby="reach">
      <h2 id="reach">Effective access</h2>
      {live.problem !== undefined && <ProblemNote problem={live.problem} />}
      {data === undefined ? (
        live.problem === undefined && <p class="soft">Loading …</p>
      ) : (
        <Collapsible summary={counts ?? 'As it is now'} open={change.state === 'held' && !toldByDiff.includes(change.kind)}>
          {() => <Access reach={data} />}
        </Collapsible>
      )}
    </section>
  )
}
