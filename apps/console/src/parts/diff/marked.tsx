// What comes, goes and stays, as one list: by a sign and by a word, never by colour alone.
import type { ComponentChildren } from 'preact'
import type { Turn } from './turn.ts'

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
