// Fits a dialogue into the model's context window: shortens old results first, then drops whole turns from the front.
import type { ModelMessage, ToolModelMessage } from 'ai'

type Result = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>

/** An image counts as so many bytes of text. */
const imageBytes = 6_000
/** After a cut there is room for a while, so that the front stays as it was. */
const room = 0.7
const stub = 200
/** Results of so many turns stay whole as long as there are older ones. */
const fresh = 2

const sizeOf = (message: ModelMessage): number => {
  let images = 0
  const json = JSON.stringify(message, (key: string, value: unknown) => {
    if (key !== 'data' || typeof value !== 'string') return value
    images += 1
    return ''
  })
  return Buffer.byteLength(json) + images * imageBytes
}

const total = (messages: readonly ModelMessage[]): number => messages.reduce((sum, message) => sum + sizeOf(message), 0)

export const cutText = (text: string, most: number): string => {
  if (Buffer.byteLength(text) <= most) return text
  const kept = Buffer.from(text)
    .subarray(0, Math.max(0, most))
    .toString('utf8')
    .replace(/\uFFFD+$/, '')
  return `${kept}\n[cut: ${Buffer.byteLength(text)} bytes in all]`
}

const shorten = (result: Result, most: number): Result => {
  const { output } = result
  if (output.type === 'text' || output.type === 'error-text')
    return { ...result, output: { ...output, value: cutText(output.value, most) } }
  if (output.type !== 'content') return result
  const said = output.value.map((part) => ('text' in part ? part.text : '[an image was here]')).join('\n')
  return { ...result, output: { type: 'text', value: cutText(said, most) } }
}

const shortenAll = (message: ModelMessage, most: number): ModelMessage =>
  message.role === 'tool'
    ? { ...message, content: message.content.map((part) => (part.type === 'tool-result' ? shorten(part, most) : part)) }
    : message

const startsOf = (messages: readonly ModelMessage[]): number[] => messages.flatMap(({ role }, at) => (role === 'user' ? [at] : []))

/** Drops turns from the front until the rest fits; the last one stays. */
const dropTurns = (messages: readonly ModelMessage[], most: number): readonly ModelMessage[] => {
  const starts = startsOf(messages)
  const start = starts.find((at) => total(messages.slice(at)) <= most) ?? starts.at(-1) ?? 0
  return messages.slice(start)
}

const cutUser = (message: ModelMessage, most: number): ModelMessage =>
  message.role === 'user' && typeof message.content === 'string' ? { ...message, content: cutText(message.content, most) } : message

/** One turn that is too long by itself: its older results go first, then the newest are cut. */
const squeeze = (messages: readonly ModelMessage[], most: number): readonly ModelMessage[] => {
  const last = messages.findLastIndex(({ role }) => role === 'tool')
  const older = messages.map((message, at) => (at < last ? shortenAll(message, stub) : message))
  if (total(older) <= most) return older
  const count = older[last]?.role === 'tool' ? older[last].content.length : 1
  const each = Math.max(stub, Math.floor(most / 2 / count))
  const cut = older.map((message, at) => (at === last ? shortenAll(message, each) : cutUser(message, Math.floor(most / 4))))
  return total(cut) <= most ? cut : [...cut.slice(0, 1), ...cut.slice(1).filter((_, at) => at >= last - 2)]
}

/** `most` in bytes. What is given is given back where it fits. */
export const fit = (messages: readonly ModelMessage[], most: number): readonly ModelMessage[] => {
  if (total(messages) <= most) return messages
  const border = startsOf(messages).at(-fresh) ?? 0
  const shorter = messages.map((message, at) => (at < border ? shortenAll(message, stub) : message))
  const dropped = total(shorter) <= most * room ? shorter : dropTurns(shorter, most * room)
  return total(dropped) <= most ? dropped : squeeze(dropped, most)
}
