// An address of a channel that would lead to the agent, or would no longer.
import type { WiringTerms } from '@gatehouse/contracts'
import type { InferOutput } from 'valibot'
import { type Field, Fields } from './fields.tsx'

export type Terms = InferOutput<typeof WiringTerms>

const engagements = { all: 'to everything', mention: 'when it is mentioned', pattern: 'to what fits the pattern' } as const
const sessions = { shared: 'one for all', thread: 'one a thread', person: 'one a person' } as const

const valuesOf = ({ channel, address, engage, pattern, session }: Terms): Readonly<Record<string, string | undefined>> => ({
  Channel: channel,
  Address: address,
  Answers: engagements[engage],
  Pattern: pattern,
  Sessions: sessions[session],
})

const names = ['Channel', 'Address', 'Answers', 'Pattern', 'Sessions']

/** Null: no such address. */
export const WiringDiff = ({ before, after }: { readonly before: Terms | null; readonly after: Terms | null }) => {
  const had = before === null ? {} : valuesOf(before)
  const has = after === null ? {} : valuesOf(after)
  return (
    <>
      {after === null && <p>The address no longer leads to this agent.</p>}
      <Fields fields={names.map((name): Field => ({ name, before: had[name], after: has[name] }))} />
    </>
  )
}
