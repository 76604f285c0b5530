// The Gemini generateContent wire format. The path contains the model and whether the answer is a stream.
import { dataEvent, type Format, numberOf, objectOf, sum, usageOf } from './format.ts'
import { list, object, type PowerFields } from './shape.ts'
import { exactly, flag, free, inline, number, text, tokens } from './values.ts'

/** Fields that make the provider act by itself. */
const bodyPowers: PowerFields = { cachedContent: 'prompt_cache' }

const toolPowers: PowerFields = {
  googleSearch: 'web_search',
  googleSearchRetrieval: 'web_search',
  enterpriseWebSearch: 'web_search',
  urlContext: 'web_fetch',
  codeExecution: 'code_execution',
  googleMaps: 'maps',
  computerUse: 'computer_use',
  fileSearch: 'file_search',
  retrieval: 'file_search',
  mcpServers: 'mcp',
}

const partPowers: PowerFields = {
  fileData: 'files',
  executableCode: 'code_execution',
  codeExecutionResult: 'code_execution',
}

/** The schema of generateContent: every field that a request may have, only in its documented spelling. */
const inlineData = object({ mimeType: text, data: inline, displayName: text })

const part = object(
  {
    text,
    inlineData,
    functionCall: object({ id: text, name: text, args: free }),
    functionResponse: object({ id: text, name: text, response: free, parts: list(object({ inlineData })) }),
    thought: flag,
    thoughtSignature: text,
  },
  { powers: partPowers },
)

const content = object({ role: exactly('user', 'model', 'function', 'system'), parts: list(part) }, { required: ['parts'] })

const declaration = object(
  {
    name: text,
    description: text,
    parameters: free,
    parametersJsonSchema: free,
    response: free,
    responseJsonSchema: free,
  },
  { required: ['name'] },
)

const generation = object({
  temperature: number,
  topP: number,
  topK: number,
  maxOutputTokens: tokens,
  stopSequences: list(text),
  candidateCount: exactly(1),
  responseMimeType: text,
  responseSchema: free,
  responseJsonSchema: free,
  responseModalities: list(exactly('TEXT')),
  responseLogprobs: flag,
  logprobs: number,
  presencePenalty: number,
  frequencyPenalty: number,
  seed: number,
  mediaResolution: text,
  thinkingConfig: object({ thinkingBudget: number, includeThoughts: flag, thinkingLevel: text }),
})

const schema = object(
  {
    contents: list(content),
    systemInstruction: content,
    tools: list(object({ functionDeclarations: list(declaration) }, { powers: toolPowers })),
    toolConfig: object({ functionCallingConfig: object({ mode: text, allowedFunctionNames: list(text) }) }),
    safetySettings: list(object({ category: text, threshold: text })),
    generationConfig: generation,
  },
  { required: ['contents'], powers: bodyPowers },
)

export const gemini: Format = {
  name: 'gemini',
  shape: schema,
  model: () => undefined,
  streams: () => false,
  maxOutput: (body) => numberOf(objectOf(body['generationConfig'])['maxOutputTokens']),
  withMaxOutput: (body, most) => ({ ...body, generationConfig: { ...objectOf(body['generationConfig']), maxOutputTokens: most } }),
  complete: (body) => body,
  pieces: ['text'],
  usageField: 'usageMetadata',
  usage: (answer) => {
    const usage = objectOf(answer['usageMetadata'])
    return usageOf(
      sum(usage['promptTokenCount'], usage['toolUsePromptTokenCount']),
      sum(usage['candidatesTokenCount'], usage['thoughtsTokenCount']),
    )
  },
  failure: (code, message) => dataEvent({ error: { code: 502, status: code, message } }),
}
