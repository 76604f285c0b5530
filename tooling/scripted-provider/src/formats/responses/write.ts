// Writes an answer as OpenAI's responses do: items, each announced, filled and closed.
import type { Ask } from '../../ask.ts'
import { randomId } from '../../ids.ts'
import type { Part, Turn } from '../../script/turn.ts'
import { type Event, outputTokens, piecesOf, wordsOf } from '../format.ts'

interface Item {
  readonly part: Part
  /** Of a call to a tool that stands in a namespace. */
  readonly place: { readonly namespace: string; readonly name: string } | undefined
  readonly id: string
  readonly callId: string
}

const itemsOf = ({ namespaced }: Ask, { parts }: Turn): Item[] =>
  parts.map((part) => ({
    part,
    place: part.type === 'call' ? namespaced?.get(part.tool) : undefined,
    id: randomId({ say: 'msg_', think: 'rs_', call: 'fc_' }[part.type], 40),
    callId: randomId('call_', 24),
  }))

const textPart = (text: string): object => ({ type: 'output_text', text, annotations: [], logprobs: [] })

const itemBody = ({ part, place, id, callId }: Item, full: boolean): object => {
  const status = full ? 'completed' : 'in_progress'
  switch (part.type) {
    case 'say':
      return { id, type: 'message', status, role: 'assistant', content: full ? [textPart(part.text)] : [] }
    case 'think':
      return {
        id,
        type: 'reasoning',
        summary: full ? [{ type: 'summary_text', text: part.text }] : [],
        encrypted_content: full ? Buffer.from(part.text).toString('base64') : '',
      }
    case 'call':
      return { id, type: 'function_call', status, call_id: callId, name: part.tool, ...place, arguments: full ? part.arguments : '' }
  }
}

const usageOf = ({ inputTokens }: Ask, turn: Turn): object => {
  const output = outputTokens(turn)
  return {
    input_tokens: inputTokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: inputTokens + output,
  }
}

const response = (ask: Ask, id: string): Record<string, unknown> => ({
  id,
  object: 'response',
  created_at: Math.floor(Date.now() / 1000),
  status: 'in_progress',
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: ask.model,
  output: [],
  parallel_tool_calls: true,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  service_tier: 'default',
  store: false,
  temperature: 1,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  tools: [],
  top_p: 1,
  truncation: 'disabled',
  usage: null,
})

const ended = (
  ask: Ask,
  turn: Turn,
  { base, items }: { base: Record<string, unknown>; items: readonly Item[] },
): Record<string, unknown> => ({
  ...base,
  status: turn.stop === null ? 'completed' : 'incomplete',
  incomplete_details: turn.stop === null ? null : { reason: turn.stop === 'length' ? 'max_output_tokens' : 'content_filter' },
  output: items.map((item) => itemBody(item, true)),
  usage: usageOf(ask, turn),
})

export const wholeResponses = (ask: Ask, turn: Turn): object =>
  ended(ask, turn, { base: response(ask, randomId('resp_', 40)), items: itemsOf(ask, turn) })

type Step = { readonly type: string; readonly [key: string]: unknown }

const sayEvents = function* (text: string, where: object): Generator<Step> {
  const at = { ...where, content_index: 0 }
  yield { type: 'response.content_part.added', ...at, part: textPart('') }
  for (const delta of wordsOf(text)) yield { type: 'response.output_text.delta', ...at, delta, logprobs: [] }
  yield { type: 'response.output_text.done', ...at, text, logprobs: [] }
  yield { type: 'response.content_part.done', ...at, part: textPart(text) }
}

const thinkEvents = function* (text: string, where: object): Generator<Step> {
  const at = { ...where, summary_index: 0 }
  yield { type: 'response.reasoning_summary_part.added', ...at, part: { type: 'summary_text', text: '' } }
  for (const delta of wordsOf(text)) yield { type: 'response.reasoning_summary_text.delta', ...at, delta }
  yield { type: 'response.reasoning_summary_text.done', ...at, text }
  yield { type: 'response.reasoning_summary_part.done', ...at, part: { type: 'summary_text', text } }
}

const callEvents = function* (part: Part & { type: 'call' }, name: string, where: object): Generator<Step> {
  for (const delta of piecesOf(part.arguments)) yield { type: 'response.function_call_arguments.delta', ...where, delta }
  yield { type: 'response.function_call_arguments.done', ...where, name, arguments: part.arguments }
}

const itemEvents = function* (item: Item, index: number): Generator<Step> {
  const { part } = item
  const where = { item_id: item.id, output_index: index }
  yield { type: 'response.output_item.added', output_index: index, item: itemBody(item, false) }
  if (part.type === 'say') yield* sayEvents(part.text, where)
  else if (part.type === 'think') yield* thinkEvents(part.text, where)
  else yield* callEvents(part, item.place?.name ?? part.tool, where)
  yield { type: 'response.output_item.done', output_index: index, item: itemBody(item, true) }
}

const steps = function* (ask: Ask, turn: Turn): Generator<Step> {
  const base = response(ask, randomId('resp_', 40))
  const items = itemsOf(ask, turn)
  yield { type: 'response.created', response: base }
  yield { type: 'response.in_progress', response: base }
  for (const [index, item] of items.entries()) yield* itemEvents(item, index)
  yield { type: turn.stop === null ? 'response.completed' : 'response.incomplete', response: ended(ask, turn, { base, items }) }
}

export const eventsResponses = function* (ask: Ask, turn: Turn): Generator<Event> {
  let sequence = 0
  for (const step of steps(ask, turn)) {
    yield { event: step.type, data: { ...step, sequence_number: sequence } }
    sequence += 1
  }
}

const numbered = (step: Step): Event => ({ event: step.type, data: { ...step, sequence_number: 999_999 } })

export const fillerResponses = (): Event =>
  numbered({
    type: 'response.output_text.delta',
    item_id: 'msg_filler',
    output_index: 0,
    content_index: 0,
    delta: 'and so on ',
    logprobs: [],
  })

export const errorEventResponses = (): Event =>
  numbered({ type: 'error', code: 'server_error', message: 'The server is overloaded', param: null })
