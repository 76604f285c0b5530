// Letters as people write and read them: what a mail program puts around a text, and takes away again.
import { randomUUID } from 'node:crypto'

export const domain = 'example.test'
export const addressOf = (name: string): string => `${name}@${domain}`

export interface Draft {
  readonly text: string
  readonly id?: string
  readonly from?: string
  readonly to?: string
  readonly headers?: readonly string[]
}

/** By Ann to the agents, where nothing else is said. */
export const draft = (wanted: Draft): string => {
  const { text, id = `<${randomUUID()}@${domain}>`, from = `Ann <${addressOf('ann')}>`, to = addressOf('agents'), headers = [] } = wanted
  return [`From: ${from}`, `To: ${to}`, `Message-ID: ${id}`, ...headers, '', text, ''].join('\r\n')
}

/** One that a person reads. */
export interface Letter {
  /** Header and body as they are. */
  readonly text: string
  /** As it was written. */
  readonly body: string
  header(name: string): string | undefined
}

const decoded = (body: string): string => {
  const bytes = body.replaceAll('=\n', '').replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}

export const letterOf = (text: string): Letter => {
  const [head = '', ...rest] = text.split('\n\n')
  const header = (name: string): string | undefined =>
    new RegExp(`^${name}:[ \\t]*((?:.|\\n[ \\t])*)$`, 'im')
      .exec(head)?.[1]
      ?.replaceAll(/\n[ \t]+/g, ' ')
      .trim()
  const body = rest.join('\n\n')
  return { text, header, body: header('Content-Transfer-Encoding') === 'quoted-printable' ? decoded(body) : body }
}

/** What a mail program sends when a person answers: the answer above, all of the letter quoted below. */
export const replyTo = (letter: Letter, { text, from, headers = [] }: Pick<Draft, 'text' | 'from' | 'headers'>): string => {
  const id = letter.header('Message-ID') ?? ''
  const references = [letter.header('References'), id].filter((one) => one !== undefined).join(' ')
  const quoted = letter.body.split('\n').map((line) => `> ${line}`)
  return draft({
    text: [text, '', 'On Monday, Agents wrote:', ...quoted].join('\r\n'),
    ...(from !== undefined && { from }),
    headers: [`In-Reply-To: ${id}`, `References: ${references}`, `Subject: Re: ${letter.header('Subject') ?? ''}`, ...headers],
  })
}

/** Files that hang on it, in their order. */
export const filesOn = ({ text, header }: Letter): { readonly name: string; readonly bytes: Buffer }[] => {
  const boundary = /boundary="([^"]+)"/.exec(header('Content-Type') ?? '')?.[1]
  const parts = boundary === undefined ? [] : text.split(`\n--${boundary}`).slice(1, -1)
  return parts.flatMap((part) => {
    const { header: own, body } = letterOf(part.trimStart())
    const name = /^attachment;.*filename="?([^";]+)/.exec(own('Content-Disposition') ?? '')?.[1]
    return name === undefined ? [] : [{ name, bytes: Buffer.from(body, 'base64') }]
  })
}
