// The text of a letter that has none but in HTML: read by the same library, which renders what lacks beside what is there.
import { randomUUID } from 'node:crypto'
import type { Email } from 'postal-mime'
import { parseEmail } from './parse.ts'

/** UTF-16 units that are rendered, in one piece: more than a message has. */
const most = 512 * 1024

/** The second of two parts, since HTML is rendered as text only beside a text. */
const wrap = (html: string): string => {
  const cut = randomUUID()
  const part = (type: string, body: string): string => `--${cut}\r\nContent-Type: text/${type}; charset=utf-8\r\n\r\n${body}\r\n`
  return `Content-Type: multipart/mixed; boundary="${cut}"\r\n\r\n${part('plain', '')}${part('html', html)}--${cut}--\r\n`
}

export const withText = async (email: Email): Promise<Email> => {
  if (email.text !== undefined || email.html === undefined) return email
  const { text = '' } = await parseEmail(Buffer.from(wrap(email.html.slice(0, most).replaceAll(/\r?\n/g, ' '))))
  return { ...email, text: text.trim() }
}
