// Writes an answer as Anthropic's messages do: whole, or as a stream of blocks.
import type { Ask } from '../../ask.ts'
import { randomId } from '../../ids.ts'
import type { Refusal } from '../../refusal.ts'
import type { Part, Turn } from '../../script/turn.ts'
import { type Event, outputTokens, piecesOf, wordsOf } from '../format.ts'

const event = (data: { readonly type: string; readonly [key: string]: unknown }): Event => ({ event: data.type, data })

const usage = ({ inputTokens }: Ask, output: number): object => ({
  input_tokens: inputTokens,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: output,
  service_tier: 'standard',
})

const stopReason = ({ stop, parts }: Turn): string => {
  if (stop !== null) return stop === 'length' ? 'max_tokens' : 'refusal'
  return parts.some(({ type }) => type === 'call') ? 'tool_use' : 'end_turn'
}

const inputOf = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return {}
  }
}

const blockOf = (part: Part): object => {
  switch (part.type) {
    case 'say':
      return { type: 'text', text: part.text }
    case 'think':
      return { type: 'thinking', thinking: part.text, signature: randomId('sig', 40) }
    case 'call':
      return { type: 'tool_use', id: randomId('toolu_01', 22), name: part.tool, input: inputOf(part.arguments) }
  }
}

const head = (ask: Ask): object => ({
  id: randomId('msg_01', 22),
  type: 'message',
  role: 'assistant',
  model: ask.model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: usage(ask, 1),
})

export const wholeAnthropic = (ask: Ask, turn: Turn): object => ({
  ...head(ask),
  content: turn.parts.map(blockOf),
  stop_reason: stopReason(turn),
  usage: usage(ask, outputTokens(turn)),
})

const emptyBlock = (part: Part): object => {
  const block = blockOf(part)
  if (part.type === 'say') return { ...block, text: '' }
  return part.type === 'think' ? { ...block, thinking: '', signature: '' } : { ...block, input: {} }
}

const deltasOf = (part: Part): object[] => {
  switch (part.type) {
    case 'say':
      return wordsOf(part.text).map((text) => ({ type: 'text_delta', text }))
    case 'think':
      return [
        ...wordsOf(part.text).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: randomId('sig', 40) },
      ]
    case 'call':
      return ['', ...piecesOf(part.arguments)].map((text) => ({ type: 'input_json_delta', partial_json: text }))
  }
}

export function* eventsAnthropic(ask: Ask, turn: Turn): Generator<Event> {
  yield event({ type: 'message_start', message: head(ask) })
  yield event({ type: 'ping' })
  for (const [index, part] of turn.parts.entries()) {
    yield event({ type: 'content_block_start', index, content_block: emptyBlock(part) })
    for (const delta of deltasOf(part)) yield event({ type: 'content_block_delta', index, delta })
    yield event({ type: 'content_block_stop', index })
  }
  yield event({
    type: 'message_delta',
    delta: { stop_reason: stopReason(turn), stop_sequence: null },
    usage: { output_tokens: outputTokens(turn) },
  })
  yield event({ type: 'message_stop' })
}

export const fillerAnthropic = (): Event =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'and so on ' } })

const types: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

export const errorAnthropic = ({ status, message }: Refusal): object => ({
  type: 'error',
  error: { type: types[status] ?? 'api_error', message },
  request_id: randomId('req_', 24),
})

export const errorEventAnthropic = (): Event => event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })
