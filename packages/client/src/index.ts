// Public surface of the typed client of the admin API. It runs in Node and in a browser, and keeps nothing.
export * from './create-client.ts'
export type { CallOptions, ClientOptions, Fetch } from './request.ts'
