// One answer: the turn that the script has for the request, as a stream or whole, with the fault that it has.
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ask } from './ask.ts'
import type { Format } from './formats/format.ts'
import { Refusal } from './refusal.ts'
import { chooseTurn } from './script/choose.ts'
import type { Fault, Scene, Turn } from './script/turn.ts'
import { failStream } from './stream/fault.ts'
import { toText, writeTo } from './stream/write.ts'

export interface AnswerParts {
  readonly ask: Ask
  readonly format: Format
  readonly response: ServerResponse
  readonly scenes: readonly Scene[]
  /** How often the fault of a turn has happened. */
  readonly faults: Map<string, number>
}

const faultNow = ({ fault, times }: Turn, key: string, faults: Map<string, number>): Fault | null => {
  if (fault === null) return null
  const happened = faults.get(key) ?? 0
  if (times > 0 && happened >= times) return null
  faults.set(key, happened + 1)
  return fault
}

const messages: Readonly<Record<number, string>> = { 429: 'Rate limit reached', 500: 'Internal server error', 529: 'Overloaded' }

const sendStatus = ({ ask, format, response }: AnswerParts, fault: Fault & { kind: 'status' }): void => {
  const refusal = new Refusal(fault.status, messages[fault.status] ?? `Scripted answer ${fault.status}`)
  const retryAfter = fault.retryAfter === null ? {} : { 'retry-after': String(fault.retryAfter) }
  response.writeHead(fault.status, { 'content-type': 'application/json', ...retryAfter })
  response.end(JSON.stringify(format.error(refusal, ask.provider)))
}

const sendHtml = (response: ServerResponse): void => {
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
    .end('<!doctype html><title>Sign in</title><p>Please sign in to the network.')
}

const stream = async ({ ask, format, response }: AnswerParts, turn: Turn, fault: Fault | null): Promise<void> => {
  const writer = writeTo(response)
  const failing = fault !== null && 'after' in fault ? fault : null
  const fail = (): Promise<void> | undefined =>
    failing === null
      ? undefined
      : failStream(failing, { writer, response, filler: toText(format.filler(ask)), errorEvent: toText(format.errorEvent(ask.provider)) })
  if (failing?.after === 0 && (failing.kind === 'silence' || failing.kind === 'reset')) return fail()
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache', 'request-id': 'req_scripted' })
  response.flushHeaders()
  let sent = 0
  for (const event of format.events(ask, turn)) {
    if (sent === failing?.after) return fail()
    if (turn.pace > 0 && sent > 0) await sleep(turn.pace)
    if (!writer.isOpen()) return
    await writer.write(toText(event))
    sent += 1
  }
  if (failing !== null) return fail()
  response.end()
}

const whole = async (parts: AnswerParts, turn: Turn, fault: Fault | null): Promise<void> => {
  const { ask, format, response } = parts
  if (fault !== null && 'after' in fault) {
    const writer = writeTo(response)
    return failStream(
      { ...fault, kind: fault.kind === 'error-event' ? 'malformed' : fault.kind },
      { writer, response, filler: ' ', errorEvent: '' },
    )
  }
  response.writeHead(200, { 'content-type': 'application/json', 'request-id': 'req_scripted' }).end(JSON.stringify(format.whole(ask, turn)))
}

export const answerAsk = async (parts: AnswerParts): Promise<void> => {
  const { turn, key } = chooseTurn(parts.scenes, parts.ask)
  const fault = faultNow(turn, key, parts.faults)
  if (fault?.kind === 'status') return sendStatus(parts, fault)
  if (fault?.kind === 'media-type') return sendHtml(parts.response)
  return parts.ask.streams ? stream(parts, turn, fault) : whole(parts, turn, fault)
}
