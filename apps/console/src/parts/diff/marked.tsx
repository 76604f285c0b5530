// What comes, goes and stays, as one list: by a sign and by a word, never by colour alone.
import type { ComponentChildren } from 'preact'

export type Turn = 'gained' | 'lost' | 'kept' | 'changed'

const signs = { gained: '+', lost: '−', kept: '=', changed: '~' } as const
const words = { gained: 'New', lost: 'Goes', kept: 'Stays', changed: 'Changes' } as const

interface MarkedProps {
  readonly turn: Turn
  readonly children: ComponentChildren
}

export const Marked = ({ turn, children }: MarkedProps) => (
  <li class={`marked ${turn}`}>
    <span class="sign" aria-hidden="true">
      {signs[turn]}
    </span>
    <span class="unseen">{words[turn]}: </span>
    <div>{children}</div>
  </li>
)

/** By name, in the order: what comes, what goes, what stays. */
export const turnsOf = (before: readonly string[], after: readonly string[]): { readonly name: string; readonly turn: Turn }[] => {
  const had = new Set(before)
  const has = new Set(after)
  return [
    ...[...has].filter((name) => !had.has(name)).map((name) => ({ name, turn: 'gained' as const })),
    ...[...had].filter((name) => !has.has(name)).map((name) => ({ name, turn: 'lost' as const })),
    ...[...has].filter((name) => had.has(name)).map((name) => ({ name, turn: 'kept' as const })),
  ]
}
