// What an agent can do now and after the change. Differences are open, what stays is collapsed.
import { type ChangeView, type Power, type PowerArea, powerAreas, type PowerMark, type Reach } from '@gatehouse/contracts'
import { Marked } from '../../components/diff/marked.tsx'
import { Collapsible, Untrusted } from '../../components/elements.tsx'
import { ProblemNote } from '../../components/problem-note.tsx'
import type { Live } from '../../live/use-live.ts'
import { diffPermissions, type PermissionDiff } from './permission-diff.ts'

const areaTitles: Readonly<Record<PowerArea, string>> = {
  model: 'Model',
  tool: 'Built-in tools',
  'server-tool': 'Tools of servers',
  'provider-tool': 'Tools at the provider of the model',
  mount: 'Paths of the host',
  package: 'Packages',
  channel: 'Addresses at which it listens',
  member: 'People who may talk to it',
  limit: 'Limits',
}

const marks: Readonly<Record<PowerMark, readonly [text: string, tone: string]>> = {
  destructive: ['destructive', 'bad'],
  'read-only': ['only reads', 'good'],
  writes: ['may change it', 'bad'],
  'runs-programs': ['runs programs', 'bad'],
  every: ['every tool, also later ones', 'bad'],
  undeclared: ['not declared now', 'warn'],
  'server-gone': ['server is not in the catalog', 'warn'],
  anybody: ['strangers may speak to it', 'bad'],
}

/** One permission of an agent: its name, its terms, and marks that deserve attention. */
const PowerName = ({ power: { name, detail, marks: own } }: { readonly power: Power }) => (
  <>
    <code>
      <Untrusted text={name} />
    </code>
    {detail !== undefined && (
      <span class="soft">
        {' '}
        <Untrusted text={detail} />
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

const amount = (count: number, word: string): string => `${count} ${word}`

const Summary = ({ turns }: { readonly turns: readonly PermissionDiff[] }) => {
  const count = (turn: PermissionDiff['turn']): number => turns.filter((each) => each.turn === turn).length
  const parts = [
    ...(count('gained') > 0 ? [amount(count('gained'), 'more')] : []),
    ...(count('changed') > 0 ? [amount(count('changed'), 'under other terms')] : []),
    ...(count('lost') > 0 ? [amount(count('lost'), 'fewer')] : []),
  ]
  return (
    <p>
      {parts.length === 0 ? 'Nothing that it can do would be different' : `Of what it can do: ${parts.join(', ')}`}
      {`; ${count('kept')} stay as they are.`}
    </p>
  )
}

const Moves = ({ turns }: { readonly turns: readonly PermissionDiff[] }) => (
  <>
    <ul class="marks" aria-label="What it could do more, and less">
      {turns.slice(0, atOnce).map(({ power, turn, before }) => (
        <Marked key={`${power.area} ${power.name}`} turn={turn}>
          <span class="soft">{areaTitles[power.area]}: </span>
          <PowerName power={power} />
          {before !== undefined && (
            <div class="soft">
              until now <PowerName power={before} />
            </div>
          )}
        </Marked>
      ))}
    </ul>
    {turns.length > atOnce && <p class="soft">and {turns.length - atOnce} more; they all stand above among what would be different.</p>}
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

/** Permissions that make further ones riskier. */
const heavy = ({ marks }: Power): boolean =>
  marks.some((mark) => ['destructive', 'writes', 'runs-programs', 'every', 'anybody'].includes(mark))

const Radius = ({ reach }: { readonly reach: Reach }) => {
  const present = reach.can ?? []
  const moving = reach.could === undefined ? [] : diffPermissions(reach).filter(({ turn }) => turn !== 'kept')
  const weighty = present.filter(heavy).length
  return (
    <>
      {reach.could !== undefined && <Summary turns={diffPermissions(reach)} />}
      {reach.could === null && <p class="note warn">The group would be gone, with all of this.</p>}
      {moving.length > 0 && <Moves turns={moving} />}
      {reach.can === null ? (
        <p class="soft">There is no such group now.</p>
      ) : (
        <Collapsible
          summary={`What it can do already: ${present.length}${weighty > 0 ? `, ${weighty} of them to be looked at twice` : ''}`}
          open={present.length <= 12}
        >
          {() => <Already powers={present} />}
        </Collapsible>
      )}
    </>
  )
}

export const ReachPart = ({ change, live }: { readonly change: ChangeView; readonly live: Live<Reach> }) => (
  <section aria-labelledby="reach" class="radius">
    <h2 id="reach">
      What <code>{change.agentGroupID}</code> can do{change.state === 'held' ? ', and could then' : ' now'}
    </h2>
    {live.problem !== undefined && <ProblemNote problem={live.problem} />}
    {live.data === undefined ? live.problem === undefined && <p class="soft">Loading …</p> : <Radius reach={live.data} />}
  </section>
)
