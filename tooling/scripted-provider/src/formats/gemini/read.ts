// Reads a request to Gemini, and refuses what the real one refuses.
import * as v from 'valibot'
import { type Ask, type Entry, entry, lookBack } from '../../ask.ts'
import { Refusal } from '../../refusal.ts'
import { type Incoming, readAs, tokensOf } from '../format.ts'

const Call = v.looseObject({ name: v.string(), args: v.optional(v.record(v.string(), v.unknown())), id: v.optional(v.string()) })
const Answer = v.looseObject({ name: v.string(), response: v.record(v.string(), v.unknown()), id: v.optional(v.string()) })
const Part = v.strictObject({
  text: v.optional(v.string()),
  thought: v.optional(v.boolean()),
  thoughtSignature: v.optional(v.string()),
  functionCall: v.optional(Call),
  functionResponse: v.optional(Answer),
  inlineData: v.optional(v.looseObject({ mimeType: v.string(), data: v.string() })),
  fileData: v.optional(v.unknown()),
  executableCode: v.optional(v.unknown()),
  codeExecutionResult: v.optional(v.unknown()),
})
const Content = v.strictObject({
  role: v.optional(v.picklist(['user', 'model', 'function'], 'Please use a valid role: user, model.')),
  parts: v.pipe(v.array(Part), v.minLength(1, 'contents.parts must not be empty.')),
})
type Content = v.InferOutput<typeof Content>

const Declaration = v.strictObject({
  name: v.pipe(
    v.string(),
    v.regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/, 'Invalid function name. Must start with a letter or an underscore.'),
  ),
  description: v.optional(v.string()),
  parameters: v.optional(v.unknown()),
  parametersJsonSchema: v.optional(v.unknown()),
  response: v.optional(v.unknown()),
  responseJsonSchema: v.optional(v.unknown()),
  behavior: v.optional(v.string()),
})
const Tool = v.looseObject({ functionDeclarations: v.optional(v.array(Declaration)) })
const Body = v.strictObject({
  contents: v.pipe(v.array(Content, 'contents is not specified'), v.minLength(1, 'contents is not specified')),
  systemInstruction: v.optional(v.unknown()),
  tools: v.optional(v.array(Tool)),
  toolConfig: v.optional(v.unknown()),
  generationConfig: v.optional(v.unknown()),
  safetySettings: v.optional(v.unknown()),
  cachedContent: v.optional(v.string()),
  labels: v.optional(v.unknown()),
  serviceTier: v.optional(v.string()),
})

/** The part of OpenAPI's schemas that `parameters` may hold. */
const schemaFields = new Set(
  [
    'type',
    'format',
    'title',
    'description',
    'nullable',
    'enum',
    'maxItems',
    'minItems',
    'properties',
    'required',
    'minProperties',
    'maxProperties',
  ].concat(['minLength', 'maxLength', 'pattern', 'example', 'anyOf', 'propertyOrdering', 'default', 'items', 'minimum', 'maximum']),
)

const checkSchema = (schema: unknown, path: string): void => {
  if (typeof schema !== 'object' || schema === null) return
  for (const [name, value] of Object.entries(schema)) {
    if (!schemaFields.has(name))
      throw new Refusal(400, `Invalid JSON payload received. Unknown name "${name}" at '${path}': Cannot find field.`, path)
    if (name === 'items') checkSchema(value, `${path}.items`)
    if (name === 'anyOf' && Array.isArray(value)) for (const one of value) checkSchema(one, `${path}.any_of`)
    if (name === 'properties') for (const [key, one] of Object.entries(value as object)) checkSchema(one, `${path}.properties[${key}]`)
  }
}

const textOf = ({ parts }: Content): string => parts.findLast(({ text, thought }) => thought !== true && (text ?? '') !== '')?.text ?? ''

const answerText = (response: Record<string, unknown>): string => {
  const shown = response['output'] ?? response['content'] ?? response['result'] ?? response['error'] ?? response
  return typeof shown === 'string' ? shown : JSON.stringify(shown)
}

const checkTurns = (contents: readonly Content[]): void => {
  for (const [at, { parts }] of contents.entries()) {
    const calls = parts.filter(({ functionCall }) => functionCall !== undefined).length
    const answers = parts.filter(({ functionResponse }) => functionResponse !== undefined).length
    const [before, after] = [contents[at - 1], contents[at + 1]]
    if (calls > 0 && before?.role === 'model')
      throw new Refusal(400, 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.')
    if (calls > 0 && before === undefined)
      throw new Refusal(400, 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.')
    const answered = after?.parts.filter(({ functionResponse }) => functionResponse !== undefined).length ?? 0
    if (calls !== answered && calls > 0)
      throw new Refusal(
        400,
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    if (answers > 0 && before?.parts.every(({ functionCall }) => functionCall === undefined) !== false)
      throw new Refusal(400, 'Please ensure that function response turn comes immediately after a function call turn.')
    for (const part of parts)
      if (Object.keys(part).every((name) => name.startsWith('thought')))
        throw new Refusal(400, `contents[${at}].parts: must have one initialized field: data`)
  }
}

/** Gemini 3 wants the signature of the first call of every step since the user spoke. */
const checkSignatures = (contents: readonly Content[], model: string): void => {
  if (!/^gemini-[3-9]/.test(model)) return
  const since = contents.findLastIndex(
    ({ role, parts }) => role !== 'model' && parts.some(({ functionResponse }) => functionResponse === undefined),
  )
  for (const { parts } of contents.slice(since + 1)) {
    const first = parts.find(({ functionCall }) => functionCall !== undefined)
    if (first !== undefined && (first.thoughtSignature ?? '') === '')
      throw new Refusal(400, `Function call is missing a thought_signature in functionCall parts: ${first.functionCall?.name ?? ''}`)
  }
}

const toEntries = (content: Content): Entry[] => {
  if (content.role === 'model') return [entry('model', textOf(content))]
  const answers = content.parts.flatMap(({ functionResponse }) =>
    functionResponse === undefined ? [] : [entry('tool', answerText(functionResponse.response))],
  )
  const text = textOf(content)
  return [...answers, ...(text === '' ? [] : [entry('user', text)])]
}

export const readGemini = (incoming: Incoming): Ask => {
  if ((incoming.headers['x-goog-api-key'] ?? '') === '' && (incoming.query.get('key') ?? '') === '')
    throw new Refusal(
      403,
      "Method doesn't allow unregistered callers. Please use API Key or other form of API consumer identity to call this API.",
    )
  const [, model = '', verb = ''] = /\/models\/([^/:]+):(\w+)$/.exec(incoming.path) ?? []
  const body = readAs(Body, incoming.body)
  const declarations = (body.tools ?? []).flatMap(({ functionDeclarations }) => functionDeclarations ?? [])
  for (const [at, { parameters }] of declarations.entries()) checkSchema(parameters, `tools[0].function_declarations[${at}].parameters`)
  checkTurns(body.contents)
  checkSignatures(body.contents, model)
  return {
    provider: incoming.provider,
    model,
    streams: verb === 'streamGenerateContent',
    ...lookBack(body.contents.flatMap(toEntries)),
    tools: declarations.map(({ name }) => name),
    inputTokens: tokensOf(incoming.bytes),
    tellsUse: true,
  }
}
