// Why a change is as risky as it is said to be.
import type { ChangeView, Reach } from '@gatehouse/contracts'
import { Untrusted } from '../../parts/untrusted.tsx'

const general = {
  low: 'It gives the agent nothing that it could do harm with.',
  medium: 'It changes what the agent does or reaches, within what was seen and can be undone.',
  high: 'It gives power that can do harm before anybody looks again.',
} as const

interface WhyProps {
  readonly change: ChangeView
  readonly reach: Reach | undefined
}

export const Why = ({ change, reach }: WhyProps) => {
  if (change.state !== 'held') return null
  const reasons = reach?.why ?? []
  return (
    <div class={change.risk === 'high' ? 'note bad' : 'note'}>
      <p>
        <strong>Why {change.risk} risk:</strong> {reasons.length === 0 && general[change.risk]}
        {reasons.length === 1 && <Untrusted text={reasons[0] ?? ''} />}
      </p>
      {reasons.length > 1 && (
        <ul>
          {reasons.map((reason) => (
            <li key={reason}>
              <Untrusted text={reason} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
