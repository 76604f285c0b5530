// Reads a request to Anthropic's messages, and refuses what the real one refuses.
import * as v from 'valibot'
import { type Ask, checkPairs, type Entry, entry, lookBack } from '../../ask.ts'
import { Refusal } from '../../refusal.ts'
import { bearerOf, type Incoming, readAs, tokensOf } from '../format.ts'

const Text = v.looseObject({ type: v.literal('text'), text: v.pipe(v.string(), v.minLength(1, 'text content blocks must be non-empty')) })
const Image = v.looseObject({
  type: v.picklist(['image', 'document']),
  source: v.looseObject({ type: v.picklist(['base64', 'text', 'url', 'file', 'content']) }),
})
const Use = v.looseObject({
  type: v.literal('tool_use'),
  id: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]+$/, 'tool_use ids must match ^[a-zA-Z0-9_-]+$')),
  name: v.string(),
  input: v.record(v.string(), v.unknown(), 'Input should be a valid dictionary'),
})
const Result = v.looseObject({
  type: v.literal('tool_result'),
  tool_use_id: v.string(),
  content: v.optional(v.union([v.string(), v.array(v.variant('type', [Text, Image]))])),
  is_error: v.optional(v.boolean()),
})
const Thinking = v.looseObject({ type: v.literal('thinking'), thinking: v.string(), signature: v.string('Field required') })
const Redacted = v.looseObject({ type: v.literal('redacted_thinking'), data: v.string() })
const Block = v.variant('type', [Text, Image, Use, Result, Thinking, Redacted])
type Block = v.InferOutput<typeof Block>

const Message = v.strictObject({
  role: v.picklist(['user', 'assistant'], "Input should be 'user' or 'assistant'"),
  content: v.union([
    v.pipe(v.string(), v.minLength(1, 'messages must have non-empty content')),
    v.pipe(v.array(Block), v.minLength(1, 'messages must have non-empty content')),
  ]),
})
type Message = v.InferOutput<typeof Message>

const Tool = v.looseObject({
  type: v.optional(v.string()),
  name: v.pipe(v.string(), v.regex(/^[a-zA-Z0-9_-]{1,128}$/, "String should match pattern '^[a-zA-Z0-9_-]{1,128}$'")),
})
const CustomTool = v.looseObject({
  input_schema: v.looseObject({ type: v.literal('object', "Input should be 'object'") }, 'Field required'),
})

const passed = v.optional(v.unknown())
const Body = v.strictObject({
  model: v.string('Field required'),
  max_tokens: v.pipe(v.number('Field required'), v.integer(), v.minValue(1)),
  messages: v.pipe(v.array(Message), v.minLength(1, 'at least one message is required')),
  tools: v.optional(v.array(Tool)),
  stream: v.optional(v.boolean()),
  ...Object.fromEntries(
    ['system', 'metadata', 'stop_sequences', 'temperature', 'top_k', 'top_p', 'thinking', 'tool_choice', 'service_tier', 'container']
      .concat(['context_management', 'mcp_servers', 'output_config', 'output_format', 'cache_control', 'inference_geo', 'speed'])
      .map((name) => [name, passed]),
  ),
})

const blocksOf = ({ content }: Message): readonly Block[] => (typeof content === 'string' ? [{ type: 'text', text: content }] : content)

const textOf = (block: Block): string => (block.type === 'text' ? block.text : '')

const resultText = (block: v.InferOutput<typeof Result>): string =>
  typeof block.content === 'string'
    ? block.content
    : (block.content ?? []).map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n')

const lastText = (blocks: readonly Block[]): string => blocks.map(textOf).findLast((text) => text !== '') ?? ''

const toEntries = (message: Message, at: number): Entry[] => {
  const blocks = blocksOf(message)
  const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
  if (new Set(uses).size < uses.length) throw new Refusal(400, `messages.${at}: \`tool_use\` ids must be unique`)
  if (message.role === 'assistant') return [entry('model', lastText(blocks), { calls: uses })]
  const results = blocks.flatMap((block) => (block.type === 'tool_result' ? [block] : []))
  if (results.length > 0 && blocks.findLastIndex(({ type }) => type === 'tool_result') >= results.length)
    throw new Refusal(400, `messages.${at}: \`tool_result\` blocks must come first in the content of a message`)
  const answers = results.map((block) => entry('tool', resultText(block), { answers: [block.tool_use_id] }))
  const text = lastText(blocks)
  return [...answers, ...(results.length < blocks.length ? [entry('user', text)] : [])]
}

const words = {
  dangling: (ids: readonly string[]) =>
    `messages: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  orphan: (id: string) =>
    `messages: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
}

const checkTools = (tools: readonly v.InferOutput<typeof Tool>[], entries: readonly Entry[]): void => {
  const names = tools.map(({ name }) => name)
  if (new Set(names).size < names.length) throw new Refusal(400, 'tools: Tool names must be unique.', 'tools')
  for (const tool of tools) if (tool.type === undefined || tool.type === 'custom') readAs(CustomTool, tool)
  if (names.length === 0 && entries.some(({ calls }) => calls.length > 0))
    throw new Refusal(400, 'Requests which include `tool_use` or `tool_result` blocks in messages must define tools', 'tools')
}

export const readAnthropic = (incoming: Incoming): Ask => {
  const { headers } = incoming
  if ((headers['x-api-key'] ?? '') === '' && bearerOf(incoming) === '') throw new Refusal(401, 'x-api-key header is required')
  if (headers['anthropic-version'] === undefined) throw new Refusal(400, 'anthropic-version: header is required')
  const body = readAs(Body, incoming.body)
  const [first] = body.messages
  if (first?.role !== 'user') throw new Refusal(400, 'messages: first message must use the "user" role')
  const last = body.messages.at(-1)
  if (last?.role === 'assistant') {
    const text = blocksOf(last).map(textOf).at(-1) ?? ''
    if (/\s$/.test(text)) throw new Refusal(400, 'messages: final assistant content cannot end with trailing whitespace')
  }
  const entries = body.messages.flatMap(toEntries)
  checkPairs(entries, words)
  checkTools(body.tools ?? [], entries)
  return {
    provider: incoming.provider,
    model: body.model,
    streams: body.stream === true,
    ...lookBack(entries),
    tools: (body.tools ?? []).map(({ name }) => name),
    inputTokens: tokensOf(incoming.bytes),
    tellsUse: true,
  }
}
