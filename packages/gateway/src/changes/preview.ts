// What a submission would become. Nothing is kept and nothing journaled.
import { type Change, type Preview, Requester, type Submission } from '@gatehouse/contracts'
import { parse } from '../input/parse.ts'
import { type Asker, examine, type ExamineDeps } from './examine.ts'

/** With its kind and `after`, by which secrets are masked. */
export interface Previewed extends Preview, Pick<Change, 'kind' | 'after'> {}

export const preview = async (deps: ExamineDeps, given: Asker, submission: Submission): Promise<Previewed> => {
  parse(Requester, submission.requestedBy ?? given.by, '/requestedBy')
  const { bound, draft, failure } = await examine(deps, given, submission)
  const { digest, ...shown } = draft
  const verdict = failure === undefined ? { state: 'held' as const } : { state: 'refused' as const, failure }
  const told = bound.kind === 'mcp_register' ? {} : { digest }
  return { kind: bound.kind, after: bound.after, ...shown, ...told, ...verdict }
}
