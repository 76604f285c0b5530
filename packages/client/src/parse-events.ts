// Server-sent events out of bytes, as the HTML standard says: fields by line, an event at each empty line.

export interface ServerEvent {
  /** Undefined where none was ever given. */
  readonly id: string | undefined
  readonly event: string
  /** Undefined for an event that only moves the id. */
  readonly data: string | undefined
}

interface Draft {
  event?: string
  data?: string[]
}

/** Feeds on pieces of text, gives the events that they complete. */
export const createEventParser = (): ((text: string) => ServerEvent[]) => {
  let rest = ''
  let id: string | undefined
  let moved = false
  let draft: Draft = {}

  const take = (line: string): ServerEvent | undefined => {
    if (line === '') {
      const { event = 'message', data } = draft
      const complete = data !== undefined || moved
      draft = {}
      moved = false
      return complete ? { id, event, data: data?.join('\n') } : undefined
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') draft.event = value
    if (name === 'data') (draft.data ??= []).push(value)
    if (name === 'id' && !value.includes('\0')) {
      id = value
      moved = true
    }
    return undefined
  }
  return (text) => {
    rest += text
    // A carriage return at the end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    return lines.map(take).filter((event) => event !== undefined)
  }
}
