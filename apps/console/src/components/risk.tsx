// The risk of a change, as a shape and a word: never by colour only.
import type { Change } from '@gatehouse/contracts'

const shapes = { high: '▲', medium: '◆', low: '●' } as const
const words = { high: 'High', medium: 'Medium', low: 'Low' } as const

export const RiskMark = ({ risk, full = false }: { readonly risk: Change['risk']; readonly full?: boolean }) => (
  <span class={`risk ${risk}`}>
    <span aria-hidden="true">{shapes[risk]}</span> {words[risk]}
    {full ? ' risk' : <span class="unseen"> risk</span>}
  </span>
)
