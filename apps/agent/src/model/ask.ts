// Sends one request to the model and returns its complete answer, or a description of the problem. Runs no tool calls.
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
import type { OpenModel } from './open.ts'
import { NoAnswer } from './socket-fetch.ts'

/** Describes a failure for people, without the full error, which contains the dialogue. */
interface Problem {
  /** Whether the dialogue exceeds the model's context window. */
  readonly tooLong: boolean
  readonly text: string
}

const maxErrorLength = 300

const oneLine = (text: string): string =>
  text
    .replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, ' ')
    .trim()
    .slice(0, maxErrorLength)

const causes = function* (error: unknown): Generator {
  let current = error
  for (let depth = 0; depth < 8 && current !== undefined; depth += 1) {
    yield current
    if (RetryError.isInstance(current)) current = current.lastError
    else current = current instanceof Error ? current.cause : undefined
  }
}

const describeStatus = (status: number): string => {
  if (status === 401) return 'the provider rejected the credentials'
  if (status === 403) return 'the request was not permitted'
  if (status === 413) return 'the request was too large'
  if (status === 429) return 'too many requests'
  if (status === 529 || status === 503) return 'the provider is overloaded'
  return status >= 500 ? 'the provider failed' : 'the provider refused the request'
}

const tooLongPattern =
  /context.{0,20}(length|window)|too (long|large|many (input )?tokens)|maximum.{0,30}tokens|exceeds.{0,40}(context|token)/i

const describeCallError = (error: APICallError): Problem => {
  const status = error.statusCode ?? 0
  const message = oneLine(error.message)
  if (status === 0) return { tooLong: false, text: 'the model cannot be reached' }
  if (status === 200) return { tooLong: false, text: 'the connection broke during the answer' }
  const retryAfter = error.responseHeaders?.['retry-after']
  const when = retryAfter === undefined ? '' : `; retry after ${oneLine(retryAfter)} s`
  return {
    tooLong: status === 413 || (status === 400 && tooLongPattern.test(error.message)),
    text: `${describeStatus(status)} (${status}${message === '' ? '' : `: ${message}`})${when}`,
  }
}

const describeKnownError = (error: unknown): Problem | undefined => {
  if (error instanceof NoAnswer) return { tooLong: false, text: error.message }
  if (StreamProviderError.isInstance(error)) return { tooLong: false, text: `the provider ended the answer (${oneLine(error.message)})` }
  return undefined
}

const describeProblem = (error: unknown): Problem => {
  const all = [...causes(error)]
  const known = all.map(describeKnownError).find((problem) => problem !== undefined)
  if (known !== undefined) return known
  const call = all.find((one) => APICallError.isInstance(one))
  if (call !== undefined) return describeCallError(call)
  const message = error instanceof Error ? error.message : typeof error === 'string' ? error : 'unknown error'
  return { tooLong: false, text: `the answer could not be read (${oneLine(message)})` }
}

export interface ModelRequest {
  readonly model: OpenModel
  readonly instructions: string
  readonly messages: readonly ModelMessage[]
  readonly tools: ToolSet
  /** Whether no further calls are allowed, so the model must answer. */
  readonly last: boolean
  readonly signal: AbortSignal
}

export type ModelAnswer =
  | { readonly ok: true; readonly response: AssistantModelMessage; readonly text: string; readonly finish: string }
  | { readonly ok: false; readonly problem: Problem; readonly text: string }

/** Maximum milliseconds of one answer. The limit of the host is shorter. */
const answerTime = 660_000

interface StreamResult {
  text: string
  finish: string
  error: unknown
}

const readStream = async (stream: AsyncIterable<TextStreamPart<ToolSet>>, result: StreamResult): Promise<void> => {
  try {
    for await (const part of stream) {
      if (part.type === 'text-delta') result.text += part.text
      else if (part.type === 'error') result.error ??= part.error
      else if (part.type === 'abort') result.error ??= new Error('the answer took too long')
      else if (part.type === 'finish') result.finish = part.finishReason
    }
  } catch (error) {
    result.error ??= error
  }
}

const findResponse = async (messages: PromiseLike<ModelMessage[]>): Promise<AssistantModelMessage | undefined> =>
  (await messages).find((message) => message.role === 'assistant')

/** Sends a request to the model. Rejects only with the signal's reason. */
export const askModel = async (request: ModelRequest): Promise<ModelAnswer> => {
  const { model, tools, signal } = request
  const result: StreamResult = { text: '', finish: '', error: undefined }
  const run = streamText({
    model: model.model,
    instructions: request.instructions,
    messages: [...request.messages],
    tools,
    toolOrder: Object.keys(tools).toSorted(),
    ...(request.last ? { toolChoice: 'none' as const } : {}),
    stopWhen: isStepCount(1),
    maxRetries: 0,
    maxOutputTokens: model.maxOutput,
    providerOptions: model.options,
    abortSignal: signal,
    timeout: { stepMs: answerTime },
    // Otherwise the library prints the error with the dialogue.
    onError: ({ error }) => {
      result.error ??= error
    },
  })
  await readStream(run.stream, result)
  signal.throwIfAborted()
  if (result.error === undefined && ['interrupted', 'error', ''].includes(result.finish)) result.error = new Error('the answer ended early')
  if (result.error !== undefined) return { ok: false, problem: describeProblem(result.error), text: result.text }
  try {
    const response = await findResponse(run.responseMessages)
    return { ok: true, response: response ?? { role: 'assistant', content: [] }, text: result.text, finish: result.finish }
  } catch (error) {
    return { ok: false, problem: describeProblem(error), text: result.text }
  }
}

export const hasCalls = (response: AssistantModelMessage): boolean => callIds(response).length > 0

/** The messages of an answer without calls, for the dialogue. */
export const toDialogue = (response: AssistantModelMessage): readonly ModelMessage[] =>
  repair([{ role: 'user', content: '-' }, response]).slice(1)
