// What a scripted model does in one answer.

export type Part =
  | { readonly type: 'say'; readonly text: string }
  | { readonly type: 'think'; readonly text: string }
  | { readonly type: 'call'; readonly tool: string; readonly arguments: string }

/** `after`: so many events of the stream are sent before it. */
export type Fault =
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter: number | null }
  | { readonly kind: 'reset' | 'end' | 'silence' | 'malformed' | 'error-event' | 'endless'; readonly after: number }
  | { readonly kind: 'media-type' }

export interface Turn {
  readonly parts: readonly Part[]
  readonly fault: Fault | null
  /** How often the fault happens before the turn goes well; 0 for always. */
  readonly times: number
  /** Milliseconds between two events. */
  readonly pace: number
  /** Ended by the limit of tokens, or by the provider's own judgement. */
  readonly stop: 'length' | 'refusal' | null
  /** Further answers of the same dialogue are like this one. */
  readonly again: boolean
}

export interface Scene {
  /** The scene is played where this is found in the newest message of the user; null for always. */
  readonly when: RegExp | null
  readonly turns: readonly Turn[]
}

export const plain = (text: string): Turn => ({
  parts: [{ type: 'say', text }],
  fault: null,
  times: 0,
  pace: 0,
  stop: null,
  again: false,
})
