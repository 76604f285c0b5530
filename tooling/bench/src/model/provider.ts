// A provider that only streams, as fast as it is told: the benchmark's baseline and what stands behind the proxy. It says its port
// on stdout and ends with its input.
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

interface Wish {
  /** Events of one stream. */
  readonly events: number
  /** Milliseconds between two of them; 0: as fast as they are taken. */
  readonly pace: number
}

const delta = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: { content: ' word' }, finish_reason: null }],
  usage: null,
})
const event = Buffer.from(`data: ${delta}\n\n`)
const last = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 9 } })}\n\ndata: [DONE]\n\n`
/** What a server under load writes at once. */
const together = 16
const batch = Buffer.concat(Array.from({ length: together }, () => event))

/** The wish stands in the model's message: `<events> <pace>`. */
const wishOf = (text: string): Wish => {
  const [, events = '1', pace = '0'] = /"content":"(\d+) (\d+)/.exec(text) ?? []
  return { events: Number(events), pace: Number(pace) }
}

const pour = (response: ServerResponse, events: number): void => {
  let left = events
  const more = (): void => {
    while (left > 0) {
      const count = Math.min(together, left)
      left -= count
      if (!response.write(count === together ? batch : batch.subarray(0, count * event.length))) return void response.once('drain', more)
    }
    response.end(last)
  }
  more()
}

const drip = (response: ServerResponse, { events, pace }: Wish): void => {
  let left = events
  const timer = setInterval(() => {
    response.write(event)
    left -= 1
    if (left > 0) return
    clearInterval(timer)
    response.end(last)
  }, pace)
  response.on('close', () => clearInterval(timer))
}

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const wish = wishOf(Buffer.concat(chunks).toString('latin1'))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (wish.pace === 0) pour(response, wish.events)
    else drip(response, wish)
  })
})
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`))
process.stdin.resume().on('end', () => process.exit())
