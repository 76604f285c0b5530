// Stores the conversation across restarts. It changes only at the end of a step, so every call in it has a result. The running step
// is stored in a separate file.
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type ModelMessage, modelMessageSchema } from 'ai'
import { logError } from '../log-error.ts'
import { fields, list, text } from '../host/fields.ts'
import type { Reply } from '../inbox.ts'
import type { Outcome } from '../tools/own.ts'
import { writeAtomically } from '../write-atomically.ts'
import { repair } from './repair.ts'

/** The current message, or the last one that was answered. */
export interface Turn {
  readonly message: string
  /** Number of completed steps. */
  readonly step: number
  /** Number of replies with an id. */
  readonly said: number
  /** Replies that the host may not have received. */
  readonly pending: readonly Reply[]
  readonly done: boolean
}

export interface Dialogue {
  /** The model of the dialogue. Parts that only this model can read are removed for another model. */
  readonly model: string
  readonly messages: readonly ModelMessage[]
  readonly turn: Turn | null
}

/** A step whose calls are running. */
export interface StepNote {
  readonly message: string
  readonly step: number
  /** The model that answered. */
  readonly model: string
  /** The model's answer. */
  readonly response: readonly ModelMessage[]
  /** Ids of calls that were started. */
  readonly begun: readonly string[]
  readonly results: Readonly<Record<string, Outcome>>
  /** Messages sent by calls, by call id. */
  readonly said: Readonly<Record<string, Reply>>
}

export interface DialogueStore {
  load(model: string): Promise<Dialogue>
  /** Resolves when it is on disk. Does nothing if the memory directory is not writable. */
  save(dialogue: Dialogue): Promise<void>
  readStep(): Promise<StepNote | null>
  noteStep(note: StepNote): Promise<void>
}

const toReply = (value: unknown): Reply[] => {
  const [id, said] = [text(fields(value)['id']), text(fields(value)['text'])]
  const files = list(fields(value)['files']).flatMap((path) => text(path) ?? [])
  return id === undefined || said === undefined ? [] : [{ id, text: said, ...(files.length > 0 && { files }) }]
}

const toTurn = (value: unknown): Turn | null => {
  const { message, step, said, pending, done } = fields(value)
  const id = text(message)
  if (id === undefined || typeof step !== 'number' || typeof said !== 'number') return null
  return { message: id, step, said, pending: list(pending).flatMap(toReply), done: done === true }
}

const readJson = async (path: string): Promise<unknown> => {
  try {
    return JSON.parse(await readFile(path, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    logError(`cannot read ${path}, moving it aside: ${error instanceof Error ? error.message : String(error)}`)
    await rename(path, `${path}.broken`).catch(() => undefined)
    return undefined
  }
}

const toMessages = (value: unknown): ModelMessage[] => {
  const parsed = modelMessageSchema.array().safeParse(value)
  if (parsed.success) return parsed.data
  if (value !== undefined) logError('the stored dialogue is invalid, starting a new one')
  return []
}

const toNote = (value: unknown): StepNote | null => {
  const { message, step, model, response, begun, results, said } = fields(value)
  const id = text(message)
  const messages = modelMessageSchema.array().safeParse(response)
  if (id === undefined || typeof step !== 'number' || !messages.success) return null
  return {
    message: id,
    step,
    model: text(model) ?? '',
    response: messages.data,
    begun: list(begun).flatMap((call) => text(call) ?? []),
    results: fields(results) as StepNote['results'],
    said: Object.fromEntries(Object.entries(fields(said)).flatMap(([call, reply]) => toReply(reply).map((one) => [call, one]))),
  }
}

export const openDialogue = (memory: string, session: string): DialogueStore => {
  const [path, stepPath] = [join(memory, `.dialogue-${session}.json`), join(memory, `.step-${session}.json`)]
  const write = async (to: string, value: unknown): Promise<void> => {
    try {
      await writeAtomically(to, JSON.stringify(value))
    } catch (error) {
      logError(`cannot store the dialogue in ${memory}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return {
    load: async (model) => {
      const stored = fields(await readJson(path))
      return { model, messages: repair(toMessages(stored['messages']), text(stored['model']) === model), turn: toTurn(stored['turn']) }
    },
    save: (dialogue) => write(path, dialogue),
    readStep: async () => toNote(await readJson(stepPath)),
    noteStep: (note) => write(stepPath, note),
  }
}
