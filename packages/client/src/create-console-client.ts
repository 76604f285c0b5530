// What a person in a browser does with the admin API, and no more: a page loads all of it.
import { Status, StatusHistory } from '@gatehouse/contracts'
import { changesOf } from './changes.ts'
import { chatOf } from './chat.ts'
import { eventsOf } from './events.ts'
import { filesOf } from './files.ts'
import { peopleOf } from './people.ts'
import { registryOf } from './registry.ts'
import { type CallOptions, type ClientOptions, createExchange } from './request.ts'
import { serversOf } from './servers.ts'

/** Every function rejects with `ServiceError`, or with the reason of the caller's own signal. */
export const createConsoleClient = (options: ClientOptions) => {
  const exchange = createExchange(options)
  return {
    changes: changesOf(exchange),
    ...registryOf(exchange),
    ...peopleOf(exchange),
    servers: serversOf(exchange),
    chat: chatOf(exchange),
    files: filesOf(exchange),
    /** News of the journal, until the caller ends it. */
    events: eventsOf(options),
    status: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status' }, Status, call),
    /** The last hour in numbers, for plots. */
    history: (call?: CallOptions) => exchange.send({ method: 'GET', path: '/v1/status/history' }, StatusHistory, call),
  }
}

export type ConsoleClient = ReturnType<typeof createConsoleClient>
