// Asks the model once, and gives what it answered whole. Its calls are made by us, when all of its answer is here.
import { type AssistantModelMessage, type ModelMessage, isStepCount, streamText, type TextStreamPart, type ToolSet } from 'ai'
import { callIds, mend } from '../memory/mend.ts'
import type { Spoken } from './open.ts'
import { type Problem, problemOf } from './problem.ts'

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
  mend([{ role: 'user', content: '-' }, response]).slice(1)
