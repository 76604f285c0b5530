// A grant before and after a change: the tools as their server declares them, and the terms.
import type { Evidence, ToolDefinition } from '@gatehouse/contracts'
import { Untrusted } from '../elements.tsx'
import { Tool } from '../tool.tsx'
import { formatNumber } from '../units.ts'
import { type DiffMark, diffNames } from './diff-mark.ts'
import { DiffTable, type Field } from './fields.tsx'
import { Marked } from './marked.tsx'

export interface Terms {
  readonly server: string
  /** Empty: every tool. */
  readonly tools: readonly string[]
  readonly expiresAt?: string | undefined
  readonly maxCalls?: number | undefined
}

interface AccessProps {
  /** Null: no grant. */
  readonly before: Terms | null
  readonly after: Terms | null
  readonly evidence: Evidence | null
}

const definitionsIn = (evidence: Evidence | null): readonly ToolDefinition[] => (evidence?.status === 'observed' ? evidence.tools : [])
const namesIn = (evidence: Evidence | null): readonly string[] =>
  evidence?.status === 'too-large' ? evidence.names : definitionsIn(evidence).map(({ name }) => name)

/** As far as it is known what "every tool" is. */
const namesOf = (terms: Terms | null, evidence: Evidence | null): readonly string[] =>
  terms === null ? [] : terms.tools.length > 0 ? terms.tools : namesIn(evidence)

const isEvery = (terms: Terms | null): boolean => terms?.tools.length === 0

const termFields = (before: Terms | null, after: Terms | null): Field[] => {
  const field = (name: string, valueOf: (terms: Terms) => string): Field => ({
    name,
    ...(before !== null && { before: valueOf(before) }),
    ...(after !== null && { after: valueOf(after) }),
  })
  return [
    field('Expires', ({ expiresAt }) => expiresAt ?? 'never'),
    field('Calls', ({ maxCalls }) => (maxCalls === undefined ? 'unlimited' : `at most ${formatNumber(maxCalls)}`)),
  ]
}

interface OneProps {
  readonly name: string
  readonly turn: DiffMark
  readonly tool: ToolDefinition | undefined
  readonly open: boolean
  readonly isMissing: boolean
}

const One = ({ name, turn, tool, open, isMissing }: OneProps) => (
  <Marked turn={turn}>
    {tool === undefined ? (
      <>
        <code>
          <Untrusted text={name} />
        </code>{' '}
        {isMissing && turn !== 'lost' && <span class="tag warn">not declared by the server</span>}
      </>
    ) : (
      <Tool tool={tool} open={open} />
    )}
  </Marked>
)

export const AccessDiff = ({ before, after, evidence }: AccessProps) => {
  const definitions = new Map(definitionsIn(evidence).map((tool) => [tool.name, tool]))
  const turns = diffNames(namesOf(before, evidence), namesOf(after, evidence))
  const gained = turns.filter(({ turn }) => turn === 'gained').length
  const missing = evidence?.status === 'observed' || evidence?.status === 'too-large' ? evidence.missing : []
  return (
    <>
      {isEvery(after) && !isEvery(before) && (
        <p class="note warn">
          Every tool of <Untrusted text={after?.server ?? ''} /> is granted, <strong>including those that it adds later</strong>. It
          declares these now:
        </p>
      )}
      <ul class="marks">
        {turns.map(({ name, turn }) => (
          <One
            key={name}
            name={name}
            turn={turn}
            tool={definitions.get(name)}
            open={turn === 'gained' && gained <= 2}
            isMissing={missing.includes(name)}
          />
        ))}
      </ul>
      <DiffTable fields={termFields(before, after)} />
    </>
  )
}
