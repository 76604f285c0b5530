// An item of a list that is gained, lost, kept or changed: told by a sign and a word, never by colour only.
import type { ComponentChildren } from 'preact'
import type { DiffMark } from './diff-mark.ts'

const signs = { gained: '+', lost: '−', kept: '=', changed: '~' } as const
const words = { gained: 'New', lost: 'Removed', kept: 'Unchanged', changed: 'Changed' } as const

interface MarkedProps {
  readonly turn: DiffMark
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
