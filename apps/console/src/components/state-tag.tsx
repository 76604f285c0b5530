// The state of a change: an icon and a word.
import type { ChangeState } from '@gatehouse/contracts'
import { stateIcon, stateLabel, stateTone } from './change-state.ts'
import { Icon } from './icon.tsx'

export const StateTag = ({ state }: { readonly state: ChangeState }) => (
  <span class={`tag ${stateTone[state]}`}>
    <Icon name={stateIcon[state]} /> {stateLabel[state]}
  </span>
)
