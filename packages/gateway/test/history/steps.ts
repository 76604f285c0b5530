// Random histories: what people ask, decide and take back, and what happens meanwhile.
import { fc } from '@gatehouse/testkit/random'
import { type Asking, type AtServer, type Judgement, type Person, ttl } from './model.ts'

export type Step =
  | { readonly do: 'ask'; readonly asked: Asking; readonly by: Person }
  | ({ readonly do: 'decide'; readonly change: number } & Judgement)
  | { readonly do: 'race'; readonly change: number }
  | { readonly do: 'withdraw'; readonly change: number; readonly by: Person }
  | { readonly do: 'retry'; readonly change: number }
  | { readonly do: 'put'; readonly server: number }
  | { readonly do: 'delete'; readonly server: number }
  | { readonly do: 'freeze' }
  | { readonly do: 'unfreeze' }
  | { readonly do: 'crash' }
  /** Ann's token is revoked, and she is given another one. */
  | { readonly do: 'renew' }
  | { readonly do: 'clock'; readonly by: number }
  | ({ readonly do: 'call'; readonly tool: string } & AtServer)

/** Mostly the first: histories that never meet themselves prove little. */
const which = fc.constantFrom(0, 0, 0, 1)
const place = { group: which, server: which }
const toolLists = fc.constantFrom<string[][]>([], ['a'], ['a', 'b'], ['b', 'a'])
const act = <T extends string>(...names: T[]) => fc.constantFrom(...names)

const asking: fc.Arbitrary<Asking> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: act('create', 'remove'), group: which }) },
  { weight: 2, arbitrary: fc.record({ do: act('persona'), group: which, text: fc.constantFrom('x', 'y') }) },
  { weight: 1, arbitrary: fc.record({ do: act('tools'), group: which, enabled: fc.constantFrom('search', 'read_file') }) },
  { weight: 2, arbitrary: fc.record({ do: act('wire', 'unwire'), group: which, address: which }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: act('access'), ...place, tools: toolLists, maxCalls: fc.constantFrom(undefined, undefined, 1, 2) }),
  },
  { weight: 3, arbitrary: fc.record({ do: act('revoke'), ...place, tools: fc.constantFrom(undefined, ['a'], ['a', 'b'], ['c']) }) },
)

const who = fc.constantFrom<Person[]>('admin', 'admin', 'ann')
/** One of the last changes. */
const recent = fc.constantFrom(0, 0, 0, 1, 2, 5)
const asked = fc.record({ do: act('ask'), asked: asking, by: who })
const decided = fc.record({
  do: act('decide'),
  change: recent,
  by: who,
  outcome: fc.constantFrom<Judgement['outcome'][]>('approve', 'approve', 'approve', 'reject'),
  digest: fc.constantFrom<Judgement['digest'][]>('none', 'shown', 'shown', 'wrong'),
})
const carried = asked.map((one): Step[] => [one, { do: 'decide', change: 0, by: 'admin', outcome: 'approve', digest: 'none' }])

const incident: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: act('race'), change: fc.nat(2) }),
  fc.record({ do: act('withdraw'), change: recent, by: who }),
  fc.record({ do: act('retry'), change: recent }),
  fc.record({ do: act('put', 'delete'), server: which }),
  fc.record({ do: act('freeze', 'unfreeze', 'unfreeze', 'crash', 'renew') }),
  fc.record({ do: act('clock'), by: fc.integer({ min: -150_000, max: 60_000 }) }),
  fc.record({ do: act('call'), ...place, tool: fc.constantFrom('a', 'b') }),
)
const one = (step: Step): Step[] => [step]

const call = fc.record({ do: act('call'), ...place, tool: fc.constantFrom('a', 'b') })
/** What chance alone would seldom bring together. */
const scene: fc.Arbitrary<Step[]> = fc.oneof(
  fc.tuple(asked, fc.record({ do: act('clock'), by: fc.constantFrom(ttl - 1, ttl, ttl + 1) }), incident, decided),
  fc.tuple(
    asked,
    fc.record({ do: act('clock'), by: fc.constant(ttl) }),
    fc.record({ do: act('withdraw'), change: fc.constant(0), by: who }),
  ),
  fc.tuple(carried, call, call, call).map((parts) => parts.flat()),
  fc
    .tuple(carried, fc.constant<Step>({ do: 'freeze' }), call, carried, carried, fc.constant<Step>({ do: 'unfreeze' }))
    .map((parts) => parts.flat()),
  fc
    .tuple(asked, decided, incident, decided)
    .map(([one, first, between, second]): Step[] => [
      { do: 'freeze' },
      one,
      { ...first, change: 0, by: 'ann', outcome: 'approve' },
      between,
      { ...second, change: 0 },
      { do: 'unfreeze' },
    ]),
  asked.map((step): Step[] => [step, { do: 'decide', change: 0, by: step.by, outcome: 'approve', digest: 'shown' }]),
  fc.tuple(asked, carried, decided).map((parts) => parts.flat()),
)

/** Without these most histories would only be refused. */
const opening: readonly Step[] = [
  { do: 'put', server: 0 },
  { do: 'ask', asked: { do: 'create', group: 0 }, by: 'admin' },
  { do: 'decide', change: 0, by: 'admin', outcome: 'approve', digest: 'none' },
]

export const histories: fc.Arbitrary<readonly Step[]> = fc
  .array(
    fc.oneof(
      { weight: 5, arbitrary: carried },
      { weight: 2, arbitrary: asked.map(one) },
      { weight: 3, arbitrary: decided.map(one) },
      { weight: 4, arbitrary: incident.map(one) },
      { weight: 4, arbitrary: scene },
    ),
    { minLength: 4, maxLength: 14 },
  )
  .map((parts) => [...opening, ...parts.flat()])
