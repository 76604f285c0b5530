// Gemini generateContent: every field that a request may have, in the one spelling that its JSON documents.
import { exactly, flag, free, inline, list, number, object, text, tokens } from '../shape.ts'
import { bodyPowers, partPowers, toolPowers } from './powers.ts'

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

export const schema = object(
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
