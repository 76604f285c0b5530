// A conversation with an agent at the terminal, line by line, until end of input. Earlier lines come back with the arrow keys.
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@gatehouse/client'
import { ChatMessage, ChatSendAnswer, limits, ServiceError } from '@gatehouse/contracts'
import * as v from 'valibot'
import type { Environment } from '../command.ts'
import { Interrupted } from '../output/failure.ts'

export interface Talk {
  readonly prompt: string
  /** Lines of earlier conversations, the newest first. */
  readonly history: readonly string[]
  /** Gets each line that is not empty; the next one is asked for when it is done. Ctrl-C aborts the signal. */
  readonly say: (line: string, signal: AbortSignal) => Promise<void>
}

export const talk = async ({ prompt, history, say }: Talk): Promise<void> => {
  const terminal = createInterface({
    input: process.stdin,
    output: process.stderr,
    prompt,
    history: [...history],
    removeHistoryDuplicates: true,
  })
  const ended = new AbortController()
  terminal.once('close', () => ended.abort(new Interrupted()))
  terminal.once('SIGINT', () => {
    ended.abort(new Interrupted())
    process.exitCode = 130
    process.stderr.write('\n')
    terminal.close()
  })
  const ask = (): void => {
    if (!ended.signal.aborted) terminal.prompt()
  }
  try {
    ask()
    for await (const line of terminal) {
      if (line.trim() !== '') await say(line, ended.signal)
      ask()
    }
  } finally {
    terminal.close()
  }
}

/** One message to an agent and what comes back. */
export interface OutgoingChat {
  readonly group: string
  readonly text: string
  readonly conversation: string | undefined
  /** Milliseconds to wait for the reply. */
  readonly patience: number
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined
}

export const ExchangedSchema = v.strictObject({ ...ChatSendAnswer.entries, replies: v.array(ChatMessage) })
export type Exchanged = v.InferOutput<typeof ExchangedSchema>

const first = 50
const maxExchanged = 500

const pageAfter = async (client: Client, group: string, after: number): Promise<ChatMessage[]> =>
  (await client.chat.messages(group, { after, limit: limits.chatPage })).messages

/** Number of the last message that the group has now. */
const lastSeq = async (client: Client, group: string): Promise<number> => {
  const { messages } = await client.chat.messages(group, { limit: 1 })
  return messages.at(-1)?.seq ?? 0
}

const answers = (message: ChatMessage, sent: ChatSendAnswer): boolean =>
  message.from === 'agent' && (message.inReplyTo === undefined || message.inReplyTo === sent.messageId)

/** Gives `heard` each message as it comes, and resolves with the agent's answer. Rejects with `deadline` if none comes. */
export const exchange = async (client: Client, said: OutgoingChat, heard: (message: ChatMessage) => void): Promise<Exchanged> => {
  const { group, text, conversation } = said
  let last = await lastSeq(client, group)
  const sent = await client.chat.send({ agentGroupID: group, text, ...(conversation !== undefined && { conversationId: conversation }) })
  const until = performance.now() + said.patience
  const replies: ChatMessage[] = []
  for (let wait = first; ; wait = Math.min(maxExchanged, wait * 1.5)) {
    const page = await pageAfter(client, group, last)
    last = page.at(-1)?.seq ?? last
    const others = page.filter((message) => message.from !== 'user' && message.conversationId === sent.conversationId)
    others.forEach(heard)
    replies.push(...others)
    if (others.some((message) => answers(message, sent))) return { ...sent, replies }
    if (performance.now() >= until) throw late(said)
    await pause(Math.min(wait, Math.max(0, until - performance.now())), undefined, { signal: said.signal })
  }
}

const late = ({ group, patience }: OutgoingChat): ServiceError =>
  new ServiceError('deadline', {
    detail: `expected a reply of ${group} within ${Math.round(patience / 1000)} s, got none; the message was delivered`,
    hint: 'svcctl status, or wait longer with --timeout',
  })

/** What was typed to a group before, kept in the user's own cache with mode 0600, so that the arrow keys bring it back. */
const maxHistory = 200

const fileOf = (environment: Environment, group: string): string =>
  join(
    environment['XDG_STATE_HOME'] || join(homedir(), '.local/state'),
    'svcctl',
    'history',
    `${group.replaceAll(/[^a-z0-9_-]/g, '_')}.json`,
  )

/** The newest first; empty where nothing was kept or it cannot be read. */
export const readHistory = async (environment: Environment, group: string): Promise<string[]> => {
  try {
    const kept: unknown = JSON.parse(await readFile(fileOf(environment, group), 'utf8'))
    return Array.isArray(kept) ? kept.filter((line) => typeof line === 'string').slice(0, maxHistory) : []
  } catch {
    return []
  }
}

/** A home that cannot be written is no reason to end a conversation. */
export const keepHistory = async (environment: Environment, group: string, lines: readonly string[]): Promise<void> => {
  const file = fileOf(environment, group)
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, JSON.stringify([...new Set(lines)].slice(0, maxHistory)), { mode: 0o600 })
  } catch {
    // nothing is kept
  }
}
