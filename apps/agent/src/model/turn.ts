// Answers one message: requests answers of the model and runs its calls until it is done.
import { limits } from '@gatehouse/contracts'
import type { ModelMessage } from 'ai'
import type { Message, SessionClient, SessionInfo } from '../host/session.ts'
import type { ToolsClient } from '../host/tools.ts'
import { type Reply, sendReply } from '../inbox.ts'
import type { Dialogue, DialogueStore, StepNote, Turn } from '../memory/dialogue.ts'
import { cutText, fit } from '../memory/fit.ts'
import { close, getParts, repair } from '../memory/repair.ts'
import type { OwnTool, Places } from '../tools/own.ts'
import { askModel, hasCalls, type ModelAnswer, toDialogue } from './ask.ts'
import { beginStep, type Calls, runCalls } from './calls.ts'
import { instruct, toUserText } from './instructions.ts'
import type { OpenModel } from './open.ts'
import { fillToolbox, type Toolbox } from './toolbox.ts'

/** Maximum model answers to one message. The last one may not call tools. */
const maxSteps = 32
/** Maximum bytes shown of an incomplete answer. */
const maxIncompleteBytes = 64 * 1024
/** Approximate bytes of a token. */
const bytesPerToken = 3

export interface Agent {
  readonly session: SessionClient
  readonly tools: ToolsClient | null
  readonly info: SessionInfo
  readonly places: Places
  readonly own: readonly OwnTool[]
  readonly openModel: OpenModel
  readonly store: DialogueStore
  readonly signal: AbortSignal
}

interface TurnState {
  readonly agent: Agent
  readonly message: Message
  readonly toolbox: Toolbox
  readonly instructions: string
  /** Estimated maximum bytes of the dialogue. */
  maxBytes: number
  dialogue: Dialogue
  turn: Turn
}

const replyId = ({ message }: TurnState, number: number): string => `r-${message.id}-${number}`

const save = async (state: TurnState, messages: readonly ModelMessage[], change: Partial<Turn>): Promise<void> => {
  state.turn = { ...state.turn, ...change }
  state.dialogue = { ...state.dialogue, messages, turn: state.turn }
  await state.agent.store.save(state.dialogue)
}

const deliver = async ({ agent, message, turn }: Pick<TurnState, 'agent' | 'message' | 'turn'>): Promise<void> => {
  for (const reply of turn.pending) await sendReply(agent.session, reply, message.id)
}

/** Ends a turn: stores the final reply, then sends it. */
const conclude = async (state: TurnState, text: string, answer: readonly ModelMessage[]): Promise<void> => {
  const number = state.turn.said + 1
  const messages = answer.length > 0 ? [...state.dialogue.messages, ...answer] : close(state.dialogue.messages, text)
  await save(state, messages, { said: number, pending: [{ id: replyId(state, number), text }], done: true })
  await deliver(state)
}

const computeBudget = ({ openModel }: Agent, toolbox: Toolbox, instructions: string): number => {
  const tools = Buffer.byteLength(JSON.stringify([...toolbox.known].map(([name, { schema }]) => [name, schema])))
  const all = (openModel.window - openModel.maxOutput) * bytesPerToken - tools - Buffer.byteLength(instructions)
  return Math.min(Math.max(all, 8 * 1024), 6 * 1024 * 1024)
}

/** Requests an answer. Retries with a shorter dialogue if the model refuses it as too long, which is not charged. */
const requestAnswer = async (state: TurnState): Promise<ModelAnswer> => {
  const { agent, instructions, toolbox, turn } = state
  for (let tries = 0; ; tries += 1) {
    const messages = fit(state.dialogue.messages, state.maxBytes)
    state.dialogue = { ...state.dialogue, messages }
    const { openModel, signal } = agent
    const answer = await askModel({ model: openModel, instructions, messages, tools: toolbox.set, last: turn.step >= maxSteps - 1, signal })
    if (answer.ok || !answer.problem.tooLong || tries >= 4) return answer
    state.maxBytes = Math.floor(Math.min(state.maxBytes, Buffer.byteLength(JSON.stringify(messages))) / 2)
  }
}

