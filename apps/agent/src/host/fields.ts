// Reads fields of host responses without trusting their shape.

export type Fields = Readonly<Record<string, unknown>>

export const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

export const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

/** The error code of a problem document; empty if it has none. */
export const problemCode = (body: unknown): string => text(fields(body)['code']) ?? ''

/** Describes a refusal as `detail (code)`, from a problem document or a tool's error. */
export const explain = (body: unknown, status: number): string => {
  const { detail, title, message, code } = fields(body)
  return `${text(detail) ?? text(message) ?? text(title) ?? 'the host gave no reason'} (${text(code) ?? status})`
}
