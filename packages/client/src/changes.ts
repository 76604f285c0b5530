// Submits, shows and decides changes.
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
import type { HistoryQuery, PendingQuery } from './lists.ts'
import type { CallOptions, Exchange } from './request.ts'

export interface AttemptOptions extends CallOptions {
  /** Identifies the attempt, so that it can be retried safely. */
  readonly idempotencyKey?: string | undefined
}

type Submission = Omit<v.InferInput<typeof SubmitBody>, 'dryRun'>

export const attemptHeaders = (options: AttemptOptions = {}): Record<string, string | undefined> => ({
  'Idempotency-Key': options.idempotencyKey,
})

const path = (id: string, act = ''): string => `/v1/changes/${encodeURIComponent(id)}${act}`

export const changesApi = ({ send }: Exchange) => ({
  submit: (body: Submission, options?: AttemptOptions) =>
    send({ method: 'POST', path: '/v1/changes', body, headers: attemptHeaders(options) }, SubmitAnswer, options),
  pending: (query: PendingQuery = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/changes/pending', query: { ...query } }, ChangeList, options),
  history: (query: HistoryQuery = {}, options?: CallOptions) =>
    send({ method: 'GET', path: '/v1/changes/history', query: { ...query } }, ChangeList, options),
  show: (id: string, options?: CallOptions) => send({ method: 'GET', path: path(id) }, ChangeView, options),
  /** The full evidence, including texts that the change only contains as digests. */
  evidence: (id: string, options?: CallOptions) => send({ method: 'GET', path: path(id, '/evidence') }, WholeEvidence, options),
  /** The effective access of the group, before and after the change. */
  reach: (id: string, options?: CallOptions) => send({ method: 'GET', path: path(id, '/reach') }, Reach, options),
  decide: (id: string, body: v.InferInput<typeof DecisionBody>, options?: CallOptions) =>
    send({ method: 'POST', path: path(id, '/decision'), body }, Change, options),
  withdraw: (id: string, body: v.InferInput<typeof WithdrawBody> = {}, options?: CallOptions) =>
    send({ method: 'POST', path: path(id, '/withdraw'), body }, Change, options),
  /** Retries an approved change that failed to apply. */
  retry: (id: string, body: v.InferInput<typeof RetryBody> = {}, options?: CallOptions) =>
    send({ method: 'POST', path: path(id, '/retry'), body }, Change, options),
  /** Submits the inverse as a new change. */
  revert: (id: string, body: v.InferInput<typeof RevertBody> = {}, options?: CallOptions) =>
    send({ method: 'POST', path: path(id, '/revert'), body }, SubmitAnswer, options),
  /** Validates a submission without storing it. */
  preview: (body: Submission, options?: CallOptions) =>
    send({ method: 'POST', path: '/v1/changes', body: { ...body, dryRun: true } }, Preview, options),
})