const reportProblem = (state: TurnState, { problem, text }: ModelAnswer & { ok: false }): Promise<void> => {
  const done = state.turn.step > 0 ? ' The actions that I completed before stay in effect.' : ''
  const message = `I could not ${text === '' ? 'answer' : 'finish my answer'}: ${problem.text}.${done} Write to me again to continue.`
  return conclude(state, text === '' ? message : `${cutText(text, maxIncompleteBytes)}\n\n[${message}]`, [])
}

const emptyAnswers: Readonly<Record<string, string>> = {
  length: 'My answer was cut off before it contained any text: it exceeded the limit of one answer.',
  'content-filter': 'The model provider blocked the answer.',
}

const finish = (state: TurnState, { response, text, finish: how }: ModelAnswer & { ok: true }): Promise<void> => {
  if (text.trim() === '') return conclude(state, emptyAnswers[how] ?? 'The model gave an empty answer.', [])
  const cut = how === 'length' ? '\n\n[The answer was cut off: it exceeded the limit of one answer.]' : ''
  return conclude(state, `${text}${cut}`, toDialogue(response))
}

const buildCalls = (state: TurnState): Calls => {
  const { agent, message, toolbox } = state
  return {
    toolbox,
    context: agent,
    store: agent.store,
    replyId: (sent) => replyId(state, state.turn.said + sent + 1),
    send: (reply: Reply) => sendReply(agent.session, reply, message.id),
    maxBytes: Math.min(limits.resultText, Math.floor(state.maxBytes / 4)),
    images: agent.openModel.images,
  }
}

const joinText = (response: readonly ModelMessage[]): string =>
  response
    .flatMap((message) => (message.role === 'assistant' ? getParts(message) : []))
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
    .trim()

/** Text before a tool call is progress, which the user sees at once. */
const listProgress = (state: TurnState, { response }: StepNote): Reply[] => {
  const text = joinText(response)
  return text === '' ? [] : [{ id: replyId(state, state.turn.said + 1), text }]
}

const endStep = async (state: TurnState, note: StepNote): Promise<void> => {
  const { agent, message, dialogue } = state
  const progress = listProgress(state, note)
  await agent.store.noteStep(note)
  for (const reply of progress) await sendReply(agent.session, reply, message.id)
  state.turn = { ...state.turn, said: state.turn.said + progress.length }
  const { results, said } = await runCalls(note, buildCalls(state))
  const messages = [...dialogue.messages, ...note.response, results]
  const change = { step: state.turn.step + 1, said: state.turn.said + said, pending: [] }
  await save(state, note.model === dialogue.model ? messages : repair(messages, false), change)
}

const runSteps = async (state: TurnState): Promise<void> => {
  for (;;) {
    const answer = await requestAnswer(state)
    const atEnd = state.turn.step >= maxSteps - 1
    if (!answer.ok && !atEnd) return reportProblem(state, answer)
    if (answer.ok && !hasCalls(answer.response)) return finish(state, answer)
    if (!answer.ok || atEnd)
      return conclude(state, `${answer.text}\n\n[I stopped after ${maxSteps} steps. Write to me to continue.]`.trim(), [])
    const { message, step } = state.turn
    await endStep(state, beginStep(answer.response, { message, step, model: state.dialogue.model }))
  }
}

const begin = async (agent: Agent, message: Message): Promise<TurnState> => {
  const { info, store, openModel, tools, own, places } = agent
  const dialogue = await store.load(`${info.model?.provider ?? ''}/${info.model?.id ?? ''}`)
  const toolbox = await fillToolbox({ own, tools, description: openModel.description })
  const instructions = await instruct({ info, memory: places.memory, remark: toolbox.remark })
  const known = dialogue.turn?.message === message.id ? dialogue.turn : null
  const messages =
    known === null ? [...close(dialogue.messages), { role: 'user' as const, content: toUserText(message) }] : dialogue.messages
  return {
    agent,
    message,
    toolbox,
    instructions,
    maxBytes: computeBudget(agent, toolbox, instructions),
    dialogue: { ...dialogue, messages },
    turn: known ?? { message: message.id, step: 0, said: 0, pending: [], done: false },
  }
}

/** Answers a message. A redelivered message continues where it stopped. */
export const takeTurn = async (agent: Agent, message: Message): Promise<void> => {
  const state = await begin(agent, message)
  await deliver(state)
  if (state.turn.done) return
  const note = await agent.store.readStep()
  if (note !== null && note.message === message.id && note.step === state.turn.step) await endStep(state, note)
  await runSteps(state)
}
