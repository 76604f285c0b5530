// Plain HTTP against a unit, for tests that look at statuses, headers and bodies as they are.

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is none. */
  readonly json: Readonly<Record<string, unknown>> | undefined
}

const parse = (text: string): Answer['json'] => {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

export const request = async (url: string, init: RequestInit = {}): Promise<Answer> => {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parse(text) }
}

export const post = (url: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  request(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) })
