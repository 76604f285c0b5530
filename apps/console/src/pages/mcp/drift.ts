// What moved away from what was approved, grant by grant, in sentences.
import type { GrantView } from '@gatehouse/contracts'

const listed = (names: readonly string[]): string =>
  names.slice(0, 5).join(', ') + (names.length > 5 ? ` and ${names.length - 5} more` : '')

export const driftsOf = ({ serverChanged, changed, added, state, expired, exhausted }: GrantView): string[] =>
  state === 'revoked'
    ? []
    : [
        ...(serverChanged ? ['server changed since approval'] : []),
        ...(state === 'suspended' ? ['suspended until it is approved again'] : []),
        ...(changed.length > 0 ? [`definition changed: ${listed(changed)}`] : []),
        ...(added.length > 0 ? [`new since approval: ${listed(added)}`] : []),
        ...(expired ? ['over'] : []),
        ...(exhausted ? ['used up'] : []),
      ]
