// Answers one message: asks the model, runs its calls, and asks again until it is done.
import { limits } from '@gatehouse/contracts'
import type { ModelMessage } from 'ai'
import type { Message, SessionClient, SessionInfo } from '../host/session.ts'
import type { ToolsClient } from '../host/tools.ts'
import { type Reply, sendReply } from '../inbox.ts'
import type { Dialogue, DialogueStore, StepNote, Turn } from '../memory/dialogue.ts'
import { cutText, fit } from '../memory/fit.ts'
import { close, partsOf, repair } from '../memory/repair.ts'
import type { OwnTool, Places } from '../tools/own.ts'
import { type Answered, askModel, hasCalls, spokenPart } from './ask.ts'
import { beginStep, type Calls, makeCalls } from './calls.ts'
import { instruct, toUserText } from './instructions.ts'
import type { Spoken } from './open.ts'
import { fillToolbox, type Toolbox } from './toolbox.ts'

/** Answers of the model to one message; at the last it may call nothing. */
const mostSteps = 32
/** Bytes that are shown of an answer that broke off. */
const mostBroken = 64 * 1024
/** A token is about so many bytes. */
const bytesPerToken = 3

export interface Agent {
  readonly session: SessionClient
  readonly tools: ToolsClient | null
  readonly info: SessionInfo
  readonly places: Places
  readonly own: readonly OwnTool[]
  readonly spoken: Spoken
  readonly store: DialogueStore
  readonly signal: AbortSignal
}

interface Work {
  readonly agent: Agent
  readonly message: Message
  readonly toolbox: Toolbox
  readonly instructions: string
  /** Bytes of dialogue that the model is believed to take. */
  most: number
  dialogue: Dialogue
  turn: Turn
}

const replyId = ({ message }: Work, number: number): string => `r-${message.id}-${number}`

const save = async (work: Work, messages: readonly ModelMessage[], change: Partial<Turn>): Promise<void> => {
  work.turn = { ...work.turn, ...change }
  work.dialogue = { ...work.dialogue, messages, turn: work.turn }
  await work.agent.store.save(work.dialogue)
}

const deliver = async ({ agent, message, turn }: Pick<Work, 'agent' | 'message' | 'turn'>): Promise<void> => {
  for (const reply of turn.pending) await sendReply(agent.session, reply, message.id)
}

/** The last words of a turn: kept, then said. */
const conclude = async (work: Work, text: string, answer: readonly ModelMessage[]): Promise<void> => {
  const said = work.turn.said + 1
  const kept = answer.length > 0 ? [...work.dialogue.messages, ...answer] : close(work.dialogue.messages, text)
  await save(work, kept, { said, pending: [{ id: replyId(work, said), text }], done: true })
  await deliver(work)
}

const budgetOf = ({ spoken }: Agent, toolbox: Toolbox, instructions: string): number => {
  const tools = Buffer.byteLength(JSON.stringify([...toolbox.known].map(([name, { schema }]) => [name, schema])))
  const all = (spoken.window - spoken.maxOutput) * bytesPerToken - tools - Buffer.byteLength(instructions)
  return Math.min(Math.max(all, 8 * 1024), 6 * 1024 * 1024)
}

/** Asks with less of the dialogue where the model says that it is too much: that was refused, so it was not paid. */
const ask = async (work: Work): Promise<Answered> => {
  const { agent, instructions, toolbox, turn } = work
  for (let tries = 0; ; tries += 1) {
    const messages = fit(work.dialogue.messages, work.most)
    work.dialogue = { ...work.dialogue, messages }
    const { spoken, signal } = agent
    const answered = await askModel({ spoken, instructions, messages, tools: toolbox.set, last: turn.step >= mostSteps - 1, signal })
    if (answered.ok || !answered.problem.tooLong || tries >= 4) return answered
    work.most = Math.floor(Math.min(work.most, Buffer.byteLength(JSON.stringify(messages))) / 2)
  }
}

const breakOff = (work: Work, { problem, text }: Answered & { ok: false }): Promise<void> => {
  const done = work.turn.step > 0 ? ' What I had done until then is done.' : ''
  const said = `I could not ${text === '' ? 'answer' : 'finish my answer'}: ${problem.text}.${done} Write to me again to go on.`
  return conclude(work, text === '' ? said : `${cutText(text, mostBroken)}\n\n[${said}]`, [])
}

