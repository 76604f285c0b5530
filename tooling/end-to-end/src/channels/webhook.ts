// A program of the operator that talks to agents by webhooks, signed and checked by the standard's own library.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { Card } from '@gatehouse/contracts'
import { Webhook } from 'standardwebhooks'
import { type Answer, request } from '../http.ts'

export const webhookSecret = (letter: string): string => `whsec_${Buffer.from(letter.repeat(32)).toString('base64')}`

export interface Said {
  readonly address: string
  readonly user: string
  readonly text: string
  readonly thread?: string
}

export interface Sending {
  readonly secret: string
  readonly id?: string
  readonly at?: Date
  /** What is sent in place of what was signed. */
  readonly body?: string
}

/** As a sender does that has not been answered: the same id is the same message. */
export const sendWebhook = (unit: { readonly address: string }, said: Said, sending: Sending): Promise<Answer> => {
  const { secret, id = randomUUID(), at = new Date() } = sending
  const body = JSON.stringify({ type: 'message', timestamp: at.toISOString(), data: said })
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': new Webhook(secret).sign(id, at, body),
  }
  return request(`${unit.address}/v1/webhooks`, { method: 'POST', headers, body: sending.body ?? body })
}

export interface Heard {
  readonly id: string
  readonly text: string
  readonly thread: string | undefined
  readonly inReplyTo: string | undefined
  readonly part: number
  readonly parts: number
  readonly files?: readonly { readonly name: string; readonly size: number; readonly sha256: string; readonly content: string }[]
}

/** A card as a program gets it. */
export interface HeardCard {
  readonly id: string
  readonly act: 'posted' | 'updated' | 'reminded'
  readonly text: string
  readonly thread: string | undefined
  readonly card: Card & { readonly url?: string }
  readonly answers?: { readonly approve: string; readonly reject: string }
}

interface State {
  status: number
  forged: number
  headers: Record<string, string>
  /** Milliseconds between what it has heard and its answer. */
  slow: number
  /** Parts that it does not take, whatever it does with others. */
  refuses: (part: Omit<Heard, 'id'>) => boolean
}

/** Answers as it is told; keeps what it took, whose signature held by the secret, which may come to be later. */
export const startReceiver = async (secret: string | (() => string)) => {
  const heard: Heard[] = []
  const cards: HeardCard[] = []
  const state: State = { status: 200, forged: 0, headers: {}, slow: 0, refuses: () => false }
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      try {
        const body = Buffer.concat(chunks).toString()
        new Webhook(typeof secret === 'string' ? secret : secret()).verify(body, incoming.headers as Record<string, string>)
        const { type, data } = JSON.parse(body) as { type: string; data: Omit<Heard, 'id'> & Omit<HeardCard, 'id'> }
        const id = String(incoming.headers['webhook-id'])
        if (type !== 'card' && state.refuses(data)) return void outgoing.writeHead(503).end()
        if (state.status < 300 && type === 'card') cards.push({ ...data, id })
        else if (state.status < 300) heard.push({ ...data, id })
      } catch {
        state.forged += 1
      }
      setTimeout(() => outgoing.writeHead(state.status, state.headers).end(), state.slow)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: (name: string): string => `http://127.0.0.1:${port}/${name}`,
    heard,
    cards,
    state,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
