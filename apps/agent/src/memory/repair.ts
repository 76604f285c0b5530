// Makes a dialogue valid for every provider: each call has a result, and each result has a call.
import type { AssistantModelMessage, ModelMessage, ToolModelMessage } from 'ai'

export type Part = Exclude<AssistantModelMessage['content'], string>[number]

export const getParts = ({ content }: AssistantModelMessage): readonly Part[] =>
  typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : content

export const callIds = (message: AssistantModelMessage): string[] =>
  getParts(message).flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []))

const resultIds = (message: ModelMessage | undefined): string[] =>
  message?.role === 'tool' ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.toolCallId] : [])) : []

const isBlank = (part: Part): boolean => part.type === 'text' && part.text.trim() === ''

/** Filters internal parts of provider clients, and empty texts, which providers refuse. */
const isValidPart = (part: Part): boolean => part.type !== 'custom' && !isBlank(part)

/** Drops an answer that is only reasoning, which some providers refuse. */
const assistant = (content: readonly Part[]): ModelMessage[] =>
  content.some(({ type }) => type === 'text' || type === 'tool-call') ? [{ role: 'assistant', content: [...content] }] : []

/** Removes parts that another model cannot read: reasoning, signatures and provider-specific ids. */
const toPortable = (messages: readonly ModelMessage[]): ModelMessage[] => {
  const ids = new Map<string, string>()
  const toPortableID = (id: string): string => {
    const known = ids.get(id) ?? `call${String(ids.size).padStart(5, '0')}`
    ids.set(id, known)
    return known
  }
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'assistant')
      return assistant(
        getParts(message).flatMap((part): Part[] => {
          if (part.type === 'text') return [{ type: 'text', text: part.text }]
          if (part.type !== 'tool-call') return []
          return [{ type: 'tool-call', toolCallId: toPortableID(part.toolCallId), toolName: part.toolName, input: part.input }]
        }),
      )
    if (message.role !== 'tool') return [message]
    const content: ToolModelMessage['content'] = message.content.flatMap((part) =>
      part.type === 'tool-result'
        ? [{ type: part.type, toolCallId: toPortableID(part.toolCallId), toolName: part.toolName, output: part.output }]
        : [],
    )
    return [{ role: 'tool', content }]
  })
}

const interrupted = '(I was stopped before I could answer.)'

/** Ends with an assistant message: some providers refuse consecutive user messages, others merge them. */
export const close = (messages: readonly ModelMessage[], text = interrupted): readonly ModelMessage[] => {
  const last = messages.at(-1)
  return last === undefined || last.role === 'assistant'
    ? messages
    : [...messages, { role: 'assistant', content: [{ type: 'text', text }] }]
}

const dropUnpaired = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.flatMap((message, at): ModelMessage[] => {
    if (message.role === 'user') return [message]
    if (message.role === 'assistant') {
      const answered = resultIds(messages[at + 1])
      return assistant(
        getParts(message).filter((part) => isValidPart(part) && (part.type !== 'tool-call' || answered.includes(part.toolCallId))),
      )
    }
    const before = messages[at - 1]
    const called = message.role === 'tool' && before?.role === 'assistant' ? callIds(before) : []
    const content =
      message.role === 'tool' ? message.content.filter((part) => part.type === 'tool-result' && called.includes(part.toolCallId)) : []
    return content.length === 0 ? [] : [{ role: 'tool', content }]
  })

/** @param mine whether the dialogue is of the current model */
export const repair = (messages: readonly ModelMessage[], mine = true): ModelMessage[] => {
  const valid = dropUnpaired(mine ? messages : toPortable(messages))
  const start = valid.findIndex(({ role }) => role === 'user')
  return start < 0 ? [] : valid.slice(start)
}
