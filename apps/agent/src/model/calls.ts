// Runs the tool calls of one answer, each at most once. A call is noted before it runs.
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai'
import { fields } from '../host/fields.ts'
import type { Reply } from '../inbox.ts'
import type { DialogueStore, StepNote } from '../memory/dialogue.ts'
import { cutText } from '../memory/fit.ts'
import { type Part, partsOf } from '../memory/repair.ts'
import { callGranted } from '../tools/granted.ts'
import { failed, type Outcome, type ToolContext } from '../tools/own.ts'
import { NotHere } from '../tools/paths.ts'
import { checkArguments } from '../tools/schema.ts'
import { withoutTags } from './instructions.ts'
import { inputOf, type Toolbox } from './toolbox.ts'

export interface Calls {
  readonly toolbox: Toolbox
  readonly context: Omit<ToolContext, 'say'>
  readonly store: DialogueStore
  /** The id of the next reply of this turn, given that so many were said in this step. */
  readonly replyId: (said: number) => string
  /** Resolves with why the host will not take it. */
  readonly send: (reply: Reply) => Promise<string | undefined>
  /** Bytes of one result. */
  readonly most: number
  readonly images: boolean
}

interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

const callsOf = (response: readonly ModelMessage[]): Call[] =>
  response
    .flatMap((message): AssistantModelMessage[] => (message.role === 'assistant' ? [message] : []))
    .flatMap(partsOf)
    .flatMap((part) => (part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, input: inputOf(part.input) }] : []))

const unknown = failed(
  'Outcome unknown: I was stopped after this call was begun and before its result came. It was not made again. Do not repeat it by yourself; tell the human if it matters.',
)

const wentWrong = (error: unknown): Outcome => {
  if (error instanceof NotHere) return failed(error.message)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return failed(`it failed: ${code === '' ? (error instanceof Error ? error.message : String(error)) : code}`)
}

const perform = async ({ name, input }: Call, { toolbox, context }: Calls, say: ToolContext['say']): Promise<Outcome> => {
  const known = toolbox.known.get(name)
  if (known === undefined)
    return failed(`There is no tool ${name}, or it is turned off. There are: ${[...toolbox.known.keys()].join(', ')}`)
  const wrong = checkArguments(known.schema, input)
  if (wrong.length > 0)
    return failed(`The arguments are not what ${name} takes. ${wrong.join('. ')}. Nothing was done; correct them and call again.`)
  if ('granted' in known) return callGranted(known.tools, known.granted, input)
  try {
    return await known.own.run(fields(input), { ...context, say })
  } catch (error) {
    context.signal.throwIfAborted()
    return wentWrong(error)
  }
}

const isRepeatable = ({ name }: Call, { toolbox }: Calls): boolean => {
  const known = toolbox.known.get(name)
  return known !== undefined && 'own' in known && known.own.repeatable
}

type Output = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>['output']

const outputOf = ({ text, failed: didFail, images = [] }: Outcome, calls: Calls): Output => {
  const shown = cutText(withoutTags(text), calls.most)
  if (didFail === true) return { type: 'error-text', value: shown || 'it failed' }
  if (images.length === 0) return { type: 'text', value: shown || '(nothing)' }
  if (!calls.images) {
    const described = images.map(
      ({ mediaType, data }) => `[${mediaType}, ${Buffer.byteLength(data, 'base64')} bytes, which you cannot see]`,
    )
    return { type: 'text', value: [shown, ...described].filter((line) => line !== '').join('\n') }
  }
  return {
    type: 'content',
    value: [
      ...(shown === '' ? [] : [{ type: 'text' as const, text: shown }]),
      ...images.map(({ mediaType, data }) => ({ type: 'file' as const, mediaType, data: { type: 'data' as const, data } })),
    ],
  }
}

const cut = (outcome: Outcome, { most }: Calls): Outcome => ({ ...outcome, text: cutText(outcome.text, most) })

/** What a call that was begun in an earlier life came to; undefined where it must be made. */
const earlier = (call: Call, note: StepNote, calls: Calls): Outcome | undefined => {
  if (Object.hasOwn(note.results, call.id)) return note.results[call.id]
  if (!note.begun.includes(call.id) || isRepeatable(call, calls)) return undefined
  if (call.name === 'send_message') return Object.hasOwn(note.said, call.id) ? { text: 'sent' } : undefined
  return unknown
}

/** What the host refused was not said, and its id is free: said again after a death it might be taken, when the model knows better. */
const unlessRefused = (note: StepNote, call: string, refusal: string | undefined): StepNote => {
  if (refusal === undefined) return note
  const said = Object.fromEntries(Object.entries(note.said).filter(([id]) => id !== call))
  const refused = failed(`the host did not take the message: ${refusal}`)
  return { ...note, said, results: { ...note.results, [call]: note.results[call] ?? refused } }
}

/** Gives the result of each call, and what was said meanwhile. */
export const makeCalls = async (begun: StepNote, calls: Calls): Promise<{ results: ToolModelMessage; said: number }> => {
  let note = begun
  for (const [call, reply] of Object.entries(note.said)) note = unlessRefused(note, call, await calls.send(reply))
  const content: ToolModelMessage['content'] = []
  for (const call of callsOf(note.response)) {
    let outcome = earlier(call, note, calls)
    if (outcome === undefined) {
      note = { ...note, begun: [...note.begun, call.id] }
      await calls.store.noteStep(note)
      const say: ToolContext['say'] = async (text, files) => {
        const reply = { id: calls.replyId(Object.keys(note.said).length), text, ...(files.length > 0 && { files }) }
        note = { ...note, said: { ...note.said, [call.id]: reply } }
        await calls.store.noteStep(note)
        const refusal = await calls.send(reply)
        note = unlessRefused(note, call.id, refusal)
        return refusal
      }
      outcome = cut(await perform(call, calls, say), calls)
    }
    note = { ...note, results: { ...note.results, [call.id]: outcome } }
    content.push({ type: 'tool-result', toolCallId: call.id, toolName: call.name, output: outputOf(outcome, calls) })
  }
  return { results: { role: 'tool', content }, said: Object.keys(note.said).length }
}

const noObject = failed('The arguments are no JSON object. Nothing was done; correct them and call again.')

/** A step as it is begun. Arguments that are no object go back as an empty one, which every provider takes, and are not acted on. */
export const beginStep = (response: AssistantModelMessage, of: Pick<StepNote, 'message' | 'step' | 'model'>): StepNote => {
  const results: Record<string, Outcome> = {}
  const content = partsOf(response).flatMap((part): Part[] => {
    if (part.type === 'custom' || (part.type === 'text' && part.text.trim() === '')) return []
    if (part.type !== 'tool-call') return [part]
    const input = inputOf(part.input)
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    if (!isObject) results[part.toolCallId] = noObject
    return [{ ...part, input: fields(input) }]
  })
  return { ...of, response: [{ ...response, content }], begun: [], results, said: {} }
}
