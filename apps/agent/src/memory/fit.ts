// Fits a dialogue into the model's context window: shortens old results first, then drops whole turns from the front.
import type { ModelMessage, ToolModelMessage } from 'ai'

type Result = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>

/** Bytes of text that an image counts as. */
const imageBytes = 6_000
/** Share of the maximum to keep after dropping turns, so that the beginning stays the same for a while. */
const targetShare = 0.7
const stub = 200
/** Number of last turns whose results are shortened only after those of older turns. */
const recentTurns = 2

const byteSize = (message: ModelMessage): number => {
  let images = 0
  const json = JSON.stringify(message, (key: string, value: unknown) => {
    if (key !== 'data' || typeof value !== 'string') return value
    images += 1
    return ''
  })
  return Buffer.byteLength(json) + images * imageBytes
}

const total = (messages: readonly ModelMessage[]): number => messages.reduce((sum, message) => sum + byteSize(message), 0)

export const cutText = (text: string, maxBytes: number): string => {
  if (Buffer.byteLength(text) <= maxBytes) return text
  const kept = Buffer.from(text)
    .subarray(0, Math.max(0, maxBytes))
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return `${kept}\n[truncated: ${Buffer.byteLength(text)} bytes in total]`
}

const shorten = (result: Result, maxBytes: number): Result => {
  const { output } = result
  if (output.type === 'text' || output.type === 'error-text')
    return { ...result, output: { ...output, value: cutText(output.value, maxBytes) } }
  if (output.type !== 'content') return result
  const text = output.value.map((part) => ('text' in part ? part.text : '[image removed]')).join('\n')
  return { ...result, output: { type: 'text', value: cutText(text, maxBytes) } }
}

const shortenAll = (message: ModelMessage, maxBytes: number): ModelMessage =>
  message.role === 'tool'
    ? { ...message, content: message.content.map((part) => (part.type === 'tool-result' ? shorten(part, maxBytes) : part)) }
    : message

const findTurnStarts = (messages: readonly ModelMessage[]): number[] => messages.flatMap(({ role }, at) => (role === 'user' ? [at] : []))

/** Drops the oldest turns until the rest fits. The last turn is kept. */
const dropTurns = (messages: readonly ModelMessage[], maxBytes: number): readonly ModelMessage[] => {
  const starts = findTurnStarts(messages)
  const start = starts.find((at) => total(messages.slice(at)) <= maxBytes) ?? starts.at(-1) ?? 0
  return messages.slice(start)
}

const cutUser = (message: ModelMessage, maxBytes: number): ModelMessage =>
  message.role === 'user' && typeof message.content === 'string' ? { ...message, content: cutText(message.content, maxBytes) } : message

/** Shortens a single turn that is too long: first its older results, then the newest ones. */
const squeeze = (messages: readonly ModelMessage[], maxBytes: number): readonly ModelMessage[] => {
  const last = messages.findLastIndex(({ role }) => role === 'tool')
  const older = messages.map((message, at) => (at < last ? shortenAll(message, stub) : message))
  if (total(older) <= maxBytes) return older
  const count = older[last]?.role === 'tool' ? older[last].content.length : 1
  const each = Math.max(stub, Math.floor(maxBytes / 2 / count))
  const cut = older.map((message, at) => (at === last ? shortenAll(message, each) : cutUser(message, Math.floor(maxBytes / 4))))
  return total(cut) <= maxBytes ? cut : [...cut.slice(0, 1), ...cut.slice(1).filter((_, at) => at >= last - 2)]
}

/** Drops the oldest turns until the dialogue fits into `maxBytes`. Returns the same array if it fits. */
export const fit = (messages: readonly ModelMessage[], maxBytes: number): readonly ModelMessage[] => {
  if (total(messages) <= maxBytes) return messages
  const border = findTurnStarts(messages).at(-recentTurns) ?? 0
  const shorter = messages.map((message, at) => (at < border ? shortenAll(message, stub) : message))
  const dropped = total(shorter) <= maxBytes * targetShare ? shorter : dropTurns(shorter, maxBytes * targetShare)
  return total(dropped) <= maxBytes ? dropped : squeeze(dropped, maxBytes)
}
