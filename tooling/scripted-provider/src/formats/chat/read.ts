// Reads a request for chat completions, and refuses what the real ones refuse.
import * as v from 'valibot'
import { type Ask, checkPairs, type Entry, entry, lookBack } from '../../ask.ts'
import { Refusal } from '../../refusal.ts'
import { bearerOf, type Incoming, readAs, tokensOf } from '../format.ts'
import { type Flavour, flavourOf } from './flavour.ts'

const Piece = v.looseObject({ type: v.string(), text: v.optional(v.string()) })
const Content = v.nullish(v.union([v.string(), v.array(Piece)]))
const Call = v.looseObject({
  id: v.string('expected a string'),
  type: v.optional(v.literal('function')),
  function: v.looseObject({ name: v.string(), arguments: v.string('expected a string') }),
})
const Message = v.looseObject({
  role: v.string('expected a string'),
  content: Content,
  tool_calls: v.nullish(v.array(Call)),
  tool_call_id: v.optional(v.string()),
})
type Message = v.InferOutput<typeof Message>

const Tool = v.looseObject({
  type: v.literal('function'),
  function: v.looseObject({
    name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/, "expected a string that matches '^[a-zA-Z0-9_-]+$'")),
    parameters: v.optional(v.looseObject({ type: v.literal('object', 'schema must be a JSON Schema of type: "object"') })),
  }),
})
const Body = v.looseObject({
  model: v.pipe(v.string('you must provide a model parameter'), v.minLength(1, 'you must provide a model parameter')),
  messages: v.pipe(v.array(Message), v.minLength(1, 'expected an array with minimum length 1')),
  tools: v.optional(
    v.pipe(v.array(Tool), v.minLength(1, 'expected an array with minimum length 1'), v.maxLength(128, 'expected at most 128')),
  ),
  tool_choice: v.optional(v.unknown()),
  stream: v.optional(v.nullable(v.boolean())),
  stream_options: v.optional(v.nullable(v.looseObject({ include_usage: v.optional(v.boolean()) }))),
})

const known = ['model', 'messages', 'tools', 'tool_choice', 'stream', 'temperature', 'top_p', 'max_tokens', 'stop', 'n'].concat([
  'presence_penalty',
  'frequency_penalty',
  'parallel_tool_calls',
  'response_format',
])

const textOf = ({ content }: Message): string =>
  typeof content === 'string' ? content : ((content ?? []).findLast(({ text }) => text !== undefined && text !== '')?.text ?? '')

const toEntry = (message: Message, at: number, flavour: Flavour): Entry[] => {
  const field = `messages[${at}]`
  if (!flavour.roles.includes(message.role))
    throw new Refusal(flavour.refusesStatus, `Invalid value: '${message.role}' for ${field}.role`, `${field}.role`)
  const calls = (message.tool_calls ?? []).map(({ id }) => id)
  for (const id of [...calls, ...(message.tool_call_id === undefined ? [] : [message.tool_call_id])]) {
    if (!flavour.callId.test(id))
      throw new Refusal(flavour.refusesStatus, `Tool call id was ${id} but must be like ${flavour.callId.source}`, field)
  }
  switch (message.role) {
    case 'user':
      if (message.content === undefined || message.content === null)
        throw new Refusal(400, `Invalid value for 'content': expected a string, got null`, field)
      return [entry('user', textOf(message))]
    case 'assistant':
      if (calls.length === 0 && (message.content ?? '').length === 0)
        throw new Refusal(flavour.refusesStatus, 'Assistant message must have either content or tool_calls', field)
      return [entry('model', textOf(message), { calls })]
    case 'tool':
      if (message.tool_call_id === undefined) throw new Refusal(400, `Missing parameter '${field}.tool_call_id'`, field)
      return [entry('tool', textOf(message), { answers: [message.tool_call_id] })]
    default:
      return []
  }
}

const words = {
  dangling: (ids: readonly string[]) =>
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${ids.join(', ')}`,
  orphan: (id: string) => `messages with role 'tool' must be a response to a preceeding message with 'tool_calls': ${id}`,
}

const checkOrder = (entries: readonly Entry[], flavour: Flavour): void => {
  if (!flavour.strictOrder) return
  if (entries.some(({ by }, at) => by === 'user' && entries[at - 1]?.by === 'tool'))
    throw new Refusal(400, "Unexpected role 'user' after role 'tool'")
  if (entries.at(-1)?.by === 'model')
    throw new Refusal(400, 'Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant')
}

export const readChat = (incoming: Incoming): Ask => {
  const flavour = flavourOf(incoming.provider)
  if (incoming.provider !== 'compatible' && bearerOf(incoming) === '')
    throw new Refusal(401, "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth.")
  const body = readAs(Body, incoming.body, flavour.refusesStatus)
  const unknown = Object.keys(body).find((name) => !known.includes(name) && !flavour.fields.includes(name))
  if (unknown !== undefined && flavour.refusesUnknown)
    throw new Refusal(
      flavour.refusesStatus,
      flavour.refusesStatus === 422 ? 'Extra inputs are not permitted' : `Unrecognized request argument supplied: ${unknown}`,
      unknown,
    )
  if (body.tool_choice !== undefined && body.tools === undefined)
    throw new Refusal(400, "'tool_choice' is only allowed when 'tools' are specified.", 'tool_choice')
  if (body.stream_options !== undefined && body.stream_options !== null && body.stream !== true)
    throw new Refusal(400, "The 'stream_options' parameter is only allowed when 'stream' is enabled.", 'stream_options')
  const entries = body.messages.flatMap((message, at) => toEntry(message, at, flavour))
  checkPairs(entries, words)
  checkOrder(entries, flavour)
  return {
    provider: incoming.provider,
    model: body.model,
    streams: body.stream === true,
    ...lookBack(entries),
    tools: (body.tools ?? []).map((tool) => tool.function.name),
    inputTokens: tokensOf(incoming.bytes),
    tellsUse: flavour.alwaysTellsUse || body.stream_options?.include_usage === true,
  }
}
