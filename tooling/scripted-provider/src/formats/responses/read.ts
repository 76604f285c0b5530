// Reads a request for OpenAI's responses, and refuses what the real one refuses. Nothing is stored, so nothing can be referred to.
import * as v from 'valibot'
import { type Ask, type Entry, entry, lookBack } from '../../ask.ts'
import { Refusal } from '../../refusal.ts'
import { bearerOf, type Incoming, readAs, tokensOf } from '../format.ts'

const Piece = v.looseObject({ type: v.string(), text: v.optional(v.string()) })
const Message = v.looseObject({
  type: v.optional(v.literal('message')),
  role: v.picklist(['user', 'assistant', 'system', 'developer']),
  content: v.union([v.string(), v.array(Piece)]),
})
const Call = v.looseObject({ type: v.literal('function_call'), call_id: v.string(), name: v.string(), arguments: v.string() })
const Output = v.looseObject({
  type: v.literal('function_call_output'),
  call_id: v.string(),
  output: v.union([v.string(), v.array(Piece)]),
})
const Reasoning = v.looseObject({
  type: v.literal('reasoning'),
  id: v.optional(v.string()),
  encrypted_content: v.nullish(v.string()),
  summary: v.array(v.unknown()),
})
const Reference = v.looseObject({ type: v.literal('item_reference'), id: v.string() })
const Item = v.union([Call, Output, Reasoning, Reference, Message])
type Item = v.InferOutput<typeof Item>

const Named = v.looseObject({
  type: v.string(),
  name: v.optional(v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,64}$/, "expected a string that matches '^[a-zA-Z0-9_-]+$'"))),
  parameters: v.optional(v.nullable(v.looseObject({ type: v.literal('object', 'schema must be a JSON Schema of type: "object"') }))),
})
/** Codex sends the tools of an MCP server as the functions of one namespace. */
const Namespace = v.looseObject({
  type: v.literal('namespace'),
  name: v.string(),
  tools: v.array(v.looseObject({ ...Named.entries, name: v.string() })),
})
const Tool = v.union([Namespace, Named])
type Tool = v.InferOutput<typeof Tool>

const passed = v.optional(v.unknown())
const Body = v.strictObject({
  model: v.pipe(v.string('you must provide a model parameter'), v.minLength(1)),
  input: v.union([v.string(), v.array(Item)]),
  tools: v.optional(v.array(Tool)),
  stream: v.optional(v.nullable(v.boolean())),
  previous_response_id: v.optional(v.nullable(v.string())),
  ...Object.fromEntries(
    [
      'background',
      'client_metadata',
      'conversation',
      'include',
      'instructions',
      'max_output_tokens',
      'max_tool_calls',
      'metadata',
      'parallel_tool_calls',
      'prompt',
    ]
      .concat(['prompt_cache_key', 'prompt_cache_retention', 'reasoning', 'safety_identifier', 'service_tier', 'store', 'stream_options'])
      .concat(['temperature', 'text', 'tool_choice', 'top_logprobs', 'top_p', 'truncation', 'user', 'context_management'])
      .map((name) => [name, passed]),
  ),
})

const textOf = (content: string | readonly { text?: string | undefined; type: string }[]): string =>
  typeof content === 'string' ? content : content.map(({ text, type }) => text ?? `[${type}]`).join('\n')

const lastText = (content: string | readonly { text?: string | undefined }[]): string =>
  typeof content === 'string' ? content : (content.findLast(({ text }) => (text ?? '') !== '')?.text ?? '')

const toEntry = (item: Item): Entry[] => {
  if (item.type === 'item_reference')
    throw new Refusal(404, `Item with id '${item.id}' not found. Items are not persisted when \`store\` is set to false.`, 'input')
  if (item.type === 'function_call') return [entry('model', '', { calls: [item.call_id] })]
  if (item.type === 'function_call_output') return [entry('tool', textOf(item.output), { answers: [item.call_id] })]
  if (item.type === 'reasoning') return [entry('model', '')]
  if (item.role === 'assistant') return [entry('model', lastText(item.content))]
  return item.role === 'user' ? [entry('user', lastText(item.content))] : []
}

/** A call and its output need not stand beside each other, but each needs the other, in this order. */
const checkCalls = (entries: readonly Entry[]): void => {
  const open = new Set<string>()
  for (const { calls, answers } of entries) {
    for (const id of calls) open.add(id)
    for (const id of answers)
      if (!open.delete(id)) throw new Refusal(400, `No tool call found for function call output with call_id ${id}.`, 'input')
  }
  const [left] = open
  if (left !== undefined) throw new Refusal(400, `No tool output found for function call ${left}.`, 'input')
}

/** The real one wants what a thought led to right behind it. */
const checkReasoning = (items: readonly Item[]): void => {
  for (const [at, item] of items.entries()) {
    if (item.type !== 'reasoning') continue
    if ((item.encrypted_content ?? '') === '')
      throw new Refusal(404, `Item with id '${item.id ?? ''}' not found. Items are not persisted when \`store\` is set to false.`, 'input')
    const next = items[at + 1]
    const follows =
      next?.type === 'function_call' || next?.type === 'reasoning' || (next !== undefined && 'role' in next && next.role === 'assistant')
    if (!follows)
      throw new Refusal(400, `Item '${item.id ?? ''}' of type 'reasoning' was provided without its required following item.`, 'input')
  }
}

const isNamespace = (tool: Tool): tool is v.InferOutput<typeof Namespace> => tool.type === 'namespace'

const namespacedOf = (tools: readonly Tool[]): NonNullable<Ask['namespaced']> =>
  new Map(
    tools
      .filter(isNamespace)
      .flatMap(({ name: namespace, tools: members }) => members.map(({ name }) => [`${namespace}__${name}`, { namespace, name }] as const)),
  )

export const readResponses = (incoming: Incoming): Ask => {
  if (bearerOf(incoming) === '') throw new Refusal(401, 'Missing bearer authentication in header')
  const body = readAs(Body, incoming.body)
  if ((body.previous_response_id ?? null) !== null)
    throw new Refusal(400, `Previous response with id '${body.previous_response_id ?? ''}' not found.`, 'previous_response_id')
  const items = typeof body.input === 'string' ? [{ role: 'user' as const, content: body.input }] : body.input
  if (items.length === 0)
    throw new Refusal(400, 'One of "input" or "previous_response_id" or \'prompt\' or \'conversation_id\' must be provided.', 'input')
  const entries = items.flatMap(toEntry)
  checkCalls(entries)
  checkReasoning(items)
  const tools = body.tools ?? []
  const namespaced = namespacedOf(tools)
  for (const [at, tool] of tools.entries())
    if (tool.type === 'function' && tool.name === undefined)
      throw new Refusal(400, `Missing required parameter: 'tools[${at}].name'.`, `tools[${at}].name`)
  return {
    provider: incoming.provider,
    model: body.model,
    streams: body.stream === true,
    ...lookBack(entries),
    tools: [...tools.filter((tool) => !isNamespace(tool)).flatMap(({ name }) => name ?? []), ...namespaced.keys()],
    namespaced,
    inputTokens: tokensOf(incoming.bytes),
    tellsUse: true,
  }
}
