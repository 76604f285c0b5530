// Renders the text of an HTML-only e-mail with the mail parser, which renders HTML as text if it is one of several parts.
import { randomUUID } from 'node:crypto'
import { parseEmail } from './parse.ts'

/** Maximum length in UTF-16 code units, more than a message can have. */
const maxLength = 512 * 1024

/** The parser renders HTML as text only next to a text part. */
const wrap = (html: string): string => {
  const cut = randomUUID()
  const part = (type: string, body: string): string => `--${cut}\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${body}\r\n`
  return `Content-Type: multipart/mixed; boundary="${cut}"\r\n\r\n${part('plain', '')}${part('html', html)}--${cut}--\r\n`
}

export const textOfHtml = async (html: string): Promise<string> => {
  const { text = '' } = await parseEmail(Buffer.from(wrap(html.slice(0, maxLength).replaceAll(/\r?\n/g, ' '))))
  return text.trim()
}
