// The text of a letter that has none but in HTML: read by the same library, which renders what is missing beside what is there.
import { randomUUID } from 'node:crypto'
import { parseEmail } from './parse.ts'

/** UTF-16 units that are rendered, in one piece: more than a message has. */
const maxLength = 512 * 1024

/** The second of two parts, since HTML is rendered as text only beside a text. */
const wrap = (html: string): string => {
  const cut = randomUUID()
  const part = (type: string, body: string): string => `--${cut}\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${body}\r\n`
  return `Content-Type: multipart/mixed; boundary="${cut}"\r\n\r\n${part('plain', '')}${part('html', html)}--${cut}--\r\n`
}

export const textOfHtml = async (html: string): Promise<string> => {
  const { text = '' } = await parseEmail(Buffer.from(wrap(html.slice(0, maxLength).replaceAll(/\r?\n/g, ' '))))
  return text.trim()
}
