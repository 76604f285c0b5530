// Public surface of the typed client of the admin API. It runs in Node and in a browser, and keeps nothing.
export { addToGrant, findPresentGrant, isBasedOn } from './access-request.ts'
export type { AttemptOptions } from './changes.ts'
export { type Client, createClient } from './create-client.ts'
export { type ConsoleClient, createConsoleClient } from './create-console-client.ts'
export type { EventsWanted, UnitEvent } from './events.ts'
export type { PendingWanted } from './lists.ts'
export type { Answered, CallOptions, ClientOptions, Fetch, Sent } from './request.ts'
export type { WriteOptions } from './servers.ts'
