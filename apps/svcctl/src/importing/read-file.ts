// Reads a configuration file of an MCP client: JSON, with the comments and trailing commas that editors allow. No message repeats
// what is in the file.
import { open } from 'node:fs/promises'
import { jsonBounds, ServiceError } from '@gatehouse/contracts'
import { checkJson, JsonRefused } from '@gatehouse/kernel'

const bounds = jsonBounds.clientConfiguration

/** Strings, comments, or a comma before a closing bracket with nothing but space and comments between them. */
const tokens = /"(?:[^"\\\n]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|,(?=(?:\s|\/\/[^\n]*|\/\*[^]*?\*\/)*[\]}])/g

/** Line ends stay where they are, so that a position is one in the file. */
export const stripComments = (text: string): string =>
  text.replaceAll(tokens, (token) => (token.startsWith('"') ? token : token.replaceAll(/[^\n]/g, ' ')))

const readBounded = async (path: string): Promise<string | undefined> => {
  const file = await open(path, 'r').catch((cause: unknown) => {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ENOTDIR')) return undefined
    throw new ServiceError('invalid', { detail: `expected a file that can be read at ${path}`, hint: 'check the path and its mode', cause })
  })
  if (file === undefined) return undefined
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new ServiceError('invalid', { detail: `expected a file at ${path}, got something else` })
    if (stat.size > bounds.bytes)
      throw new ServiceError('too-large', {
        detail: `expected at most ${bounds.bytes} bytes in ${path}, got ${stat.size}`,
        hint: 'copy its mcpServers into a file of their own, and import that',
      })
    return (await file.readFile('utf8')).replace(/^\uFEFF/, '')
  } finally {
    await file.close()
  }
}

/** Line and column, without the text around them, which the parser's own message repeats. */
const positionIn = (error: unknown): string => {
  const [, line, column] = /\(line (\d+) column (\d+)\)/.exec(error instanceof Error ? error.message : '') ?? []
  return line === undefined ? '' : ` at line ${line}, column ${column ?? '1'}`
}

const parse = (text: string, path: string): unknown => {
  const plain = stripComments(text)
  try {
    checkJson(plain, bounds)
    return plain.trim() === '' ? {} : (JSON.parse(plain) as unknown)
  } catch (error) {
    const detail =
      error instanceof JsonRefused
        ? `${path}: ${error.message}`
        : `expected JSON, with or without comments, in ${path}, got something else${positionIn(error)}`
    throw new ServiceError('malformed', { detail, hint: 'fix the file, or import another one: svcctl mcp import FILE' })
  }
}

/** Undefined where there is no such file. Throws `malformed` and `too-large`. */
export const readConfiguration = async (path: string): Promise<unknown> => {
  const text = await readBounded(path)
  return text === undefined ? undefined : parse(text, path)
}
