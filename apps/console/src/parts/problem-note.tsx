// An error as the API tells it: what was wrong, and what to do.
import type { ServiceError } from '@gatehouse/contracts'
import { Untrusted } from './untrusted.tsx'

export const ProblemNote = ({ problem }: { readonly problem: ServiceError }) => (
  <div class="problem" role="alert">
    <p>
      <Untrusted text={problem.detail} /> <code>{problem.code}</code>
    </p>
    {problem.hint !== undefined && (
      <p>
        <Untrusted text={problem.hint} />
      </p>
    )}
  </div>
)
