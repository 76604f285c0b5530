// What a message asks the mock agent to do.

export type Command =
  | { readonly type: 'echo'; readonly text: string }
  | { readonly type: 'tools' }
  | { readonly type: 'builtins' }
  | { readonly type: 'tool'; readonly name: string; readonly arguments: unknown }
  | { readonly type: 'request'; readonly kind: string; readonly after: unknown }
  | { readonly type: 'unreadable'; readonly why: string }

const pattern = /^(tool|request):(\S+)\s*([\s\S]*)$/

const parseObject = (json: string): { value: object } | { why: string } => {
  try {
    const value: unknown = json === '' ? {} : JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value }
    return { why: `expected a JSON object, got ${json}` }
  } catch (error) {
    return { why: `expected a JSON object: ${error instanceof Error ? error.message : String(error)}` }
  }
}

export const readCommand = (message: string): Command => {
  const line = message.trim()
  if (line === 'tools') return { type: 'tools' }
  if (line === 'tools builtin') return { type: 'builtins' }
  const match = pattern.exec(line)
  if (match === null) {
    return line === 'tool:' || line === 'request:'
      ? { type: 'unreadable', why: `expected ${line}<name> {json}` }
      : { type: 'echo', text: message }
  }
  const [, verb, name = '', json = ''] = match
  const parsed = parseObject(json)
  if ('why' in parsed) return { type: 'unreadable', why: `after ${verb}:${name} I ${parsed.why}` }
  return verb === 'tool' ? { type: 'tool', name, arguments: parsed.value } : { type: 'request', kind: name, after: parsed.value }
}
