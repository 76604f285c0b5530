// Makes a dialogue valid for every provider: each call is followed by its result, and no result stands without its call.
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai'

export type Part = Exclude<AssistantModelMessage['content'], string>[number]

export const partsOf = ({ content }: AssistantModelMessage): readonly Part[] =>
  typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content

export const callIds = (message: AssistantModelMessage): string[] =>
  partsOf(message).flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))

const answersOf = (message: ModelMessage | undefined): string[] =>
  message?.role === 'tool' ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : []

const isBlank = (part: Part): boolean => part.type === 'text' && part.text.trim() === ''

/** What the provider's client puts there for itself, and texts that providers refuse. */
const isKept = (part: Part): boolean => part.type !== 'custom' && !isBlank(part)

/** A thought alone is no answer, and some providers refuse one. */
const assistant = (content: readonly Part[]): ModelMessage[] =>
  content.some(({ type }) => type === 'text' || type === 'tool-call') ? [{ role: 'assistant', content: [...content] }] : []

/** What another model can read of it: no thoughts, no signatures, ids that every provider takes. */
const plain = (messages: readonly ModelMessage[]): ModelMessage[] => {
  const ids = new Map<string, string>()
  const idOf = (id: string): string => {
    const known = ids.get(id) ?? `call${String(ids.size).padStart(5, '0')}`
    ids.set(id, known)
    return known
  }
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'assistant')
      return assistant(
        partsOf(message).flatMap((part): Part[] => {
          if (part.type === 'text') return [{ type: 'text', text: part.text }]
          if (part.type !== 'tool-call') return []
          return [{ type: 'tool-call', toolCallId: idOf(part.toolCallId), toolName: part.toolName, input: part.input }]
        }),
      )
    if (message.role !== 'tool') return [message]
    const content: ToolModelMessage['content'] = message.content.flatMap((part) =>
      part.type === 'tool-result'
        ? [{ type: part.type, toolCallId: idOf(part.toolCallId), toolName: part.toolName, output: part.output }]
        : [],
    )
    return [{ role: 'tool', content }]
  })
}

const interrupted = '(I was stopped before I had answered.)'

/** A user speaks after an answer alone: some providers refuse anything else, others would take two messages for one. */
export const close = (messages: readonly ModelMessage[], text = interrupted): readonly ModelMessage[] => {
  const last = messages.at(-1)
  return last === undefined || last.role === 'assistant'
    ? messages
    : [...messages, { role: 'assistant', content: [{ type: 'text', text }] }]
}

const whole = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.flatMap((message, at): ModelMessage[] => {
    if (message.role === 'user') return [message]
    if (message.role === 'assistant') {
      const answered = answersOf(messages[at + 1])
      return assistant(partsOf(message).filter((part) => isKept(part) && (part.type !== 'tool-call' || answered.includes(part.toolCallId))))
    }
    const before = messages[at - 1]
    const called = message.role === 'tool' && before?.role === 'assistant' ? callIds(before) : []
    const content =
      message.role === 'tool' ? message.content.filter((part) => part.type === 'tool-result' && called.includes(part.toolCallId)) : []
    return content.length === 0 ? [] : [{ role: 'tool', content }]
  })

/** `mine`: the model that is asked is the one that said all this. */
export const repair = (messages: readonly ModelMessage[], mine = true): ModelMessage[] => {
  const sound = whole(mine ? messages : plain(messages))
  const start = sound.findIndex(({ role }) => role === 'user')
  return start < 0 ? [] : sound.slice(start)
}
