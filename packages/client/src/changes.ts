// Changes: asked for, shown, decided.
import {
  Change,
  ChangeList,
  ChangeView,
  type DecisionBody,
  Preview,
  Reach,
  type RetryBody,
  type RevertBody,
  SubmitAnswer,
  type SubmitBody,
  WholeEvidence,
  type WithdrawBody,
} from '@gatehouse/contracts'
import type * as v from 'valibot'
import type { HistoryWanted, PendingWanted } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

export interface AttemptOptions extends CallOptions {
  /** Names the attempt, so that it can be repeated without being done twice. */
  readonly idempotencyKey?: string | undefined
}

type Wanted = Omit<v.InferInput<typeof SubmitBody>, 'dryRun'>

export const attemptHeaders = (options: AttemptOptions = {}): Record<string, string | undefined> => ({
  'Idempotency-Key': options.idempotencyKey,
})

const path = (id: string, act = ''): string => `/v1/changes/${encodeURIComponent(id)}${act}`

export const changesOf = ({ send }: Exchange) => ({
  submit: (body: Wanted, options?: AttemptOptions) =>
    send({ method: 'POST', path: '/v1/changes', body, headers: attemptHeaders(options) }, SubmitAnswer, options),
  pending: (wanted: PendingWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/changes/pending', query: { ...wanted } }, ChangeList, options),
  history: (wanted: HistoryWanted = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/changes/history', query: { ...wanted } }, ChangeList, options),
  show: (id: string, options?: CallOptions) => send({ method: 'GET', path: path(id) }, ChangeView, options),
  /** The whole of what a change shows by its digest alone. */
  evidence: (id: string, options?: CallOptions) => send({ method: 'GET', path: path(id, '/evidence') }, WholeEvidence, options),
  /** What the group of the change can do, and could do then. */
  reach: (id: string, options?: CallOptions) => send({ method: 'GET', path: path(id, '/reach') }, Reach, options),
  decide: (id: string, body: v.InferInput<typeof DecisionBody>, options?: CallOptions) =>
    send({ method: 'POST', path: path(id, '/decision'), body }, Change, options),
  withdraw: (id: string, body: v.InferInput<typeof WithdrawBody> = {}, options?: CallOptions) =>
    send({ method: 'POST', path: path(id, '/withdraw'), body }, Change, options),
  /** Applies what was approved and could not be applied. */
  retry: (id: string, body: v.InferInput<typeof RetryBody> = {}, options?: CallOptions) =>
    send({ method: 'POST', path: path(id, '/retry'), body }, Change, options),
  /** Submits the inverse as a change of its own. */
  revert: (id: string, body: v.InferInput<typeof RevertBody> = {}, options?: CallOptions) =>
    send({ method: 'POST', path: path(id, '/revert'), body }, SubmitAnswer, options),
  /** What would become of a submission. */
  preview: (body: Wanted, options?: CallOptions) =>
    send({ method: 'POST', path: '/v1/changes', body: { ...body, dryRun: true } }, Preview, options),
})
