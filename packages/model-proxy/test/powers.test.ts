// Bodies that ask the provider to execute, fetch, connect or keep: refused by the name of the field, and let through only once
// a change has approved that power.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Bench, chatBody, createBench, geminiBody, messagesBody, responsesBody } from './fixtures/bench.ts'

let bench: Bench
before(async () => {
  bench = await createBench()
  await bench.start()
})
after(() => bench.stop())

interface Wish {
  readonly path: string
  readonly body: Record<string, unknown>
  readonly field: string
  readonly power: string
}

const url = 'https://example.invalid/x.png'
const anthropic = (power: string, field: string, more: object): Wish => ({
  path: '/anthropic/v1/messages',
  body: messagesBody(more),
  field,
  power,
})
const asUser = (block: object): object => ({ messages: [{ role: 'user', content: [block] }] })
const chat = (power: string, field: string, more: object): Wish => ({
  path: '/openai/v1/chat/completions',
  body: chatBody(more),
  field,
  power,
})
const at = (provider: string, wish: Wish): Wish => ({ ...wish, path: `/${provider}/v1/chat/completions` })
const responses = (power: string, field: string, more: object): Wish => ({
  path: '/openai/v1/responses',
  body: responsesBody(more),
  field,
  power,
})
const gemini = (power: string, field: string, more: object): Wish => ({
  path: '/gemini/v1beta/models/the-model:generateContent',
  body: geminiBody(more),
  field,
  power,
})
const geminiTool = (power: string, name: string): Wish => gemini(power, `tools[0].${name}`, { tools: [{ [name]: {} }] })
const responsesTool = (power: string, type: string): Wish => responses(power, 'tools[0].type', { tools: [{ type }] })

const wishes: Wish[] = [
  anthropic('web_search', 'tools[0].type', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }),
  anthropic('web_fetch', 'tools[0].type', { tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] }),
  anthropic('code_execution', 'tools[0].type', { tools: [{ type: 'code_execution_20250522', name: 'code_execution' }] }),
  anthropic('shell', 'tools[0].type', { tools: [{ type: 'bash_20250124', name: 'bash' }] }),
  anthropic('computer_use', 'tools[0].type', { tools: [{ type: 'computer_20250124', name: 'computer' }] }),
  anthropic('mcp', 'tools[0].type', { tools: [{ type: 'mcp_toolset', mcp_server_name: 'x' }] }),
  anthropic('mcp', 'mcp_servers', { mcp_servers: [{ type: 'url', url, name: 'x' }] }),
  anthropic('containers', 'container', { container: { skills: [] } }),
  anthropic('prompt_cache', 'cache_control', { cache_control: { type: 'ephemeral' } }),
  anthropic('prompt_cache', 'system[0].cache_control', { system: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] }),
  anthropic('code_execution', 'tools[0].allowed_callers', {
    tools: [{ name: 'a', input_schema: {}, allowed_callers: ['code_execution_20250825'] }],
  }),
  anthropic('url_sources', 'messages[0].content[0].source.type', asUser({ type: 'image', source: { type: 'url', url } })),
  anthropic('url_sources', 'messages[0].content[0].source.type', asUser({ type: 'document', source: { type: 'url', url } })),
  anthropic('files', 'messages[0].content[0].source.type', asUser({ type: 'image', source: { type: 'file', file_id: 'f' } })),
  anthropic('containers', 'messages[0].content[0].type', asUser({ type: 'container_upload', file_id: 'f' })),
  anthropic(
    'url_sources',
    'messages[0].content[0].content[0].source.type',
    asUser({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { type: 'url', url } }] }),
  ),
  chat('web_search', 'web_search_options', { web_search_options: {} }),
  chat('stored_responses', 'store', { store: true }),
  chat('stored_responses', 'metadata', { metadata: { a: 'b' } }),
  chat('url_sources', 'messages[0].content[0].image_url.url', asUser({ type: 'image_url', image_url: { url } })),
  chat('files', 'messages[0].content[0].file.file_id', asUser({ type: 'file', file: { file_id: 'f' } })),
  chat('prompt_cache', 'prompt_cache_key', { prompt_cache_key: 'a' }),
  at('openrouter', chat('plugins', 'plugins', { plugins: [{ id: 'web' }] })),
  at('openrouter', chat('web_search', 'tools[0].type', { tools: [{ type: 'openrouter:web_search' }] })),
  at('groq', chat('web_search', 'tools[0].type', { tools: [{ type: 'browser_search' }] })),
  at('groq', chat('code_execution', 'tools[0].type', { tools: [{ type: 'code_interpreter', container: {} }] })),
  at('groq', chat('code_execution', 'compound_custom', { compound_custom: { tools: {} } })),
  at('groq', chat('file_search', 'documents', { documents: [{ source: { text: 'x' } }] })),
  at('groq', chat('web_search', 'search_settings', { search_settings: {} })),
  at('mistral', chat('url_sources', 'messages[0].content[0].image_url', asUser({ type: 'image_url', image_url: url }))),
  at('mistral', chat('url_sources', 'messages[0].content[0].type', asUser({ type: 'document_url', document_url: url }))),
  at('mistral', chat('file_search', 'tools[0].type', { tools: [{ type: 'document_library', library_ids: [] }] })),
  at('compatible', chat('mcp', 'tools[0].type', { tools: [{ type: 'mcp', server_url: url }] })),
  responsesTool('web_search', 'web_search_preview'),
  responsesTool('web_search', 'web_search_2025_08_26'),
  responsesTool('file_search', 'file_search'),
  responsesTool('code_execution', 'code_interpreter'),
  responsesTool('computer_use', 'computer_use_preview'),
  responsesTool('image_generation', 'image_generation'),
  responsesTool('mcp', 'mcp'),
  responsesTool('shell', 'local_shell'),
  responses('mcp', 'tool_choice.type', { tool_choice: { type: 'mcp', server_label: 'a' } }),
  responses('stored_responses', 'previous_response_id', { previous_response_id: 'r' }),
  responses('stored_responses', 'conversation', { conversation: 'c' }),
  responses('stored_responses', 'background', { background: true }),
  responses('stored_responses', 'prompt', { prompt: { id: 'p' } }),
  responses('stored_responses', 'store', { store: true }),
  responses('web_search', 'include[0]', { include: ['web_search_call.action.sources'] }),
  responses('stored_responses', 'input[0].type', { input: [{ type: 'item_reference', id: 'i' }] }),
  responses('mcp', 'input[0].type', { input: [{ type: 'mcp_approval_response', approve: true }] }),
  responses('files', 'input[0].content[0].file_id', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }),
  responses('url_sources', 'input[0].content[0].file_url', { input: [{ role: 'user', content: [{ type: 'input_file', file_url: url }] }] }),
  responses('url_sources', 'input[0].content[0].image_url', {
    input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
  }),
  geminiTool('web_search', 'googleSearch'),
  geminiTool('web_fetch', 'urlContext'),
  geminiTool('code_execution', 'codeExecution'),
  geminiTool('maps', 'googleMaps'),
  geminiTool('computer_use', 'computerUse'),
  geminiTool('file_search', 'fileSearch'),
  geminiTool('mcp', 'mcpServers'),
  gemini('prompt_cache', 'cachedContent', { cachedContent: 'cachedContents/x' }),
  gemini('files', 'contents[0].parts[0].fileData', { contents: [{ parts: [{ fileData: { fileUri: url } }] }] }),
]

