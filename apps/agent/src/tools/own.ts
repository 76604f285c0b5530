// The interface of built-in tools.
import type { BuiltinTool } from '@gatehouse/contracts'
import type { Fields } from '../host/fields.ts'
import type { SessionClient, SessionInfo } from '../host/session.ts'

/** Directories that the agent may access. */
export interface Places {
  readonly workspace: string
  readonly memory: string
  readonly shared: string
  /** Mounts of host files. */
  readonly mnt: string
}

export interface ToolContext {
  readonly session: SessionClient
  readonly info: SessionInfo
  readonly places: Places
  readonly signal: AbortSignal
  /** Sends a message to the user at once, with files by path. Resolves with the reason if the host refuses it. */
  say(text: string, files: readonly string[]): Promise<string | undefined>
}

export interface Outcome {
  readonly text: string
  /** Whether the model is told that the call failed. */
  readonly failed?: boolean
  readonly images?: readonly { readonly mediaType: string; readonly data: string }[]
}

export interface OwnTool {
  readonly name: BuiltinTool
  readonly description: string
  /** JSON schema of its arguments. */
  readonly schema: Fields
  /** Whether the tool is idempotent, so it can run again if its outcome was lost. */
  readonly repeatable: boolean
  run(args: Fields, context: ToolContext): Promise<Outcome>
}

export const failed = (text: string): Outcome => ({ text, failed: true })

export const objectSchema = (properties: Readonly<Record<string, Fields>>, required = Object.keys(properties)): Fields => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
