// An error of the API: what is wrong, where, and what to do.
import type { ServiceError } from '@gatehouse/contracts'
import { Untrusted } from './elements.tsx'

interface ProblemNoteProps {
  readonly problem: ServiceError
  /** Where the hint is one for the command line. */
  readonly hideHint?: boolean
}

export const ProblemNote = ({ problem, hideHint = false }: ProblemNoteProps) => (
  <div class="note bad" role="alert">
    <p>
      <Untrusted text={problem.detail} /> <code>{problem.code}</code>
    </p>
    {problem.errors !== undefined && problem.errors.length > 0 && (
      <ul>
        {problem.errors.map(({ pointer, detail }) => (
          <li key={`${pointer} ${detail}`}>
            <code>
              <Untrusted text={pointer} />
            </code>{' '}
            <Untrusted text={detail} />
          </li>
        ))}
      </ul>
    )}
    {problem.hint !== undefined && !hideHint && (
      <p>
        <Untrusted text={problem.hint} />
      </p>
    )}
  </div>
)
