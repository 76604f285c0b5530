// The stored conversation, which outlives the agent. It changes only at the ends of steps, so every call in it has its
// result; what happens within a step is noted beside it.
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { type ModelMessage, modelMessageSchema } from 'ai'
import { complain } from '../complain.ts'
import { fields, list, text } from '../host/fields.ts'
import type { Reply } from '../inbox.ts'
import type { Outcome } from '../tools/own.ts'
import { writeAtomically } from '../write-atomically.ts'
import { repair } from './repair.ts'

/** The message that is being answered, or that was answered last. */
export interface Turn {
  readonly message: string
  /** Steps that are in the dialogue. */
  readonly step: number
  /** Replies that have got an id. */
  readonly said: number
  /** Replies that the host may not have yet. */
  readonly pending: readonly Reply[]
  readonly done: boolean
}

export interface Dialogue {
  /** Whose it is: another model is not shown what only the first can read. */
  readonly model: string
  readonly messages: readonly ModelMessage[]
  readonly turn: Turn | null
}

/** A step whose calls are being made. */
export interface StepNote {
  readonly message: string
  readonly step: number
  /** Whose answer it is. */
  readonly model: string
  /** What the model answered. */
  readonly response: readonly ModelMessage[]
  /** Ids of the calls that were begun. */
  readonly begun: readonly string[]
  readonly results: Readonly<Record<string, Outcome>>
  /** What was said by a call, under the id of the call. */
  readonly said: Readonly<Record<string, Reply>>
}

export interface DialogueStore {
  load(model: string): Promise<Dialogue>
  /** On disk before it resolves. Without a memory that can be written, nothing is kept. */
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
    complain(`${path} cannot be read, and is put aside: ${error instanceof Error ? error.message : String(error)}`)
    await rename(path, `${path}.broken`).catch(() => undefined)
    return undefined
  }
}

const toMessages = (value: unknown): ModelMessage[] => {
  const parsed = modelMessageSchema.array().safeParse(value)
  if (parsed.success) return parsed.data
  if (value !== undefined) complain('the kept dialogue is not one, and is begun anew')
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
      complain(`the dialogue cannot be kept in ${memory}: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  return {
    load: async (model) => {
      const kept = fields(await readJson(path))
      return { model, messages: repair(toMessages(kept['messages']), text(kept['model']) === model), turn: toTurn(kept['turn']) }
    },
    save: (dialogue) => write(path, dialogue),
    readStep: async () => toNote(await readJson(stepPath)),
    noteStep: (note) => write(stepPath, note),
  }
}
