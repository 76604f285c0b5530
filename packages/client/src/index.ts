// The typed client of the admin API. It runs in Node and in browsers, and stores no state.
export { addToGrant, findPresentGrant, isBasedOn } from './access-request.ts'
export type { AttemptOptions } from './changes.ts'
export { type Client, createClient } from './create-client.ts'
export { type ConsoleClient, createConsoleClient } from './create-console-client.ts'
export type { EventsOptions, UnitEvent } from './events.ts'
export type { PendingQuery } from './lists.ts'
export type { FetchResponse, CallOptions, ClientOptions, Fetch, FetchInit } from './request.ts'
export type { WriteOptions } from './servers.ts'
