// What a built-in tool is, and what it is given.
import type { BuiltinTool } from '@gatehouse/contracts'
import type { Fields } from '../host/fields.ts'
import type { SessionClient, SessionInfo } from '../host/session.ts'

/** Where the agent may read and write. */
export interface Places {
  readonly workspace: string
  readonly memory: string
  readonly shared: string
  /** What the host gave the group of its own files. */
  readonly mnt: string
}

export interface ToolContext {
  readonly session: SessionClient
  readonly info: SessionInfo
  readonly places: Places
  readonly signal: AbortSignal
  /** Sends a message to the human, now, with files by their paths. Resolves with why the host will not take it; undefined where it did. */
  say(text: string, files: readonly string[]): Promise<string | undefined>
}

export interface Outcome {
  readonly text: string
  /** The model is told that it did not work. */
  readonly failed?: boolean
  readonly images?: readonly { readonly mediaType: string; readonly data: string }[]
}

export interface OwnTool {
  readonly name: BuiltinTool
  readonly description: string
  /** JSON schema of its arguments. */
  readonly schema: Fields
  /** Doing it twice is as good as once, so it is done again where its outcome was lost. */
  readonly repeatable: boolean
  run(args: Fields, context: ToolContext): Promise<Outcome>
}

export const failed = (text: string): Outcome => ({ text, failed: true })

export const objectOf = (properties: Readonly<Record<string, Fields>>, required = Object.keys(properties)): Fields => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
