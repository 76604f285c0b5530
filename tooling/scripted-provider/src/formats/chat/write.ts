// Writes an answer as chat completions do, with what each provider adds of its own.
import type { Ask } from '../../ask.ts'
import { randomId } from '../../ids.ts'
import type { Refusal } from '../../refusal.ts'
import type { Turn } from '../../script/turn.ts'
import { type Event, outputTokens, piecesOf, tokensOf, wordsOf } from '../format.ts'
import { flavourOf } from './flavour.ts'

const usageOf = ({ inputTokens }: Ask, turn: Turn): object => {
  const output = outputTokens(turn)
  return {
    prompt_tokens: inputTokens,
    completion_tokens: output,
    total_tokens: inputTokens + output,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: turn.parts.reduce((sum, part) => sum + (part.type === 'think' ? tokensOf(part.text.length) : 0), 0),
    },
  }
}

const finishReason = ({ stop, parts }: Turn): string => {
  if (stop !== null) return stop === 'length' ? 'length' : 'content_filter'
  return parts.some(({ type }) => type === 'call') ? 'tool_calls' : 'stop'
}

const textOf = ({ parts }: Turn, type: 'say' | 'think'): string =>
  parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('\n')

const callsOf = ({ parts }: Turn, provider: string): { id: string; type: 'function'; function: { name: string; arguments: string } }[] => {
  const { prefix, length } = flavourOf(provider).newCallId
  return parts.flatMap((part) =>
    part.type === 'call'
      ? [{ id: randomId(prefix, length), type: 'function' as const, function: { name: part.tool, arguments: part.arguments } }]
      : [],
  )
}

/** OpenAI and Mistral keep their thoughts; Groq and OpenRouter show them as `reasoning`. */
const thoughts = (provider: string, text: string): object =>
  text !== '' && ['openrouter', 'groq', 'compatible'].includes(provider) ? { reasoning: text } : {}

const head = (ask: Ask, object: string): Record<string, unknown> => ({
  id: randomId(ask.provider === 'openrouter' ? 'gen-' : 'chatcmpl-', 29),
  object,
  created: Math.floor(Date.now() / 1000),
  model: ask.model,
  ...(ask.provider === 'openrouter' ? { provider: 'Scripted' } : {}),
  ...(ask.provider === 'openai' ? { service_tier: 'default', system_fingerprint: null } : {}),
})

export const wholeChat = (ask: Ask, turn: Turn): object => {
  const calls = callsOf(turn, ask.provider)
  const content = textOf(turn, 'say')
  return {
    ...head(ask, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: content === '' && calls.length > 0 ? null : content,
          ...thoughts(ask.provider, textOf(turn, 'think')),
          ...(calls.length > 0 ? { tool_calls: calls } : {}),
        },
        finish_reason: finishReason(turn),
      },
    ],
    usage: usageOf(ask, turn),
  }
}

const deltasOf = function* (ask: Ask, turn: Turn): Generator<object> {
  yield { role: 'assistant', content: '' }
  for (const word of wordsOf(textOf(turn, 'think'))) {
    const shown = thoughts(ask.provider, word)
    if (Object.keys(shown).length > 0) yield shown
  }
  for (const content of wordsOf(textOf(turn, 'say'))) yield { content }
  for (const [index, call] of callsOf(turn, ask.provider).entries()) {
    const { arguments: text, name } = call.function
    if (ask.provider === 'mistral' || ask.provider === 'groq') {
      yield { tool_calls: [{ index, ...call }] }
      continue
    }
    yield { tool_calls: [{ index, id: call.id, type: 'function', function: { name, arguments: '' } }] }
    for (const piece of piecesOf(text)) yield { tool_calls: [{ index, function: { arguments: piece } }] }
  }
}

export const eventsChat = function* (ask: Ask, turn: Turn): Generator<Event> {
  const first = head(ask, 'chat.completion.chunk')
  const usage = usageOf(ask, turn)
  const chunk = (delta: object, reason: string | null, more: object = {}): Event => ({
    data: { ...first, choices: [{ index: 0, delta, finish_reason: reason }], ...more },
  })
  if (ask.provider === 'openrouter') yield { event: ':', data: ' OPENROUTER PROCESSING' }
  for (const delta of deltasOf(ask, turn)) yield chunk(delta, null)
  const last = ask.provider === 'mistral' ? { usage } : ask.provider === 'groq' ? { x_groq: { id: randomId('req_'), usage } } : {}
  yield chunk({}, finishReason(turn), last)
  if (ask.tellsUse && ask.provider !== 'mistral') yield { data: { ...first, choices: [], usage } }
  yield { data: '[DONE]' }
}

export const fillerChat = (ask: Ask): Event => ({
  data: { ...head(ask, 'chat.completion.chunk'), choices: [{ index: 0, delta: { content: 'and so on ' }, finish_reason: null }] },
})

const typeOf = (status: number): string => {
  if (status === 429) return 'rate_limit_exceeded'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

export const errorChat = ({ status, message, field }: Refusal, provider: string): object => {
  if (provider === 'mistral' && status === 422) {
    const detail = [{ type: 'extra_forbidden', loc: ['body', ...(field ?? '').split('.')], msg: message }]
    return { object: 'error', message: { detail }, type: 'invalid_request_error', param: null, code: null }
  }
  if (provider === 'mistral') return { object: 'error', message, type: typeOf(status), param: null, code: String(status * 10) }
  if (provider === 'openrouter') return { error: { code: status, message, metadata: { provider_name: 'Scripted' } } }
  return { error: { message, type: typeOf(status), param: field, code: status === 401 ? 'invalid_api_key' : null } }
}

export const errorEventChat = (provider: string): Event => ({
  data: {
    error: { message: 'The server is overloaded', type: 'server_error', code: provider === 'openrouter' ? 502 : 'overloaded' },
    ...(provider === 'openrouter' ? { choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }] } : {}),
  },
})
