// In what the providers of chat completions differ from each other.

export interface Flavour {
  readonly refusesStatus: number
  /** Ids of calls must look like this. */
  readonly callId: RegExp
  readonly newCallId: { readonly prefix: string; readonly length: number }
  /** Fields of the body beyond those that all know. */
  readonly fields: readonly string[]
  /** Whether a field that is not known is refused or passed over. */
  readonly refusesUnknown: boolean
  /** The last chunk of a stream tells the use without being asked. */
  readonly alwaysTellsUse: boolean
  /** A user may not speak right after a tool. */
  readonly strictOrder: boolean
  readonly roles: readonly string[]
}

const openaiFields = [
  'audio',
  'logit_bias',
  'logprobs',
  'max_completion_tokens',
  'metadata',
  'modalities',
  'prediction',
  'prompt_cache_key',
  'prompt_cache_retention',
  'reasoning_effort',
  'safety_identifier',
  'service_tier',
  'store',
  'stream_options',
  'top_logprobs',
  'user',
  'verbosity',
  'web_search_options',
  'functions',
  'function_call',
  'seed',
]

const openai: Flavour = {
  refusesStatus: 400,
  callId: /^.{1,64}$/s,
  newCallId: { prefix: 'call_', length: 24 },
  fields: openaiFields,
  refusesUnknown: true,
  alwaysTellsUse: false,
  strictOrder: false,
  roles: ['system', 'developer', 'user', 'assistant', 'tool'],
}

const flavours: Readonly<Record<string, Flavour>> = {
  openai,
  openrouter: { ...openai, refusesUnknown: false, alwaysTellsUse: true },
  groq: {
    ...openai,
    newCallId: { prefix: 'call_', length: 24 },
    fields: [
      'max_completion_tokens',
      'reasoning_effort',
      'reasoning_format',
      'include_reasoning',
      'service_tier',
      'stream_options',
      'user',
      'seed',
      'metadata',
      'store',
      'documents',
      'search_settings',
      'disable_tool_validation',
      'compound_custom',
      'citation_options',
    ],
    roles: ['system', 'user', 'assistant', 'tool', 'developer'],
  },
  mistral: {
    refusesStatus: 422,
    callId: /^[a-zA-Z0-9]{9}$/,
    newCallId: { prefix: '', length: 9 },
    fields: [
      'random_seed',
      'metadata',
      'prediction',
      'prompt_mode',
      'reasoning_effort',
      'safe_prompt',
      'guardrails',
      'prompt_cache_key',
      'service_tier',
    ],
    refusesUnknown: true,
    alwaysTellsUse: true,
    strictOrder: true,
    roles: ['system', 'user', 'assistant', 'tool'],
  },
  compatible: { ...openai, refusesUnknown: false },
}

export const flavourOf = (provider: string): Flavour => flavours[provider] ?? openai
