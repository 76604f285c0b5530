// Which provider and format a path belongs to: as the real hosts have it, or behind the name of a provider.
import { errorAnthropic, errorEventAnthropic, eventsAnthropic, fillerAnthropic, wholeAnthropic } from './formats/anthropic/write.ts'
import { readAnthropic } from './formats/anthropic/read.ts'
import { readChat } from './formats/chat/read.ts'
import { errorChat, errorEventChat, eventsChat, fillerChat, wholeChat } from './formats/chat/write.ts'
import type { Format } from './formats/format.ts'
import { readGemini } from './formats/gemini/read.ts'
import { errorEventGemini, errorGemini, eventsGemini, fillerGemini, wholeGemini } from './formats/gemini/write.ts'
import { readResponses } from './formats/responses/read.ts'
import { errorEventResponses, eventsResponses, fillerResponses, wholeResponses } from './formats/responses/write.ts'

export const providers = ['anthropic', 'openai', 'gemini', 'openrouter', 'groq', 'mistral', 'compatible'] as const

const anthropic: Format = {
  read: readAnthropic,
  whole: wholeAnthropic,
  events: eventsAnthropic,
  filler: fillerAnthropic,
  error: errorAnthropic,
  errorEvent: errorEventAnthropic,
}
const chat: Format = {
  read: readChat,
  whole: wholeChat,
  events: eventsChat,
  filler: fillerChat,
  error: errorChat,
  errorEvent: errorEventChat,
}
const responses: Format = {
  read: readResponses,
  whole: wholeResponses,
  events: eventsResponses,
  filler: fillerResponses,
  error: errorChat,
  errorEvent: errorEventResponses,
}
const gemini: Format = {
  read: readGemini,
  whole: wholeGemini,
  events: eventsGemini,
  filler: fillerGemini,
  error: errorGemini,
  errorEvent: errorEventGemini,
}

const endings: readonly { readonly path: RegExp; readonly format: Format; readonly provider: string }[] = [
  { path: /\/v1\/messages$/, format: anthropic, provider: 'anthropic' },
  { path: /\/chat\/completions$/, format: chat, provider: 'openai' },
  { path: /\/responses$/, format: responses, provider: 'openai' },
  { path: /\/v1(beta|alpha)?\/models\/[^/:]+:(streamG|g)enerateContent$/, format: gemini, provider: 'gemini' },
]

/** By host, where it is a real one; else by the first part of the path; else what the format is known from. */
const named = (path: string, host: string): string | undefined => {
  const real = providers.find((name) => host.includes(`.${name}.`))
  if (real !== undefined) return real
  const first = path.split('/')[1] ?? ''
  if (path.startsWith('/api/v1/')) return 'openrouter'
  return providers.find((name) => name === first)
}

export interface Route {
  readonly provider: string
  readonly format: Format
}

export const routeOf = (path: string, host: string): Route | null => {
  const found = endings.find((ending) => ending.path.test(path))
  return found === undefined ? null : { format: found.format, provider: named(path, host) ?? found.provider }
}