const providerOf = (path: string): string => path.split('/')[1] ?? ''

for (const [index, { path, body, field, power }] of wishes.entries()) {
  test(`wish ${index + 1}: ${providerOf(path)} ${field} needs ${power}`, async () => {
    bench.gateway.provider = providerOf(path)
    bench.gateway.powers = []
    const before = bench.provider.seen.length
    const refused = await bench.post(path, body)
    assert.equal(refused.status, 403, refused.text)
    const { error } = JSON.parse(refused.text) as { error: { code: string; message: string } }
    assert.equal(error.code, 'power-refused')
    assert.ok(error.message.startsWith(`${field}: `), error.message)
    assert.ok(error.message.includes(`["${power}"]`), error.message)
    assert.equal(bench.provider.seen.length, before)

    bench.gateway.powers = ['another', power]
    const allowed = await bench.post(path, body)
    assert.equal(allowed.status, 200, allowed.text)
    assert.equal(bench.provider.seen.length, before + 1)
  })
}

/** What no permission opens: other models, unknown fields, what is spelled in a way of its own. */
const closed: [string, Record<string, unknown>, string][] = [
  ['/openrouter/v1/chat/completions', chatBody({ models: ['another'] }), 'models'],
  ['/openrouter/v1/chat/completions', chatBody({ route: 'fallback' }), 'route'],
  ['/openrouter/v1/chat/completions', chatBody({ provider: { order: ['x'] } }), 'provider'],
  ['/openrouter/v1/chat/completions', chatBody({ transforms: ['middle-out'] }), 'transforms'],
  ['/openai/v1/chat/completions', chatBody({ n: 5 }), 'n'],
  ['/openai/v1/chat/completions', chatBody({ modalities: ['text', 'audio'] }), 'modalities[1]'],
  ['/openai/v1/chat/completions', chatBody({ service_tier: 'priority' }), 'service_tier'],
  ['/openai/v1/chat/completions', chatBody({ functions: [] }), 'functions'],
  ['/openai/v1/chat/completions', chatBody({ tools: [{ type: 'function' }] }), 'tools[0].function'],
  ['/openai/v1/chat/completions', chatBody({ messages: [{ role: 'root', content: '' }] }), 'messages[0].role'],
  ['/openai/v1/responses', responsesBody({ tools: [{ type: 'anything' }] }), 'tools[0].type'],
  ['/openai/v1/responses', responsesBody({ input: { type: 'message' } }), 'input'],
  ['/openai/v1/responses', responsesBody({ moderation: {} }), 'moderation'],
  ['/anthropic/v1/messages', messagesBody({ requests: [] }), 'requests'],
  ['/anthropic/v1/messages', messagesBody({ inference_geo: 'us' }), 'inference_geo'],
  ['/anthropic/v1/messages', { ...messagesBody(), max_tokens: undefined }, 'max_tokens'],
  ['/gemini/v1beta/models/the-model:generateContent', geminiBody({ cached_content: 'x' }), 'cached_content'],
  ['/gemini/v1beta/models/the-model:generateContent', geminiBody({ tools: [{ google_search: {} }] }), 'tools[0].google_search'],
  ['/gemini/v1beta/models/the-model:generateContent', geminiBody({ model: 'models/other' }), 'model'],
  [
    '/gemini/v1beta/models/the-model:generateContent',
    geminiBody({ generationConfig: { candidateCount: 8 } }),
    'generationConfig.candidateCount',
  ],
]

for (const [path, body, field] of closed) {
  test(`refuses ${field} of ${providerOf(path)} whatever is approved`, async () => {
    bench.gateway.provider = providerOf(path)
    bench.gateway.powers = wishes.map(({ power }) => power)
    const before = bench.provider.seen.length
    const refused = await bench.post(path, body)
    assert.equal(refused.status, 403, refused.text)
    const { error } = JSON.parse(refused.text) as { error: { code: string; message: string } }
    assert.equal(error.code, 'field-refused')
    assert.ok(error.message.startsWith(`${field}: `), error.message)
    assert.equal(bench.provider.seen.length, before)
  })
}