const silent: Readonly<Record<string, string>> = {
  length: 'My answer was cut before I had said anything: it was too long for the limit of one answer.',
  'content-filter': 'The provider of the model did not let it answer this.',
}

const finish = (work: Work, { response, text, finish: how }: Answered & { ok: true }): Promise<void> => {
  if (text.trim() === '') return conclude(work, silent[how] ?? 'The model had nothing to say.', [])
  const cut = how === 'length' ? '\n\n[The answer was cut: it was too long for the limit of one answer.]' : ''
  return conclude(work, `${text}${cut}`, spokenPart(response))
}

const callsWith = (work: Work): Calls => {
  const { agent, message, toolbox } = work
  return {
    toolbox,
    context: agent,
    store: agent.store,
    replyId: (said) => replyId(work, work.turn.said + said + 1),
    send: (reply: Reply) => sendReply(agent.session, reply, message.id),
    most: Math.min(limits.resultText, Math.floor(work.most / 4)),
    images: agent.spoken.images,
  }
}

const textOf = (response: readonly ModelMessage[]): string =>
  response
    .flatMap((message) => (message.role === 'assistant' ? partsOf(message) : []))
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('')
    .trim()

/** What the model said before it called something is progress, which the human sees at once. */
const progressOf = (work: Work, { response }: StepNote): Reply[] => {
  const text = textOf(response)
  return text === '' ? [] : [{ id: replyId(work, work.turn.said + 1), text }]
}

const endStep = async (work: Work, note: StepNote): Promise<void> => {
  const { agent, message, dialogue } = work
  const progress = progressOf(work, note)
  await agent.store.noteStep(note)
  for (const reply of progress) await sendReply(agent.session, reply, message.id)
  work.turn = { ...work.turn, said: work.turn.said + progress.length }
  const { results, said } = await makeCalls(note, callsWith(work))
  const messages = [...dialogue.messages, ...note.response, results]
  const change = { step: work.turn.step + 1, said: work.turn.said + said, pending: [] }
  await save(work, note.model === dialogue.model ? messages : repair(messages, false), change)
}

const goOn = async (work: Work): Promise<void> => {
  for (;;) {
    const answered = await ask(work)
    const atEnd = work.turn.step >= mostSteps - 1
    if (!answered.ok && !atEnd) return breakOff(work, answered)
    if (answered.ok && !hasCalls(answered.response)) return finish(work, answered)
    if (!answered.ok || atEnd)
      return conclude(work, `${answered.text}\n\n[I stopped after ${mostSteps} steps. Write to me to go on.]`.trim(), [])
    const { message, step } = work.turn
    await endStep(work, beginStep(answered.response, { message, step, model: work.dialogue.model }))
  }
}

const begin = async (agent: Agent, message: Message): Promise<Work> => {
  const { info, store, spoken, tools, own, places } = agent
  const dialogue = await store.load(`${info.model?.provider ?? ''}/${info.model?.id ?? ''}`)
  const toolbox = await fillToolbox({ own, tools, description: spoken.description })
  const instructions = await instruct({ info, memory: places.memory, remark: toolbox.remark })
  const known = dialogue.turn?.message === message.id ? dialogue.turn : null
  const messages =
    known === null ? [...close(dialogue.messages), { role: 'user' as const, content: toUserText(message) }] : dialogue.messages
  return {
    agent,
    message,
    toolbox,
    instructions,
    most: budgetOf(agent, toolbox, instructions),
    dialogue: { ...dialogue, messages },
    turn: known ?? { message: message.id, step: 0, said: 0, pending: [], done: false },
  }
}

/** The same message again goes on where it was left. */
export const takeTurn = async (agent: Agent, message: Message): Promise<void> => {
  const work = await begin(agent, message)
  await deliver(work)
  if (work.turn.done) return
  const note = await agent.store.readStep()
  if (note !== null && note.message === message.id && note.step === work.turn.step) await endStep(work, note)
  await goOn(work)
}
