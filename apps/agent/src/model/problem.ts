// What went wrong between the agent and its model, in words for a human. Never the whole error: it holds the dialogue.
import { APICallError, RetryError, StreamProviderError } from 'ai'
import { NoAnswer } from './socket-fetch.ts'

export interface Problem {
  /** The dialogue is longer than the model can take. */
  readonly tooLong: boolean
  readonly text: string
}

const longest = 300

const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, longest)

const causes = function* (error: unknown): Generator {
  let current = error
  for (let depth = 0; depth < 8 && current !== undefined; depth += 1) {
    yield current
    if (RetryError.isInstance(current)) current = current.lastError
    else current = current instanceof Error ? current.cause : undefined
  }
}

const byStatus = (status: number): string => {
  if (status === 401) return 'the provider did not accept who asked'
  if (status === 403) return 'this was not permitted'
  if (status === 413) return 'the request was too large'
  if (status === 429) return 'there were too many requests'
  if (status === 529 || status === 503) return 'the provider is overloaded'
  return status >= 500 ? 'the provider failed' : 'the provider refused the request'
}

const tooLongPattern =
  /context.{0,20}(length|window)|too (long|large|many (input )?tokens)|maximum.{0,30}tokens|exceeds.{0,40}(context|token)/i

const ofCall = (error: APICallError): Problem => {
  const status = error.statusCode ?? 0
  const said = oneLine(error.message)
  if (status === 0) return { tooLong: false, text: 'the way to the model is closed' }
  if (status === 200) return { tooLong: false, text: 'the connection broke in the middle of the answer' }
  const retryAfter = error.responseHeaders?.['retry-after']
  const when = retryAfter === undefined ? '' : `; it asks to wait ${oneLine(retryAfter)} s`
  return {
    tooLong: status === 413 || (status === 400 && tooLongPattern.test(error.message)),
    text: `${byStatus(status)} (${status}${said === '' ? '' : `: ${said}`})${when}`,
  }
}

const ofOne = (error: unknown): Problem | undefined => {
  if (error instanceof NoAnswer) return { tooLong: false, text: error.message }
  if (StreamProviderError.isInstance(error)) return { tooLong: false, text: `the provider ended the answer (${oneLine(error.message)})` }
  return undefined
}

export const problemOf = (error: unknown): Problem => {
  const all = [...causes(error)]
  const known = all.map(ofOne).find((problem) => problem !== undefined)
  if (known !== undefined) return known
  const call = all.find((one) => APICallError.isInstance(one))
  if (call !== undefined) return ofCall(call)
  const said = error instanceof Error ? error.message : typeof error === 'string' ? error : 'something that is no error'
  return { tooLong: false, text: `the answer could not be read (${oneLine(said)})` }
}
