// Sends one request to a provider and passes the answer on as it arrives. Redirects are not followed and nothing is retried.
import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'

export interface Head {
  readonly status: number
  readonly headers: IncomingHttpHeaders
}

/** Flow control of an answer. */
export interface Flow {
  pause(): void
  resume(): void
  /** Ends the request because of an error after its data was accepted. */
  fail(error: unknown): void
}

export interface Receiver {
  /** An exception ends the request. */
  data(chunk: Buffer): void
  end(): void
}

export interface TransferOptions {
  readonly agent: Pick<Dispatcher, 'dispatch'>
  readonly origin: string
  readonly target: string
  readonly method: 'GET' | 'POST'
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly signal: AbortSignal
  /** An exception ends the request. */
  readonly begin: (head: Head, flow: Flow) => Receiver
}

const errorOf = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)))

type Deferred = PromiseWithResolvers<void>

const createHandler = ({ signal, begin }: TransferOptions, { resolve, reject }: Deferred): Dispatcher.DispatchHandler => {
  let receiver: Receiver | undefined
  const fail = (controller: Dispatcher.DispatchController, error: unknown): void => {
    reject(errorOf(error))
    controller.abort(errorOf(error))
  }
  const safely = (controller: Dispatcher.DispatchController, act: () => void): void => {
    try {
      act()
    } catch (error) {
      fail(controller, error)
    }
  }
  return {
    onRequestStart: (controller) => {
      const abort = (): void => controller.abort(errorOf(signal.reason))
      if (signal.aborted) abort()
      else signal.addEventListener('abort', abort, { once: true })
    },
    onResponseStart: (controller, status, headers) => {
      if (status < 200) return
      safely(controller, () => {
        const flow = {
          pause: () => controller.pause(),
          resume: () => controller.resume(),
          fail: (error: unknown) => fail(controller, error),
        }
        receiver = begin({ status, headers }, flow)
      })
    },
    onResponseData: (controller, chunk) => safely(controller, () => receiver?.data(chunk)),
    onResponseEnd: (controller) => {
      safely(controller, () => receiver?.end())
      resolve()
    },
    onResponseError: (_controller, error) => reject(errorOf(error)),
  }
}

/** Resolves when the answer has ended. Rejects with the signal's reason at once when it aborts. */
export const transfer = (options: TransferOptions): Promise<void> => {
  const { agent, origin, target, method, headers, body, signal } = options
  const deferred = Promise.withResolvers<void>()
  // A pending connection attempt reports nothing after the request has ended.
  const leave = (): void => deferred.reject(errorOf(signal.reason))
  if (signal.aborted) leave()
  else {
    signal.addEventListener('abort', leave, { once: true })
    agent.dispatch({ origin, path: target, method, headers, body }, createHandler(options, deferred))
  }
  return deferred.promise.finally(() => signal.removeEventListener('abort', leave))
}
