// News of the journal as they come: read with fetch, since the token travels in a header, and taken up again where they broke off.
import { isServiceError, News } from '@gatehouse/contracts'
import * as v from 'valibot'
import { toFailure, toUnreached } from './failure.ts'
import { type ClientOptions, initOf, parseJson, urlOf } from './request.ts'

export interface ServerEvent {
  /** Undefined where none was ever given. */
  readonly id: string | undefined
  readonly event: string
  /** Undefined for an event that only moves the id. */
  readonly data: string | undefined
}

interface Draft {
  event?: string
  data?: string[]
}

/** Feeds on pieces of text, gives the events that they complete. */
export const createEventParser = (): ((text: string) => ServerEvent[]) => {
  let rest = ''
  let id: string | undefined
  let moved = false
  let draft: Draft = {}

  const take = (line: string): ServerEvent | undefined => {
    if (line === '') {
      const { event = 'message', data } = draft
      const complete = data !== undefined || moved
      draft = {}
      moved = false
      return complete ? { id, event, data: data?.join('\n') } : undefined
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') draft.event = value
    if (name === 'data') (draft.data ??= []).push(value)
    if (name === 'id' && !value.includes('\0')) {
      id = value
      moved = true
    }
    return undefined
  }
  return (text) => {
    rest += text
    // A carriage return at the end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    return lines.map(take).filter((event) => event !== undefined)
  }
}

/** `gap`: more was missed than is sent again; the audit has it. */
export type UnitEvent =
  | { readonly type: 'news'; readonly news: News }
  | { readonly type: 'gap'; readonly after: number; readonly head: number }

export interface EventsWanted {
  /** The line behind which to begin; default: what comes from now on. */
  readonly after?: number | undefined
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined
  /** Called each time when the stream stands. */
  readonly onOpen?: (() => void) | undefined
  /** Called each time when it broke off or could not be had; it is tried again. */
  readonly onBreak?: (() => void) | undefined
  /** Milliseconds between two attempts; default 1 s. */
  readonly retry?: number | undefined
  /** Milliseconds without a sign of life after which the stream is taken for dead; default 45 s. */
  readonly silence?: number | undefined
}

const Gap = v.object({ after: v.number(), head: v.number() })

/** Undefined for what a later version may send. */
const toUnitEvent = ({ event, data }: ServerEvent): UnitEvent | undefined => {
  if (data === undefined) return undefined
  if (event === 'gap') {
    const gap = v.safeParse(Gap, parseJson(data))
    return gap.success ? { type: 'gap', ...gap.output } : undefined
  }
  const news = v.safeParse(News, parseJson(data))
  return news.success ? { type: 'news', news: news.output } : undefined
}

/** What trying again does not mend. */
const isFinal = (error: unknown): boolean => isServiceError(error) && !['unavailable', 'deadline', 'rate-limited'].includes(error.code)

const pause = (time: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, time)
    signal?.addEventListener('abort', end, { once: true })
  })

interface Attempt {
  readonly options: ClientOptions
  readonly last: string | undefined
  readonly signal: AbortSignal
}

const open = async ({ options, last, signal }: Attempt): Promise<ReadableStream<Uint8Array>> => {
  const { address, token, explain, fetch = globalThis.fetch } = options
  const request = { method: 'GET', path: '/v1/events', headers: { 'Last-Event-ID': last } } as const
  try {
    const response = await fetch(urlOf(address, request), { ...initOf(request, token, {}), signal })
    if (response.ok && response.body !== null) return response.body
    throw toFailure({ status: response.status, body: parseJson(await response.text()), retryAfter: response.headers.get('retry-after') })
  } catch (error) {
    throw toUnreached(error, { address, explain, late: false })
  }
}

/** Aborts with the caller, and when nothing was read for so long. */
const createWatch = ({ signal, silence = 45_000 }: EventsWanted) => {
  const quiet = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    signal: signal === undefined ? quiet.signal : AbortSignal.any([signal, quiet.signal]),
    seen: () => {
      clearTimeout(timer)
      timer = setTimeout(() => quiet.abort(), silence)
    },
    stop: () => clearTimeout(timer),
  }
}

const readFrom = async function* (attempt: Attempt, { onOpen }: EventsWanted, seen: () => void): AsyncGenerator<ServerEvent> {
  const reader = (await open(attempt)).getReader()
  const giveUp = (): void => void reader.cancel().catch(() => undefined)
  attempt.signal.addEventListener('abort', giveUp, { once: true })
  const decoder = new TextDecoder()
  const parse = createEventParser()
  onOpen?.()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      seen()
      yield* parse(decoder.decode(value, { stream: true }))
    }
  } finally {
    giveUp()
  }
}

/** Throws what trying again does not mend, such as `unauthorized`; ends with the caller's signal. */
export const eventsOf = (options: ClientOptions) =>
  async function* (wanted: EventsWanted = {}): AsyncGenerator<UnitEvent, void> {
    let last = wanted.after === undefined ? undefined : String(wanted.after)
    const ended = (): boolean => wanted.signal?.aborted === true
    while (!ended()) {
      const watch = createWatch(wanted)
      watch.seen()
      try {
        for await (const event of readFrom({ options, last, signal: watch.signal }, wanted, watch.seen)) {
          last = event.id ?? last
          const told = toUnitEvent(event)
          if (told !== undefined) yield told
        }
      } catch (error) {
        if (ended()) return
        if (isFinal(error)) throw error
      } finally {
        watch.stop()
      }
      wanted.onBreak?.()
      await pause(wanted.retry ?? 1_000, wanted.signal)
    }
  }
