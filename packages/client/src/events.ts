// Streams journal events and resumes after a disconnect. It uses fetch because EventSource cannot send a token in a header.
import { isServiceError, News } from '@gatehouse/contracts'
import * as v from 'valibot'
import { toFailure, toNoResponse } from './failure.ts'
import { type ClientOptions, toFetchInit, parseJson, toUrl } from './request.ts'

export interface ServerEvent {
  /** Undefined before the first id. */
  readonly id: string | undefined
  readonly event: string
  /** Undefined for an event that only sets the id. */
  readonly data: string | undefined
}

interface Draft {
  event?: string
  data?: string[]
}

/** Returns a function that takes chunks of text and returns the events that they isComplete. */
export const createEventParser = (): ((text: string) => ServerEvent[]) => {
  let rest = ''
  let id: string | undefined
  let hasNewID = false
  let draft: Draft = {}

  const parseLine = (line: string): ServerEvent | undefined => {
    if (line === '') {
      const { event = 'message', data } = draft
      const isComplete = data !== undefined || hasNewID
      draft = {}
      hasNewID = false
      return isComplete ? { id, event, data: data?.join('\n') } : undefined
    }
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (name === 'event') draft.event = value
    if (name === 'data') (draft.data ??= []).push(value)
    if (name === 'id' && !value.includes('\0')) {
      id = value
      hasNewID = true
    }
    return undefined
  }
  return (text) => {
    rest += text
    // A carriage return at the end may be half of a line end.
    const lines = rest.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    return lines.map(parseLine).filter((event) => event !== undefined)
  }
}

/** `gap`: more events were missed than the unit replays. They can be read from the audit. */
export type UnitEvent =
  | { readonly type: 'news'; readonly news: News }
  | { readonly type: 'gap'; readonly after: number; readonly head: number }

export interface EventsOptions {
  /** The journal line after which to start. Default: only new events. */
  readonly after?: number | undefined
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined
  /** Called whenever the stream is connected. */
  readonly onOpen?: (() => void) | undefined
  /** Called whenever the stream ended or could not be opened. It is retried. */
  readonly onBreak?: (() => void) | undefined
  /** Milliseconds between attempts. Default: 1 s. */
  readonly retry?: number | undefined
  /** Milliseconds without data after which the stream is reopened. Default: 45 s. */
  readonly silence?: number | undefined
}

const Gap = v.object({ after: v.number(), head: v.number() })

/** Undefined for unknown events, which a later version may send. */
const toUnitEvent = ({ event, data }: ServerEvent): UnitEvent | undefined => {
  if (data === undefined) return undefined
  if (event === 'gap') {
    const gap = v.safeParse(Gap, parseJson(data))
    return gap.success ? { type: 'gap', ...gap.output } : undefined
  }
  const news = v.safeParse(News, parseJson(data))
  return news.success ? { type: 'news', news: news.output } : undefined
}

/** Whether retrying is pointless. */
const isFinal = (error: unknown): boolean => isServiceError(error) && !['unavailable', 'deadline', 'rate-limited'].includes(error.code)

const sleep = (time: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const timer = setTimeout(end, time)
    signal?.addEventListener('abort', end, { once: true })
  })

interface Attempt {
  readonly client: ClientOptions
  readonly last: string | undefined
  readonly signal: AbortSignal
}

const open = async ({ client, last, signal }: Attempt): Promise<ReadableStream<Uint8Array>> => {
  const { address, token, explain, fetch = globalThis.fetch } = client
  const request = { method: 'GET', path: '/v1/events', headers: { 'Last-Event-ID': last } } as const
  try {
    const response = await fetch(toUrl(address, request), { ...toFetchInit(request, token, {}), signal })
    if (response.ok && response.body !== null) return response.body
    throw toFailure({ status: response.status, body: parseJson(await response.text()), retryAfter: response.headers.get('retry-after') })
  } catch (error) {
    throw toNoResponse(error, { address, explain, timedOut: false })
  }
}

/** Aborts with the caller's signal, or after a time without data. */
const createWatchdog = ({ signal, silence = 45_000 }: EventsOptions) => {
  const timeout = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    signal: signal === undefined ? timeout.signal : AbortSignal.any([signal, timeout.signal]),
    reset: () => {
      clearTimeout(timer)
      timer = setTimeout(() => timeout.abort(), silence)
    },
    stop: () => clearTimeout(timer),
  }
}

const readEvents = async function* (attempt: Attempt, { onOpen }: EventsOptions, reset: () => void): AsyncGenerator<ServerEvent> {
  const reader = (await open(attempt)).getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  attempt.signal.addEventListener('abort', cancel, { once: true })
  const decoder = new TextDecoder()
  const parse = createEventParser()
  onOpen?.()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      reset()
      yield* parse(decoder.decode(value, { stream: true }))
    }
  } finally {
    cancel()
  }
}

/** Throws errors that retrying cannot fix, such as `unauthorized`. Ends with the caller's signal. */
export const eventsApi = (client: ClientOptions) =>
  async function* (options: EventsOptions = {}): AsyncGenerator<UnitEvent, void> {
    let last = options.after === undefined ? undefined : String(options.after)
    const isEnded = (): boolean => options.signal?.aborted === true
    while (!isEnded()) {
      const watchdog = createWatchdog(options)
      watchdog.reset()
      try {
        for await (const event of readEvents({ client, last, signal: watchdog.signal }, options, watchdog.reset)) {
          last = event.id ?? last
          const unitEvent = toUnitEvent(event)
          if (unitEvent !== undefined) yield unitEvent
        }
      } catch (error) {
        if (isEnded()) return
        if (isFinal(error)) throw error
      } finally {
        watchdog.stop()
      }
      options.onBreak?.()
      await sleep(options.retry ?? 1_000, options.signal)
    }
  }
