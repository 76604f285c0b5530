// Requests on `model.sock`. Headers that claim an identity are never read: the socket is the identity.
import { type Exchange, type Logger, openExchange, type Patience, type RunningExchanges, type Serve } from '@gatehouse/kernel'
import type { ModelCaller } from './caller.ts'

export interface ServeOptions extends Patience {
  readonly handle: (caller: ModelCaller, exchange: Exchange) => Promise<void>
  readonly log: Logger
  readonly running: RunningExchanges
}

export const createServe = ({ handle, log, running, ...patience }: ServeOptions): Serve<ModelCaller> => {
  const answer = async (caller: ModelCaller, exchange: Exchange): Promise<void> => {
    try {
      await handle(caller, exchange)
    } catch (error) {
      log.error('a request on a model socket failed', { session: caller.id, error })
      exchange.response.destroy()
    } finally {
      exchange.end()
    }
  }
  return (caller, request, response) => running.add(answer(caller, openExchange(request, response, patience)))
}
