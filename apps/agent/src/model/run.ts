// Runs the model agent. Loaded only if the group has a model.
import type { SessionClient, SessionInfo } from '../host/session.ts'
import type { ToolsClient } from '../host/tools.ts'
import { eachMessage } from '../inbox.ts'
import { openDialogue } from '../memory/dialogue.ts'
import type { Places } from '../tools/own.ts'
import { ownTools } from '../tools/table.ts'
import { type ModelChoice, openModel } from './open.ts'
import { type FetchLimits, socketFetch } from './socket-fetch.ts'
import { takeTurn } from './turn.ts'

export interface ModelParts {
  readonly session: SessionClient
  readonly tools: ToolsClient | null
  readonly info: SessionInfo
  readonly model: ModelChoice
  readonly places: Places & { readonly model: string }
  readonly waits: FetchLimits
  readonly signal: AbortSignal
}

/** Runs until the signal is aborted, then rejects with its reason. */
export const runModel = (parts: ModelParts): Promise<never> => {
  globalThis.AI_SDK_LOG_WARNINGS = false
  const { session, tools, info, places, signal } = parts
  const { workspace, memory, shared, mnt } = places
  const agent = {
    session,
    tools,
    info,
    signal,
    places: { workspace, memory, shared, mnt },
    own: ownTools.filter(({ name }) => info.tools.includes(name)),
    openModel: openModel(parts.model, socketFetch(places.model, parts.waits)),
    store: openDialogue(places.memory, info.session),
  }
  return eachMessage(session, (message) => takeTurn(agent, message))
}
