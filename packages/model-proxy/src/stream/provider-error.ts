// What a provider's error becomes for the agent. What concerns the operator's key is not read at all.
import { objectOf } from '../formats/format.ts'
import { ModelRefusal } from '../requests/refusal.ts'
import { blankText } from './blank.ts'
import type { Collector } from './collect.ts'
import { answerHeaders } from './headers.ts'
import type { Head } from './transfer.ts'

const mostText = 2048

const parse = (collected: Collector): unknown => {
  try {
    const value = collected.parse()
    return Array.isArray(value) ? value[0] : value
  } catch {
    return undefined
  }
}

const messageOf = (collected: Collector): string | undefined => {
  const body = objectOf(parse(collected))
  const inner = objectOf(body['error'])['message'] ?? body['message'] ?? body['error'] ?? body['detail']
  return typeof inner === 'string' ? inner.slice(0, mostText) : undefined
}

export const refusedKey = (status: number): ModelRefusal =>
  new ModelRefusal(
    'provider-refused',
    `the provider refused the unit's own key (${status}); an operator has to mend it, and nothing else helps`,
  )

export const providerError = ({ status, headers }: Head, body: Collector, secret: string | null): ModelRefusal => {
  const told = messageOf(body)
  const message = `the provider answered ${status}${told === undefined ? '' : `: ${blankText(told, secret)}`}`
  const kept = answerHeaders(headers, secret)
  if (status === 429) return new ModelRefusal('rate-limited', message, { headers: kept })
  if (status >= 400) return new ModelRefusal('provider-error', message, { status, headers: kept })
  return new ModelRefusal('provider-error', `${message}, which is no answer to a request of a model; redirects are not followed`)
}
