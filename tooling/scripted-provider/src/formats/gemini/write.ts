// Writes an answer as Gemini does: candidates with parts.
import type { Ask } from '../../ask.ts'
import { randomId } from '../../ids.ts'
import type { Refusal } from '../../refusal.ts'
import type { Turn } from '../../script/turn.ts'
import { type Event, outputTokens, wordsOf } from '../format.ts'

const argsOf = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}

/** Calls come whole; the first of an answer carries a signature. */
const partsOf = ({ parts }: Turn): object[] => {
  let signed = false
  return parts.flatMap((part): object[] => {
    if (part.type === 'say') return wordsOf(part.text).map((text) => ({ text }))
    if (part.type === 'think') return wordsOf(part.text).map((text) => ({ text, thought: true }))
    const signature = signed ? {} : { thoughtSignature: Buffer.from(randomId('sig')).toString('base64') }
    signed = true
    return [{ functionCall: { name: part.tool, args: argsOf(part.arguments) }, ...signature }]
  })
}

const usageOf = ({ inputTokens }: Ask, output: number): object => ({
  promptTokenCount: inputTokens,
  candidatesTokenCount: output,
  totalTokenCount: inputTokens + output,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: inputTokens }],
})

const finishReason = ({ stop }: Turn): string => (stop === null ? 'STOP' : stop === 'length' ? 'MAX_TOKENS' : 'SAFETY')

const candidate = (parts: readonly object[], reason?: string): object => ({
  candidates: [{ content: { parts, role: 'model' }, ...(reason === undefined ? {} : { finishReason: reason }), index: 0 }],
})

export const wholeGemini = (ask: Ask, turn: Turn): object => ({
  ...candidate(partsOf(turn), finishReason(turn)),
  usageMetadata: usageOf(ask, outputTokens(turn)),
  modelVersion: ask.model,
  responseId: randomId('', 22),
})

export const eventsGemini = function* (ask: Ask, turn: Turn): Generator<Event> {
  const more = { modelVersion: ask.model, responseId: randomId('', 22) }
  let sent = 0
  for (const part of partsOf(turn)) {
    sent += 1
    yield { data: { ...candidate([part]), usageMetadata: usageOf(ask, sent), ...more } }
  }
  yield { data: { ...candidate([{ text: '' }], finishReason(turn)), usageMetadata: usageOf(ask, outputTokens(turn)), ...more } }
}

export const fillerGemini = (ask: Ask): Event => ({ data: { ...candidate([{ text: 'and so on ' }]), modelVersion: ask.model } })

const statuses: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
}

export const errorGemini = ({ status, message }: Refusal): object => ({
  error: { code: status, message, status: statuses[status] ?? (status < 500 ? 'INVALID_ARGUMENT' : 'UNAVAILABLE') },
})

export const errorEventGemini = (): Event => ({
  data: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
})
