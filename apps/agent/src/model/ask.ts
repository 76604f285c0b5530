// Asks the model once and returns its whole answer, or the problem in words for a human. It runs no tool calls.
import {
  APICallError,
  type AssistantModelMessage,
  isStepCount,
  type ModelMessage,
  RetryError,
  StreamProviderError,
  streamText,
  type TextStreamPart,
  type ToolSet,
} from 'ai'
import { callIds, repair } from '../memory/repair.ts'
import type { Spoken } from './open.ts'
import { NoAnswer } from './socket-fetch.ts'

/** What went wrong, in words for a human. Never the whole error: it holds the dialogue. */
interface Problem {
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

const problemOf = (error: unknown): Problem => {
  const all = [...causes(error)]
  const known = all.map(ofOne).find((problem) => problem !== undefined)
  if (known !== undefined) return known
  const call = all.find((one) => APICallError.isInstance(one))
  if (call !== undefined) return ofCall(call)
  const said = error instanceof Error ? error.message : typeof error === 'string' ? error : 'something that is no error'
  return { tooLong: false, text: `the answer could not be read (${oneLine(said)})` }
}

export interface Question {
  readonly spoken: Spoken
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  readonly tools: ToolSet
  /** No more calls: it must say what it knows. */
  readonly last: boolean
  readonly signal: AbortSignal
}

export type Answered =
  | { readonly ok: true; readonly response: AssistantModelMessage; readonly text: string; readonly finish: string }
  | { readonly ok: false; readonly problem: Problem; readonly text: string }

/** Milliseconds that one answer may take; the host's own limit is shorter. */
const answerTime = 660_000

interface Heard {
  text: string
  finish: string
  error: unknown
}

const listen = async (stream: AsyncIterable<TextStreamPart<ToolSet>>, heard: Heard): Promise<void> => {
  try {
    for await (const part of stream) {
      if (part.type === 'text-delta') heard.text += part.text
      else if (part.type === 'error') heard.error ??= part.error
      else if (part.type === 'abort') heard.error ??= new Error('the answer took too long')
      else if (part.type === 'finish') heard.finish = part.finishReason
    }
  } catch (error) {
    heard.error ??= error
  }
}

const responseOf = async (messages: PromiseLike<ModelMessage[]>): Promise<AssistantModelMessage | undefined> =>
  (await messages).find((message) => message.role === 'assistant')

/** Rejects with the signal's reason alone. */
export const askModel = async (question: Question): Promise<Answered> => {
  const { spoken, tools, signal } = question
  const heard: Heard = { text: '', finish: '', error: undefined }
  const run = streamText({
    model: spoken.model,
    instructions: question.instructions,
    messages: [...question.messages],
    tools,
    toolOrder: Object.keys(tools).toSorted(),
    ...(question.last ? { toolChoice: 'none' as const } : {}),
    stopWhen: isStepCount(1),
    maxRetries: 0,
    maxOutputTokens: spoken.maxOutput,
    providerOptions: spoken.options,
    abortSignal: signal,
    timeout: { stepMs: answerTime },
    // Without it the error is printed, and the dialogue with it.
    onError: ({ error }) => {
      heard.error ??= error
    },
  })
  await listen(run.stream, heard)
  signal.throwIfAborted()
  if (heard.error === undefined && ['interrupted', 'error', ''].includes(heard.finish))
    heard.error = new Error('the answer broke off before its end')
  if (heard.error !== undefined) return { ok: false, problem: problemOf(heard.error), text: heard.text }
  try {
    const response = await responseOf(run.responseMessages)
    return { ok: true, response: response ?? { role: 'assistant', content: [] }, text: heard.text, finish: heard.finish }
  } catch (error) {
    return { ok: false, problem: problemOf(error), text: heard.text }
  }
}

export const hasCalls = (response: AssistantModelMessage): boolean => callIds(response).length > 0

/** What goes into the dialogue of an answer without calls. */
export const spokenPart = (response: AssistantModelMessage): readonly ModelMessage[] =>
  repair([{ role: 'user', content: '-' }, response]).slice(1)
