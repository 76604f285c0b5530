// Runs the tool calls of one answer, each at most once. A call is stored before it runs.
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai'
import { fields } from '../host/fields.ts'
import type { Reply } from '../inbox.ts'
import type { DialogueStore, StepNote } from '../memory/dialogue.ts'
import { cutText } from '../memory/fit.ts'
import { type Part, getParts } from '../memory/repair.ts'
import { callGranted } from '../tools/granted.ts'
import { failed, type Outcome, type ToolContext } from '../tools/own.ts'
import { PathRefused } from '../tools/paths.ts'
import { checkArguments } from '../tools/schema.ts'
import { withoutTags } from './instructions.ts'
import { parseInput, type Toolbox } from './toolbox.ts'

export interface Calls {
  readonly toolbox: Toolbox
  readonly context: Omit<ToolContext, 'say'>
  readonly store: DialogueStore
  /** The id of the next reply of this turn, for the number of messages sent in this step. */
  readonly replyId: (sent: number) => string
  /** Resolves with the reason if the host refuses the reply. */
  readonly send: (reply: Reply) => Promise<string | undefined>
  /** Maximum bytes of one result. */
  readonly maxBytes: number
  readonly images: boolean
}

interface Call {
  readonly id: string
  readonly name: string
  readonly input: unknown
}

const listCalls = (response: readonly ModelMessage[]): Call[] =>
  response
    .flatMap((message): AssistantModelMessage[] => (message.role === 'assistant' ? [message] : []))
    .flatMap(getParts)
    .flatMap((part) => (part.type === 'tool-call' ? [{ id: part.toolCallId, name: part.toolName, input: parseInput(part.input) }] : []))

const unknown = failed(
  'Outcome unknown: I was stopped after this call started and before its result arrived. It was not repeated. Do not repeat it on your own; tell the user if it matters.',
)

const describeFailure = (error: unknown): Outcome => {
  if (error instanceof PathRefused) return failed(error.message)
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return failed(`it failed: ${code === '' ? (error instanceof Error ? error.message : String(error)) : code}`)
}

const runCall = async ({ name, input }: Call, { toolbox, context }: Calls, say: ToolContext['say']): Promise<Outcome> => {
  const known = toolbox.known.get(name)
  if (known === undefined)
    return failed(`There is no tool ${name}, or it is disabled. Available tools: ${[...toolbox.known.keys()].join(', ')}`)
  const issues = checkArguments(known.schema, input)
  if (issues.length > 0)
    return failed(`The arguments of ${name} are invalid. ${issues.join('. ')}. Nothing was done; correct them and call again.`)
  if ('granted' in known) return callGranted(known.tools, known.granted, input)
  try {
    return await known.own.run(fields(input), { ...context, say })
  } catch (error) {
    context.signal.throwIfAborted()
    return describeFailure(error)
  }
}

const isRepeatable = ({ name }: Call, { toolbox }: Calls): boolean => {
  const known = toolbox.known.get(name)
  return known !== undefined && 'own' in known && known.own.repeatable
}

type Output = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>['output']

const toOutput = ({ text, failed: hasFailed, images = [] }: Outcome, calls: Calls): Output => {
  const shown = cutText(withoutTags(text), calls.maxBytes)
  if (hasFailed === true) return { type: 'error-text', value: shown || 'it failed' }
  if (images.length === 0) return { type: 'text', value: shown || '(no output)' }
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

const truncate = (outcome: Outcome, { maxBytes }: Calls): Outcome => ({ ...outcome, text: cutText(outcome.text, maxBytes) })

/** The outcome of a call that was started before a restart; undefined if the call must run. */
const findEarlierOutcome = (call: Call, note: StepNote, calls: Calls): Outcome | undefined => {
  if (Object.hasOwn(note.results, call.id)) return note.results[call.id]
  if (!note.begun.includes(call.id) || isRepeatable(call, calls)) return undefined
  if (call.name === 'send_message') return Object.hasOwn(note.said, call.id) ? { text: 'sent' } : undefined
  return unknown
}

/**
 * Removes a message that the host refused, so that its id can be used again. Otherwise it could be accepted after a restart,
 * although the model was told that it failed.
 */
const removeRefused = (note: StepNote, call: string, refusal: string | undefined): StepNote => {
  if (refusal === undefined) return note
  const said = Object.fromEntries(Object.entries(note.said).filter(([id]) => id !== call))
  const refused = failed(`the host refused the message: ${refusal}`)
  return { ...note, said, results: { ...note.results, [call]: note.results[call] ?? refused } }
}

/** Runs the calls of a step. Resolves with their results and the number of messages they sent. */
export const runCalls = async (begun: StepNote, calls: Calls): Promise<{ results: ToolModelMessage; said: number }> => {
  let note = begun
  for (const [call, reply] of Object.entries(note.said)) note = removeRefused(note, call, await calls.send(reply))
  const content: ToolModelMessage['content'] = []
  for (const call of listCalls(note.response)) {
    let outcome = findEarlierOutcome(call, note, calls)
    if (outcome === undefined) {
      note = { ...note, begun: [...note.begun, call.id] }
      await calls.store.noteStep(note)
      const say: ToolContext['say'] = async (text, files) => {
        const reply = { id: calls.replyId(Object.keys(note.said).length), text, ...(files.length > 0 && { files }) }
        note = { ...note, said: { ...note.said, [call.id]: reply } }
        await calls.store.noteStep(note)
        const refusal = await calls.send(reply)
        note = removeRefused(note, call.id, refusal)
        return refusal
      }
      outcome = truncate(await runCall(call, calls, say), calls)
    }
    note = { ...note, results: { ...note.results, [call.id]: outcome } }
    content.push({ type: 'tool-result', toolCallId: call.id, toolName: call.name, output: toOutput(outcome, calls) })
  }
  return { results: { role: 'tool', content }, said: Object.keys(note.said).length }
}

const noObject = failed('The arguments are not a JSON object. Nothing was done; correct them and call again.')

/** Starts a step. Calls with arguments that are not an object are not run, and go back with empty arguments, which every provider accepts. */
export const beginStep = (response: AssistantModelMessage, origin: Pick<StepNote, 'message' | 'step' | 'model'>): StepNote => {
  const results: Record<string, Outcome> = {}
  const content = getParts(response).flatMap((part): Part[] => {
    if (part.type === 'custom' || (part.type === 'text' && part.text.trim() === '')) return []
    if (part.type !== 'tool-call') return [part]
    const input = parseInput(part.input)
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    if (!isObject) results[part.toolCallId] = noObject
    return [{ ...part, input: fields(input) }]
  })
  return { ...origin, response: [{ ...response, content }], begun: [], results, said: {} }
}
