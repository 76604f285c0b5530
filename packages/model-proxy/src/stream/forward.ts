// Forwards a request to its provider, and its answer as a stream, a complete body or an error.
import { jsonBounds, limits } from '@gatehouse/contracts'
import { Abandoned } from '@gatehouse/kernel'
import { OutboundFailure } from '@gatehouse/outbound'
import type { Finish, ModelCall } from '../call.ts'
import { objectOf } from '../formats/format.ts'
import { ModelRefusal, sendRefusal } from '../refusal.ts'
import { type Delivery, EventStream } from './events.ts'
import { answerHeaders, blankText, isEncoded, mediaTypeOf, upstreamHeaders } from './headers.ts'
import { type Flow, type Head, type Receiver, transfer } from './transfer.ts'
import { Collector, WholeAnswer } from './whole.ts'

/** Converts an error of the provider for the agent. Errors about the operator's key are not read. */
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

const refusedKey = (status: number): ModelRefusal =>
  new ModelRefusal('provider-refused', `the provider refused the unit's own key (${status}); an operator has to fix it`)

const providerError = ({ status, headers }: Head, body: Collector, secret: string | null): ModelRefusal => {
  const told = messageOf(body)
  const message = `the provider answered ${status}${told === undefined ? '' : `: ${blankText(told, secret)}`}`
  const kept = answerHeaders(headers, secret)
  if (status === 429) return new ModelRefusal('rate-limited', message, { headers: kept })
  if (status >= 400) return new ModelRefusal('provider-error', message, { status, headers: kept })
  return new ModelRefusal('provider-error', `${message}, which is not an answer to a model request; redirects are not followed`)
}

const malformed = (what: string): ModelRefusal => new ModelRefusal('provider-malformed', `the provider answered with ${what}`)

const checkMedia = ({ headers }: Head, streams: boolean): void => {
  const wanted = streams ? 'text/event-stream' : 'application/json'
  if (isEncoded(headers)) throw malformed('a compressed body that was not asked for')
  if (mediaTypeOf(headers) !== wanted) throw malformed(`another media type than ${wanted}`)
}

const codeOf = (error: unknown): unknown => (typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined)

/** Converts an error of a transfer for the agent. */
export const explain = (error: unknown): ModelRefusal => {
  if (error instanceof ModelRefusal) return error
  if (error instanceof Abandoned) return new ModelRefusal(error.code === 'timeout' ? 'provider-timeout' : error.code, error.message)
  const code = codeOf(error)
  if (code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT')
    return new ModelRefusal('provider-timeout', `the provider sent nothing for ${limits.modelIdle / 1000} s`)
  if (error instanceof OutboundFailure) return new ModelRefusal('provider-unreachable', `the provider was not asked: ${error.message}`)
  return new ModelRefusal('provider-unreachable', 'the connection to the provider failed')
}

interface Answer {
  stream?: EventStream
  whole?: WholeAnswer
  error?: { readonly head: Head; readonly body: Collector }
}

const receive =
  (delivery: Delivery, call: ModelCall, answer: Answer) =>
  (head: Head, flow: Flow): Receiver => {
    call.status = head.status
    if (head.status < 200 || head.status >= 300) {
      call.end = 'failed'
      if (head.status === 401 || head.status === 403) throw refusedKey(head.status)
      const body = new Collector(jsonBounds.modelError, 'cut')
      answer.error = { head, body }
      return body
    }
    call.end = 'cut'
    checkMedia(head, delivery.ask.streams)
    if (delivery.ask.streams) return (answer.stream = new EventStream(delivery, head, { flow, call }))
    return (answer.whole = new WholeAnswer(delivery, head, call))
  }

const finish = ({ stream, whole, error }: Answer, { response, secret }: Delivery): Finish => {
  if (error !== undefined) throw providerError(error.head, error.body, secret)
  if (whole !== undefined) return whole.finish(response)
  if (stream !== undefined) return stream.finish()
  throw malformed('nothing')
}

/** The cause of a failure decides what a request without an answer costs. */
const noteEnd = (call: ModelCall, error: unknown): void => {
  if (call.end !== 'silent') return
  if (error instanceof Abandoned && error.code !== 'timeout') call.end = 'given-up'
  else if (error instanceof OutboundFailure || codeOf(error) === 'ECONNREFUSED' || codeOf(error) === 'ENOTFOUND') call.end = 'unsent'
}

/** Never rejects. */
export const forward = async (delivery: Delivery, call: ModelCall): Promise<Finish> => {
  const { ask, body, agent, signal, response, secret } = delivery
  const { provider } = ask.route.keyed
  const { format } = ask.route.path
  const answer: Answer = {}
  call.end = 'silent'
  try {
    const headers = {
      ...upstreamHeaders(delivery.headers, format.name, ask.streams),
      ...(secret !== null && provider.credentials(secret, format.name)),
    }
    const begin = receive(delivery, call, answer)
    await transfer({ agent, origin: provider.origin, target: ask.route.target, method: 'POST', headers, body, signal, begin })
    return finish(answer, delivery)
  } catch (error) {
    noteEnd(call, error)
    const refusal = explain(error)
    call.code = refusal.code
    return answer.stream?.fail(refusal.code, refusal.message) ?? (() => sendRefusal(response, refusal))
  }
}
